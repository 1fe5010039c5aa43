#include "attend/ops/running_average.h"

#include <ATen/ops/empty.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <utility>

#include "attend/ops/fused.h"

namespace attend::ops::detail {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

template <class T>
void add_row(std::vector<double>& sum, const T* row, double factor) {
  for (size_t d = 0; d < sum.size(); ++d) sum[d] += factor * static_cast<double>(row[d]);
}

template <class T>
void write_row(const std::vector<double>& sum, double factor, T* row) {
  for (size_t d = 0; d < sum.size(); ++d) row[d] = static_cast<T>(factor * sum[d]);
}

double share(int64_t count) { return count == 0 ? 0.0 : 1.0 / static_cast<double>(count); }

// One sentence: values (Tk, D) -> out (counts, D).
template <class T>
void average(const T* values, const int64_t* counts, int64_t queries, int64_t width, T* out) {
  std::vector<double> sum(static_cast<size_t>(width), 0.0);
  int64_t added = 0;
  for (int64_t i = 0; i < queries; ++i, out += width) {
    for (; added < counts[i]; ++added) add_row(sum, values + added * width, 1.0);
    write_row(sum, share(counts[i]), out);
  }
}

// d_v_j is the sum over the queries that see key j, the last of them, of d_out over its count.
template <class T>
void average_backward(const T* d_out, const int64_t* counts, int64_t queries, int64_t keys,
                      int64_t width, T* d_values) {
  std::vector<double> sum(static_cast<size_t>(width), 0.0);
  int64_t i = queries;
  for (int64_t j = keys - 1; j >= 0; --j) {
    for (; i > 0 && counts[i - 1] > j; --i)
      add_row(sum, d_out + (i - 1) * width, share(counts[i - 1]));
    write_row(sum, 1.0, d_values + j * width);
  }
}

at::Tensor run(const at::Tensor& values, const std::vector<int64_t>& counts) {
  const int64_t batch = values.size(0), keys = values.size(1), width = values.size(2);
  const int64_t queries = batch == 0 ? 0 : static_cast<int64_t>(counts.size()) / batch;
  at::Tensor out = at::empty({batch, queries, width}, values.options());
  with_type(values, [&]<class T>(T) {
    for (int64_t b = 0; b < batch; ++b)
      average(values.const_data_ptr<T>() + b * keys * width, counts.data() + b * queries, queries,
              width, out.mutable_data_ptr<T>() + b * queries * width);
  });
  return out;
}

struct RunningAverage : torch::autograd::Function<RunningAverage> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& values,
                            const std::vector<int64_t>& counts) {
    context->saved_data["counts"] = counts;
    context->saved_data["keys"] = values.size(1);
    return run(values, counts);
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    refuse_second_derivative("average_pooling");
    const std::vector<int64_t> counts = context->saved_data["counts"].toIntVector();
    const int64_t keys = context->saved_data["keys"].toInt();
    const at::Tensor d_out = gradients[0].contiguous();
    const int64_t batch = d_out.size(0), queries = d_out.size(1), width = d_out.size(2);
    at::Tensor d_values = at::empty({batch, keys, width}, d_out.options());
    with_type(d_out, [&]<class T>(T) {
      for (int64_t b = 0; b < batch; ++b)
        average_backward(d_out.const_data_ptr<T>() + b * queries * width,
                         counts.data() + b * queries, queries, keys, width,
                         d_values.mutable_data_ptr<T>() + b * keys * width);
    });
    return {d_values, at::Tensor()};
  }
};

}  // namespace

at::Tensor running_average(const at::Tensor& values, std::vector<int64_t> counts) {
  const at::Tensor own = values.contiguous();
  if (c10::GradMode::is_enabled() && values.requires_grad())
    return RunningAverage::apply(own, counts);
  return run(own, counts);
}

}  // namespace attend::ops::detail
