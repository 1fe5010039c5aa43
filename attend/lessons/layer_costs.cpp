#include "attend/lessons/layer_costs.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "attend/lessons/figures.h"

namespace attend::lessons {

double layer_products(size_t layer, const LayerSizes& sizes) {
  const auto n = static_cast<double>(sizes.n), d = static_cast<double>(sizes.d),
             k = static_cast<double>(sizes.k);
  if (layer == 0) return 2 * n * n * d;
  return (layer == 1 ? k : 2) * n * d * d;
}

Bilingual layer_costs_finding(const LayerSizes& sizes) {
  const double attention = layer_products(0, sizes), convolution = layer_products(1, sizes),
               recurrence = layer_products(2, sizes);
  const auto n = static_cast<double>(sizes.n), d = static_cast<double>(sizes.d);
  // Attention overtakes the convolution at n = k d / 2 and the recurrence at n = d.
  const double first = d, second = static_cast<double>(sizes.k) * d / 2;
  const Bilingual verdict =
      n > std::max(first, second)
          ? Bilingual{"beyond both, so attention's n^2 costs most here",
                      "这里超过了两者，自注意力的 n^2 代价最大"}
      : n > std::min(first, second)
          ? Bilingual{"between the two, so it costs less than the convolution and more than the "
                      "recurrence here",
                      "这里在两者之间，比卷积少，比循环层多"}
          : Bilingual{"at or below both, so its n^2 does not tell yet here",
                      "这里还没有超过，n^2 尚未显现"};
  return {
      fmt::format(
          "At n = {}, d = {} and k = {} attention takes {} products, the convolution {} and "
          "the recurrence {}. Attention overtakes the recurrence at n = d = {} and the "
          "convolution at n = k d / 2 = {}: {}. The recurrence waits for its {} steps, one "
          "after the other; the others need not wait. Times are the least of some calls on "
          "this machine: other work on it shows in them, so no power of growth is read off "
          "them.",
          sizes.n, sizes.d, sizes.k, short_number(attention), short_number(convolution),
          short_number(recurrence), short_number(first), short_number(second), verdict.en, sizes.n),
      fmt::format(
          "n = {}、d = {}、k = {} 时，自注意力要 {} 次乘法，卷积 {} 次，循环层 {} "
          "次。自注意力在 n = d = {} 处超过循环层，在 n = k d / 2 = {} 处超过卷积：{}。循环层"
          "要一步接一步地走 {} 步，另外两种不必等待。时间是这台机器上几次调用中的最小值，机器"
          "上别的工作会影响它，所以不从时间推算增长次数。",
          sizes.n, sizes.d, sizes.k, short_number(attention), short_number(convolution),
          short_number(recurrence), short_number(first), short_number(second), verdict.zh,
          sizes.n)};
}

}  // namespace attend::lessons
