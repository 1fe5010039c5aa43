// Lesson 11: self-attention, convolution and recurrence: work, time, memory and length of paths.
#include <ATen/TensorOperators.h>
#include <ATen/ops/conv1d.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>
#include <c10/core/GradMode.h>

#include <cmath>

#include "attend/lessons/figures.h"
#include "attend/lessons/layer_costs.h"
#include "attend/lessons/lesson.h"
#include "attend/lessons/measure.h"
#include "attend/ops/attention.h"
#include "attend/ops/recurrent_sequence.h"

namespace attend::lessons {
namespace {

struct Options {
  int64_t length = 1024;
  int64_t width = 64;
  int64_t kernel = 3;
};

core::ConfigTable describe(Options& o) {
  core::ConfigTable table("three-layers-compared", "Attention, convolution and recurrence");
  table.add("length", o.length, "Longest sequence n that is timed.", 64, 4096)
      .add("width", o.width, "Width d of a token.", 8, 256)
      .add("kernel", o.kernel, "Tokens k that a convolution sees; even: one more.", 3, 15);
  return table;
}

const std::vector<std::string> kLayers{"attention", "convolution", "recurrence"};

// One layer over x (n, d), its weights all alike: what it costs hangs on sizes alone.
at::Tensor apply(size_t layer, const at::Tensor& x, int64_t k) {
  const int64_t d = x.size(1);
  const at::Tensor w = at::full({d, d}, 1.0 / static_cast<double>(d), x.options());  // (d, d)
  if (layer == 0) {
    const at::Tensor q = x.view({1, 1, -1, d});
    return ops::scaled_dot_product_attention(q, q, q, Mask::none()).output.view({-1, d});
  }
  if (layer == 1)
    return at::conv1d(x.t().unsqueeze(0), w.unsqueeze(2).repeat({1, 1, k}), {}, 1, k / 2)[0].t();
  return ops::rnn_sequence(x, ops::time_major({0, x.size(0)}, at::kCPU), {}, {w, w, w[0], w[0]})
      .rows;
}

// Which tokens (n) the last output's gradient reaches through `times` layers, or steps in turn.
at::Tensor reached(size_t layer, int64_t n, int64_t times, int64_t k) {
  const at::Tensor x = counted_normal({n, 4}, 0, 0).requires_grad_();
  at::Tensor y = layer == 2 ? x.slice(0, std::max<int64_t>(0, n - times)) : x;
  for (int64_t i = 0; i < (layer == 2 ? 1 : times); ++i) y = apply(layer, y, k);
  return gradient(y[-1], x).abs().sum({-1}).ne(0).to(at::kDouble);  // (n)
}

// Draws these for 12 tokens; gives the number of layers or steps after which the first is reached.
std::vector<std::string> paths(int64_t k, Notebook& book) {
  at::Tensor maps = at::zeros({3, 12, 12}, at::kDouble);  // (layer, times, n)
  for (int64_t layer = 0; layer < 3; ++layer)
    for (int64_t times = 1; times <= 12; ++times)
      maps[layer][times - 1].copy_(reached(static_cast<size_t>(layer), 12, times, k));
  HeatMapLabels names{.row_axis = "layers or steps", .column_axis = "token", .panels = kLayers};
  book.map({"What the last output's gradient reaches", "最后一个输出的梯度能到达的词元"},
           heat_map(maps, names), {.quantity = "reached"});
  return labels(13 - maps.select(2, 0).sum({1}), 0);  // (layer)
}

enum What { kProducts, kSeconds, kBytes };
const std::vector<Bilingual> kWhat{
    {"Products", "乘法次数"}, {"Time (s)", "时间（秒）"}, {"Peak (bytes)", "内存峰值（字节）"}};

void run(const Options& o, Notebook& book) {
  book.say({"n tokens of width d become n others. How much work is it, how much waits its turn?",
            "n 个宽度为 d 的词元变成另外 n 个。要多少计算，其中多少要排队？"});
  book.step("y = layer(x)", apply(0, counted_normal({256, o.width}, 1, 0), 1),
            {"(n, d)", "三种层都是 (n, d)"});
  std::vector<int64_t> lengths;
  for (int64_t n = 16; n <= o.length; n *= 2) lengths.push_back(n);
  const std::vector<std::pair<std::string, std::vector<int64_t>>> sweeps = {
      {"n (tokens)", lengths}, {"d (width)", {32, 64, 128, 256}}, {"k (tokens)", {3, 5, 9, 15}}};
  const auto path = paths(o.kernel | 1, book);
  std::vector<std::vector<std::string>> rows = {
      {kLayers[0], "2 n^2 d", "1", "1", path[0]},
      {kLayers[1], "k n d^2", "1", "2(n-1)/(k-1)", path[1]},
      {kLayers[2], "2 n d^2", "n", "n", path[2]}};
  for (size_t figure = 0; figure < 7; ++figure) {  // two a sweep, and memory; n = 256 in the others
    const What what = figure < 6 ? static_cast<What>(figure % 2) : kBytes;
    const auto& [axis, sizes] = sweeps[figure / 2 % 3];
    const auto measure = [&, changed = figure / 2 % 3](size_t layer, int64_t size) {
      std::array<int64_t, 3> now{256, o.width, o.kernel | 1};  // n, d, k
      now[changed] = size;
      if (what == kProducts) return layer_products(layer, {now[0], now[1], now[2]});
      const at::Tensor x = counted_normal({now[0], now[1]}, 1, 0).to(at::kFloat);  // (n, d)
      const c10::NoGradGuard no_grad;
      const auto work = [&] { apply(layer, x, now[2]); };
      return what == kSeconds ? seconds_of(work, 0.01) : double(peak_tensor_bytes(work));
    };
    const auto curves = measured_curves(axis, kWhat[what].en, kLayers, sizes, measure);
    book.curves({kWhat[what].en + " against " + axis, kWhat[what].zh + "与 " + axis}, curves);
    for (size_t i = 0; i < 3 && what != kSeconds; ++i)
      rows[i].push_back(short_number(std::round(10 * growth_power(curves.series[i])) / 10 + 0.0));
  }
  book.table(
      {"Formulas, paths at n = 12, powers of growth of products (d and k at n = 256), memory",
       "公式，n = 12 的路径，乘法次数和内存的增长次数"},
      {"layer", "work", "in turn", "path", "n=12", "~n", "~d", "~k", "memory~n"}, rows);
  book.notice(layer_costs_finding({o.length, o.width, o.kernel | 1}));
}

}  // namespace

Lesson three_layers_compared_lesson() {
  const Bilingual what{"Attention, convolution, recurrence: cost.", "自注意力、卷积与循环的代价。"};
  const Bilingual title{"Three layers compared", "三种层的比较"};
  return make_lesson<Options>({11, "three-layers-compared", title, what}, describe, run);
}

}  // namespace attend::lessons
