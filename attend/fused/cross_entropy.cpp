#include "attend/fused/cross_entropy.h"

#include <algorithm>

#include "attend/kernels/cross_entropy.h"

namespace attend::fused {
namespace {

// A block of logits stays in the second-level cache while that leaves rows enough for the product
// that adds to the weight's gradient.
int64_t block_rows(int64_t vocabulary) {
  return std::clamp<int64_t>((int64_t{1} << 17) / vocabulary, 192, 4096);
}

}  // namespace

template <class T>
double projected_cross_entropy(const Pass<T>& pass, const Linear<T>& output,
                               std::type_identity_t<Rows<const T>> hidden, const int32_t* targets,
                               std::type_identity_t<Rows<T>> d_hidden) {
  const Workspace::Scope scope(pass.work);
  const int64_t vocabulary = output.outputs();
  const int64_t most = std::min(block_rows(vocabulary), hidden.count);
  T* memory = pass.take(most, vocabulary);
  double loss = 0;
  for (int64_t first = 0; first < hidden.count; first += most) {
    const int64_t n = std::min(most, hidden.count - first);
    const Rows<const T> in(hidden.row(first), n, hidden.width, hidden.stride);
    const Rows<T> logits(memory, n, vocabulary);
    output.forward(pass, in, logits);
    const kernels::CrossEntropyRows<T, int32_t> entropy{memory, vocabulary, targets + first, n,
                                                        vocabulary};
    if (pass.gradients == nullptr) {
      loss += kernels::cross_entropy_loss(entropy);
      continue;
    }
    loss += kernels::cross_entropy(entropy);
    output.backward_weight(pass, logits, in, first > 0);
    output.backward_input(pass, logits,
                          Rows<T>(d_hidden.row(first), n, d_hidden.width, d_hidden.stride));
  }
  return loss;
}

template double projected_cross_entropy(const Pass<float>&, const Linear<float>&, Rows<const float>,
                                        const int32_t*, Rows<float>);
template double projected_cross_entropy(const Pass<double>&, const Linear<double>&,
                                        Rows<const double>, const int32_t*, Rows<double>);

}  // namespace attend::fused
