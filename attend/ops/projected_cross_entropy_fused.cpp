#include "attend/ops/projected_cross_entropy_fused.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>

#include <algorithm>

#include "attend/kernels/activation.h"
#include "attend/kernels/cross_entropy.h"
#include "attend/kernels/gemm.h"
#include "attend/ops/fused.h"

namespace attend::ops::detail {
namespace {

// A block of logits stays in the second-level cache while that leaves rows enough for the product
// that adds to the weight's gradient.
int64_t block_rows(int64_t vocabulary) {
  return std::clamp<int64_t>((int64_t{1} << 17) / vocabulary, 192, 4096);
}

// The weight (V, D) in panels, as it is and transposed, and one block of logits.
template <class T>
class Projection {
 public:
  Projection(const at::Tensor& weight, const at::Tensor& bias, int64_t rows, bool learn)
      : vocabulary_(weight.size(0)),
        width_(weight.size(1)),
        bias_(bias.defined() ? bias.contiguous() : bias) {
    const auto numbers = [&](int64_t n) { return at::empty({n}, weight.options()); };
    const T* w = weight.const_data_ptr<T>();
    const int64_t down = weight.stride(0), right = weight.stride(1);
    outwards_ = numbers(kernels::gemm_packed_size<T>(width_, vocabulary_));
    kernels::gemm_pack(
        kernels::GemmPack<T>{w, right, down, width_, vocabulary_, write<T>(outwards_)});
    logits_ = numbers(rows * vocabulary_);
    if (!learn) return;
    back_ = numbers(kernels::gemm_packed_size<T>(vocabulary_, width_));
    kernels::gemm_pack(kernels::GemmPack<T>{w, down, right, vocabulary_, width_, write<T>(back_)});
  }

  T* logits() { return write<T>(logits_); }

  // logits (n, V) = hidden (n, D) W^T + bias
  void forward(const T* hidden, int64_t n) {
    kernels::GemmOperands<T> product{hidden,      width_,   1,           read<T>(outwards_),
                                     0,           logits(), vocabulary_, n,
                                     vocabulary_, width_,   false};
    product.bias = read<T>(bias_);
    product.packed = true;
    kernels::gemm(product);
  }

  // Once the logits are their gradient: d_hidden (n, D), and what rows from `first` on add to that
  // of weight and bias.
  void backward(const ProjectionGradients& d, const T* hidden, int64_t first, int64_t n) {
    kernels::GemmOperands<T> product{
        logits(), vocabulary_, 1,      read<T>(back_), 0,    write<T>(d.hidden) + first * width_,
        width_,   n,           width_, vocabulary_,    false};
    product.packed = true;
    kernels::gemm(product);
    kernels::gemm(kernels::GemmOperands<T>{logits(), 1, vocabulary_, hidden, width_,
                                           write<T>(d.weight), width_, vocabulary_, width_, n,
                                           first > 0});
    if (d.bias.defined())
      kernels::column_sums(
          kernels::ColumnSums<T>{logits(), vocabulary_, write<T>(d.bias), n, vocabulary_});
  }

 private:
  int64_t vocabulary_, width_;
  at::Tensor bias_, outwards_, back_, logits_;
};

template <class T>
double run(const at::Tensor& hidden, const at::Tensor& weight, const at::Tensor& bias,
           const at::Tensor& targets, const ProjectionGradients& d) {
  const int64_t rows = hidden.size(0), vocabulary = weight.size(0);
  const bool learn = d.hidden.defined();
  const int64_t most = std::min(block_rows(vocabulary), rows);
  Projection<T> projection(weight, bias, most, learn);
  double loss = 0;
  for (int64_t first = 0; first < rows; first += most) {
    const int64_t n = std::min(most, rows - first);
    const T* h = read<T>(hidden) + first * hidden.size(1);
    projection.forward(h, n);
    const kernels::CrossEntropyRows<T, int64_t> entropy{
        projection.logits(), vocabulary, targets.const_data_ptr<int64_t>() + first, n,
        vocabulary,          T(1)};
    loss += learn ? kernels::cross_entropy(entropy) : kernels::cross_entropy_loss(entropy);
    if (learn) projection.backward(d, h, first, n);
  }
  return loss;
}

}  // namespace

at::Tensor projected_cross_entropy_fused(const at::Tensor& hidden, const at::Tensor& weight,
                                         const at::Tensor& bias, const at::Tensor& targets,
                                         const ProjectionGradients& d) {
  const double loss = targets.numel() == 0 ? 0.0 : with_type(hidden, [&]<class T>(T) {
    return run<T>(hidden, weight, bias, targets, d);
  });
  return at::full({}, loss, hidden.options());
}

}  // namespace attend::ops::detail
