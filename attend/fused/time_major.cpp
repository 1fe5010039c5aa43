#include "attend/fused/time_major.h"

#include <algorithm>
#include <numeric>

namespace attend::fused {

void lay_out(const std::vector<int64_t>& offsets, TimeMajor& layout) {
  const auto length = [&](int64_t b) {
    return offsets[static_cast<size_t>(b) + 1] - offsets[static_cast<size_t>(b)];
  };
  const int64_t count = static_cast<int64_t>(offsets.size()) - 1;
  layout.order.resize(static_cast<size_t>(count));
  std::iota(layout.order.begin(), layout.order.end(), int64_t{0});
  const auto longer = [&](int64_t a, int64_t b) { return length(a) > length(b); };
  layout.sorted = std::is_sorted(layout.order.begin(), layout.order.end(), longer);
  if (!layout.sorted) std::stable_sort(layout.order.begin(), layout.order.end(), longer);

  layout.place.resize(layout.order.size());
  for (size_t i = 0; i < layout.order.size(); ++i)
    layout.place[static_cast<size_t>(layout.order[i])] = static_cast<int64_t>(i);

  layout.packed_row.resize(static_cast<size_t>(offsets.back()));
  layout.step_row.resize(layout.packed_row.size());
  layout.live.clear();
  layout.starts.assign(1, 0);
  const int64_t steps = count == 0 ? 0 : length(layout.order.front());
  int64_t row = 0, live = count;
  for (int64_t t = 0; t < steps; ++t) {
    while (length(layout.order[static_cast<size_t>(live) - 1]) <= t) --live;
    for (int64_t i = 0; i < live; ++i, ++row) {
      const int64_t packed = offsets[static_cast<size_t>(layout.order[static_cast<size_t>(i)])] + t;
      layout.packed_row[static_cast<size_t>(row)] = packed;
      layout.step_row[static_cast<size_t>(packed)] = row;
    }
    layout.live.push_back(live);
    layout.starts.push_back(row);
  }
}

void number_rows(const TimeMajor& layout, const std::vector<int64_t>& first,
                 std::vector<int64_t>& numbers) {
  numbers.clear();
  for (size_t t = 0; t < layout.live.size(); ++t)
    for (int64_t i = 0; i < layout.live[t]; ++i)
      numbers.push_back(first[static_cast<size_t>(layout.order[static_cast<size_t>(i)])] +
                        static_cast<int64_t>(t));
}

}  // namespace attend::fused
