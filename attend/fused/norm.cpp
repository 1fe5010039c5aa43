#include "attend/fused/norm.h"

#include <algorithm>

#include "attend/kernels/residual_norm.h"

namespace attend::fused {
namespace {

constexpr double kEpsilon = 1e-5;

}  // namespace

template <class T>
typename Norm<T>::Trace Norm<T>::forward(const Pass<T>& pass, int64_t n, const T* x, const T* s,
                                         const uint32_t* keys, T* y) const {
  const double p = pass.dropout.probability;
  const Trace trace{pass.take(n, place_.width), pass.take(n, 1)};
  kernels::residual_norm(kernels::ResidualNormRows<T>{
      x, s, keys, core::dropout_threshold(p), static_cast<T>(1.0 / (1.0 - p)),
      pass.parameters + place_.gain, pass.parameters + place_.bias, static_cast<T>(kEpsilon), y,
      trace.normalised, trace.inverse_sigma, n, place_.width});
  return trace;
}

template <class T>
void Norm<T>::backward(const Pass<T>& pass, int64_t n, const Trace& trace, const T* d_y,
                       const T* d_sum, T* d_x, T* d_s, const uint32_t* keys) const {
  const double p = pass.dropout.probability;
  T *d_gain = pass.gradients + place_.gain, *d_bias = pass.gradients + place_.bias;
  std::fill_n(d_gain, place_.width, T(0));
  std::fill_n(d_bias, place_.width, T(0));
  kernels::residual_norm_backward(kernels::ResidualNormGradients<T>{
      trace.normalised, trace.inverse_sigma, pass.parameters + place_.gain, keys,
      core::dropout_threshold(p), static_cast<T>(1.0 / (1.0 - p)), d_y, d_sum, d_x, d_s, d_gain,
      d_bias, n, place_.width});
}

template class Norm<float>;
template class Norm<double>;

}  // namespace attend::fused
