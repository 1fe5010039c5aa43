#include <algorithm>
#include <cmath>
#include <numeric>

#include "attend/data/dataset.h"

namespace attend::data {
namespace {

/// Pairs order[begin .. end), sorted, that share a source and the first `depth` target tokens.
struct Range {
  size_t begin;
  size_t end;
  size_t depth;
};

/// n log n - sum c log c: n times the entropy of next tokens seen c times each. Queues the ranges
/// with one more token.
double spread(const Dataset& dataset, const std::vector<int64_t>& order, const Range& range,
              std::vector<Range>& todo) {
  const auto target = [&](size_t i) { return dataset.target_ids(order[i]); };
  size_t i = range.begin;
  while (i < range.end && target(i).size() <= range.depth) ++i;  // cut here: no next token
  const auto n = static_cast<double>(range.end - i);
  double sum = n > 0 ? n * std::log(n) : 0.0;
  while (i < range.end) {
    const size_t first = i;
    const int32_t token = target(first)[range.depth];
    while (i < range.end && target(i)[range.depth] == token) ++i;
    const auto count = static_cast<double>(i - first);
    sum -= count * std::log(count);
    if (i - first > 1) todo.push_back({first, i, range.depth + 1});
  }
  return sum;
}

}  // namespace

double loss_floor(const Dataset& dataset) {
  if (dataset.target.tokens() == 0) return 0.0;
  std::vector<int64_t> order(static_cast<size_t>(dataset.size()));
  std::iota(order.begin(), order.end(), int64_t{0});
  const auto compare = [](std::span<const int32_t> a, std::span<const int32_t> b) {
    return std::lexicographical_compare_three_way(a.begin(), a.end(), b.begin(), b.end());
  };
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    const auto by_source = compare(dataset.source_ids(a), dataset.source_ids(b));
    if (by_source != 0) return by_source < 0;
    return compare(dataset.target_ids(a), dataset.target_ids(b)) < 0;
  });
  std::vector<Range> todo;
  for (size_t begin = 0; begin < order.size();) {
    size_t end = begin + 1;
    while (end < order.size() &&
           compare(dataset.source_ids(order[begin]), dataset.source_ids(order[end])) == 0)
      ++end;
    if (end - begin > 1) todo.push_back({begin, end, 0});
    begin = end;
  }
  double sum = 0.0;
  while (!todo.empty()) {
    const Range range = todo.back();
    todo.pop_back();
    sum += spread(dataset, order, range, todo);
  }
  return sum / static_cast<double>(dataset.target.tokens());
}

}  // namespace attend::data
