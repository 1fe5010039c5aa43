#include "attend/lessons/head_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "attend/core/processors.h"
#include "attend/data/dataset.h"
#include "attend/decoding/translator.h"
#include "attend/ops/torch_threads.h"
#include "attend/training/head_costs.h"

namespace attend::lessons {
namespace {

constexpr int64_t kBatch = 32;

data::Dataset encode(const LoadedModel& loaded, const std::vector<data::Pair>& pairs) {
  return data::encode_pairs(pairs, loaded.source, loaded.target, loaded.data_config.steps);
}

}  // namespace

std::vector<HeadReport> report_heads(const std::shared_ptr<const LoadedModel>& loaded,
                                     const std::vector<data::Pair>& pairs) {
  std::vector<HeadReport> reports;
  for (const HeadId& head : attention_heads(*loaded->model)) reports.push_back({head, {}, {}, 0.0});
  std::vector<std::string> sources;
  for (const data::Pair& pair : pairs) sources.push_back(pair.source);
  TranslateOptions options;
  options.attention = true;
  for (const Translation& seen : Translator::share(loaded).translate(sources, options))
    for (size_t i = 0; i < seen.map.panels.size(); ++i) {
      reports[i].traits.add(seen.map.panels[i]);
      reports[i].equal.add(with_equal_weights(seen.map.panels[i]));
    }
  ops::TorchThreads threads(core::automatic_threads(0));
  const auto costs =
      training::head_costs(*loaded->model, encode(*loaded, pairs), kBatch, threads.pool());
  for (const training::HeadCost& cost : costs.heads)
    for (HeadReport& report : reports)
      if (report.head == cost.head) report.cost = cost.cost;
  return reports;
}

std::vector<std::vector<std::string>> head_rows(const std::vector<HeadReport>& heads) {
  std::vector<std::vector<std::string>> rows;
  const auto row = [&](const std::string& name, const MapTraits& t, const std::string& cost) {
    rows.push_back({name, fmt::format("{:.2f}", t.sharp()), fmt::format("{:.2f}", t.diagonal()),
                    fmt::format("{:.2f}", t.mark()), cost});
  };
  for (size_t i = 0; i < heads.size(); ++i) {
    const HeadReport& h = heads[i];
    if (i == 0 || h.head.kind != heads[i - 1].head.kind)
      row(std::string(attend::kind_name(h.head.kind)) + ", equal weights", h.equal, "");
    row(to_text(h.head), h.traits, fmt::format("{:+.3f}", h.cost));
  }
  return rows;
}

std::vector<double> losses_without(const std::shared_ptr<const LoadedModel>& loaded,
                                   const std::vector<data::Pair>& pairs,
                                   const std::vector<HeadId>& order) {
  const data::Dataset dataset = encode(*loaded, pairs);
  ops::TorchThreads threads(core::automatic_threads(0));
  std::vector<double> losses;
  std::vector<HeadId> gone;
  for (size_t count = 0; count <= order.size(); ++count) {
    if (count > 0) gone.push_back(order[count - 1]);
    const WithoutHeads without(*loaded->model, gone);
    losses.push_back(
        training::dataset_loss(*loaded->model, dataset, kBatch, threads.pool())->mean());
  }
  return losses;
}

Bilingual heads_finding(const std::vector<HeadReport>& heads, const std::vector<double>& losses) {
  const auto dearest =
      std::max_element(heads.begin(), heads.end(),
                       [](const HeadReport& a, const HeadReport& b) { return a.cost < b.cost; });
  const double all = losses.front(), bound = 0.1 * all;
  const auto little =
      std::count_if(heads.begin(), heads.end(), [&](const auto& h) { return h.cost < bound; });
  const auto dear =
      std::find_if(losses.begin(), losses.end(), [&](double loss) { return loss > all + bound; });
  const auto go = std::max<std::ptrdiff_t>(0, dear - losses.begin() - 1);
  return {fmt::format("The loss with all heads is {:.3f}. Taken out on its own, the dearest, {}, "
                      "adds {:.3f}, and {} of {} add less than a tenth of the loss: others, and "
                      "the residual connection, carry the sentence past such a head. Cheapest "
                      "first, {} can go before the loss has risen by a tenth; without any head it "
                      "is {:.3f}.",
                      all, to_text(dearest->head), dearest->cost, little, heads.size(), go,
                      losses.back()),
          fmt::format(
              "所有头都在时损失是 {:.3f}。单独去掉一个头，最贵的 {} 使它增加 {:.3f}，{} 个头里有 "
              "{} 个使它增加不到十分之一：别的头和残差连接会绕过它。从最便宜的开始，去掉 {} "
              "个以后损失才会增加十分之一；一个头也没有时是 {:.3f}。",
              all, to_text(dearest->head), dearest->cost, heads.size(), little, go, losses.back())};
}

}  // namespace attend::lessons
