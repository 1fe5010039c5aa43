// Lesson 3: Nadaraya-Watson kernel regression, attention without anything to learn.
#include <ATen/TensorOperators.h>
#include <ATen/ops/zeros_like.h>

#include "attend/lessons/figures.h"
#include "attend/lessons/lesson.h"
#include "attend/lessons/regression_data.h"
#include "attend/lessons/regression_findings.h"

namespace attend::lessons {
namespace {

core::ConfigTable describe(RegressionOptions& o) {
  return regression_table(o, "kernel-regression", "Pooling by distance");
}

// What each kernel predicts, in one picture.
render::Curves every_kernel(const RegressionOptions& o, const RegressionData& data) {
  render::Curves curves;
  curves.x_axis = "x";
  curves.y_axis = "y";
  for (const auto& [name, kind] : kernels()) {
    RegressionOptions other = o;
    other.kernel = kind;
    const KernelRegression model = fitted(other, data, o.width);
    curves.series.push_back(series(name, data.queries, model.predict(data.queries)));
  }
  curves.series.push_back(series("pairs 训练数据", data.keys, data.values, true));
  return curves;
}

void run(const RegressionOptions& o, Notebook& book) {
  book.say(
      {"The data are pairs of x and y = 2 sin x + x^0.8 with noise of standard deviation " +
           short_number(o.noise) +
           ". The average of all y would be a level line. Better to weigh each pair by how near "
           "its key x is to the query.",
       "数据是 x 与 y = 2 sin x + x^0.8 加噪声（标准差 " + short_number(o.noise) +
           "）的配对。把所有 y 平均只能得到一条水平线。更好的办法是：键 x "
           "离查询越近，这一对的权重越大。"});
  const RegressionData data = regression_data(o);
  book.step("keys = x of the pairs", data.keys, {"(N), sorted", "(N)，已排序"});
  book.step("values = y of the pairs", data.values);
  book.step("queries", data.queries, {"where to predict", "要预测的位置"});

  const KernelRegression model = fitted(o, data, o.width);
  const at::Tensor weights = model.weights(data.queries);  // (queries, N)
  const at::Tensor fit = model.predict(data.queries);      // (queries)
  book.step("weights = K(width (query - key)), normalised over the keys", weights,
            {"with the Gaussian kernel it is the softmax of -(width (query - key))^2 / 2",
             "用高斯核时，它就是 -(width (query - key))^2 / 2 的 softmax"});
  book.step("output = weights values", fit);

  render::Curves curves;
  curves.x_axis = "x";
  curves.y_axis = "y";
  const at::Tensor level = at::zeros_like(fit) + data.values.mean();
  curves.series = {series("kernel regression 核回归", data.queries, fit),
                   series("truth 真实函数", data.queries, true_function(data.queries)),
                   series("average pooling 平均汇聚", data.queries, level),
                   series("pairs 训练数据", data.keys, data.values, true)};
  book.curves({"The fit", "拟合结果"}, curves);
  book.map({"Its weights: a row is a query, a column a training pair",
            "权重：一行一个查询，一列一个训练样本"},
           heat_map(weights, regression_labels(data)), {.scaling = render::Scaling::kMaximum});
  book.notice(nearness_finding(weights, data));

  book.curves({"The same data under each kernel", "同样的数据，不同的核"}, every_kernel(o, data));
  book.notice(kernels_finding(o, data));
  book.panel(regression_panel({"Kernel, width and noise, moved by hand", "亲手改变核、宽度和噪声"},
                              o,
                              /*losses=*/false));
}

}  // namespace

Lesson kernel_regression_lesson() {
  return make_lesson<RegressionOptions>(
      {3,
       "kernel-regression",
       {"Nadaraya-Watson kernel regression", "核回归"},
       {"Pairs weighed by the nearness of key and query.", "按键与查询的远近给每一对分配权重。"}},
      describe, run);
}

}  // namespace attend::lessons
