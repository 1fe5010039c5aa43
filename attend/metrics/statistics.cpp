#include "attend/metrics/statistics.h"

#include "attend/core/errors.h"

namespace attend::metrics {

std::vector<int64_t> Statistics::total() const {
  std::vector<int64_t> sum(static_cast<size_t>(width), 0);
  for (size_t i = 0; i < values.size(); ++i) sum[i % sum.size()] += values[i];
  return sum;
}

void check_corpus(std::string_view op, const std::vector<std::string>& hypotheses,
                  const std::vector<std::vector<std::string>>& references) {
  const std::string prefix = "[" + std::string(op) + "] expected ";
  if (references.empty()) throw InvalidArgument(prefix + "at least one reference, found none");
  if (hypotheses.empty() && references.front().empty()) {
    throw InvalidArgument(prefix + "at least one sentence, found none");
  }
  for (size_t r = 0; r < references.size(); ++r) {
    if (references[r].size() == hypotheses.size()) continue;
    std::string message = prefix + "a reference for each hypothesis, found " +
                          std::to_string(hypotheses.size()) + " hypotheses and " +
                          std::to_string(references[r].size()) + " references";
    if (references.size() > 1) message += " in list " + std::to_string(r + 1);
    throw InvalidArgument(message);
  }
}

}  // namespace attend::metrics
