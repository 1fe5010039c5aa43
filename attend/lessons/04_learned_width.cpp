// Lesson 4: the kernel's width learned from the data, each point's own pair left out.
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/full.h>
#include <torch/csrc/autograd/autograd.h>

#include "attend/lessons/figures.h"
#include "attend/lessons/lesson.h"
#include "attend/lessons/regression_data.h"
#include "attend/lessons/regression_findings.h"

namespace attend::lessons {
namespace {

struct Options : RegressionOptions {
  int64_t epochs = 5;
  double learning_rate = 0.5;
};

core::ConfigTable describe(Options& o) {
  core::ConfigTable table = regression_table(o, "learned-width", "A learned kernel");
  table.add("steps", o.epochs, "Steps of gradient descent, each over all points.", 1, 1000)
      .add("learning_rate", o.learning_rate, "Times the gradient of the summed square error.", 1e-6,
           100);
  return table;
}

// The same descent with every pair in place: the nearest key to each point is its own.
double width_with_own_pair(const Options& o, const RegressionData& data) {
  const auto column = [](const at::Tensor& x) { return x.view({1, -1, 1}); };  // (1, N, 1)
  at::Tensor width = at::full({}, o.width, at::kDouble);
  for (int64_t step = 0; step < o.epochs; ++step) {
    const at::AutoGradMode with_gradient(true);
    const at::Tensor leaf = width.clone().set_requires_grad(true);
    const at::Tensor found = kernel_pooling(column(data.keys), column(data.keys),
                                            column(data.values), leaf, o.kernel, Mask::none())
                                 .output;  // (1, N, 1)
    const at::Tensor loss = (found - column(data.values)).square().sum();
    if (loss.requires_grad())
      width = width - torch::autograd::grad({loss}, {leaf})[0] * o.learning_rate;
  }
  return width.detach().item<double>();
}

void run(const Options& o, Notebook& book) {
  book.say(
      {"The width decides how far a query looks. It can be learned: predict each training point "
       "from the others, and follow the gradient of the square error.",
       "宽度决定查询看得多远。它可以学习：用其余的样本预测每个训练样本，再沿平方误差的梯度下降。"});
  const RegressionData data = regression_data(o);
  KernelRegression model({.kernel = o.kernel,
                          .width_by = KernelRegression::WidthBy::kLearned,
                          .width = o.width,
                          .steps = o.epochs,
                          .learning_rate = o.learning_rate});
  model.fit(data.keys, data.values);
  const double learned = model.width().item<double>();
  book.step("keys of each point: all but its own", data.keys.slice(0, 1),
            {"(N - 1) of N; its own distance is 0, so it would get most of the weight",
             "N 个里的 N - 1 个；它与自己的距离是 0，会拿走大部分权重"});
  book.step("width after the descent", model.width());
  if (o.kernel == KernelKind::kBoxcar)
    book.notice(
        {"A boxcar is flat: no gradient, no descent. The table's last row searches instead.",
         "矩形核是平的：没有梯度，也就没有下降。表格的最后一行改用搜索。"});
  render::Curves loss{"", "step", "summed square error"};
  loss.series = {series("own pair left out 去掉自己", model.losses())};
  book.curves({"The loss before each step", "每一步之前的损失"}, loss);

  const KernelRegression before = fitted(o, data, o.width);
  render::Curves fit{"", "x", "y"};
  fit.series = {series("learned width 学到的宽度", data.queries, model.predict(data.queries)),
                series("first width 初始宽度", data.queries, before.predict(data.queries)),
                series("truth 真实函数", data.queries, true_function(data.queries)),
                series("pairs 训练数据", data.keys, data.values, true)};
  book.curves({"The fit before and after", "学习前后的拟合"}, fit);
  const auto weights = [&](Bilingual caption, const KernelRegression& m) {
    book.map(std::move(caption), heat_map(m.weights(data.queries), regression_labels(data)),
             {.scaling = render::Scaling::kMaximum});
  };
  weights({"The weights before", "学习前的权重"}, before);
  weights({"The weights after", "学习后的权重"}, model);
  book.notice(sharing_finding(o, before, model, data));

  std::vector<std::vector<std::string>> rows;
  const FoundWidths found{learned, width_with_own_pair(o, data), best_width(o, data)};
  const std::vector<std::pair<std::string, double>> cases = {
      {"first 初始", o.width},
      {"own pair left out 去掉自己", found.learned},
      {"own pair kept 保留自己", found.with_own_pair},
      {"best of a scan, left out 扫描所得最优（去掉自己）", found.best}};
  for (const auto& [name, width] : cases) rows.push_back(error_row(name, o, data, width));
  book.table({"Mean square errors", "均方误差"},
             {"width learned with", "width", "own left out", "own kept", "against the truth"},
             rows);
  book.curves({"The loss at each width", "每个宽度上的损失"},
              errors_by_width(o, data, {found.learned, found.with_own_pair, found.best}));
  book.notice(widths_finding(o, data, found));
  book.panel(regression_panel({"Kernel, width and noise, moved by hand", "亲手改变核、宽度和噪声"},
                              o,
                              /*losses=*/true));
}

}  // namespace

Lesson learned_width_lesson() {
  return make_lesson<Options>({4,
                               "learned-width",
                               {"A learned width", "学习核的宽度"},
                               {"Leave-one-out, gradient descent, and what overfits.",
                                "留一法、梯度下降，以及什么会过拟合。"}},
                              describe, run);
}

}  // namespace attend::lessons
