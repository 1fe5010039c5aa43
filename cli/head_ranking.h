// `attend evaluate --rank-heads`: what each head's loss costs, as text for people and as JSON.
#pragma once

#include <string>
#include <vector>

#include "attend/training/head_costs.h"

namespace attend::cli {

struct HeadRanking {
  training::HeadCosts costs;
  std::vector<std::string> without;  ///< heads that were out all the time
};

std::string to_text(const HeadRanking& ranking);
std::string to_json(const HeadRanking& ranking);

}  // namespace attend::cli
