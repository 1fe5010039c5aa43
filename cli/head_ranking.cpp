#include "cli/head_ranking.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

namespace attend::cli {

std::string to_text(const HeadRanking& ranking) {
  const auto& [whole, heads] = ranking.costs;
  std::string text = fmt::format(
      "loss = {:.4f} nats per target token ({} tokens, end marks among them), {}\n", whole.mean(),
      whole.tokens,
      ranking.without.empty() ? "with every head"
                              : fmt::format("without {}", fmt::join(ranking.without, ", ")));
  text += fmt::format("{:<18}{:>12}{:>12}\n", "head", "loss without", "cost");
  for (const auto& head : heads)
    text += fmt::format("{:<18}{:>12.4f}{:>+12.4f}\n", attend::to_text(head.head),
                        head.without.mean(), head.cost);
  return text;
}

std::string to_json(const HeadRanking& ranking) {
  nlohmann::ordered_json json = {{"loss", ranking.costs.whole.mean()},
                                 {"tokens", ranking.costs.whole.tokens},
                                 {"without_heads", ranking.without},
                                 {"heads", nlohmann::ordered_json::array()}};
  for (const auto& head : ranking.costs.heads)
    json["heads"].push_back({{"head", attend::to_text(head.head)},
                             {"loss_without", head.without.mean()},
                             {"cost", head.cost}});
  return json.dump(2) + "\n";
}

}  // namespace attend::cli
