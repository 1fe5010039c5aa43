#include "attend/ops/gru_steps.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>

#include <utility>

#include "attend/kernels/gru.h"
#include "attend/ops/small_product.h"

namespace attend::ops::detail {

template <class T>
GruForward<T>::GruForward(const at::Tensor& hidden_weight, const at::Tensor& hidden_bias,
                          const at::Tensor& initial, const std::vector<int64_t>& live)
    : live_(live),
      weight_t_(hidden_weight.t().contiguous()),
      bias_(hidden_bias.contiguous()),
      state_(initial.clone(at::MemoryFormat::Contiguous)) {
  int64_t rows = 0;
  for (const int64_t n : live) rows += n;
  const int64_t width = state_.size(1);
  const auto buffer = [&](int64_t count, int64_t columns) {
    return at::empty({count, columns}, state_.options());
  };
  rows_ = buffer(rows, width);
  products_ = buffer(state_.size(0), 3 * width);
  trace_ = {buffer(rows, width), buffer(rows, 2 * width), buffer(rows, width), buffer(rows, width)};
}

template <class T>
void GruForward<T>::step(const T* input_gates) {
  const int64_t n = live_[next_++], width = state_.size(1);
  product(row<T>(products_, 0), row<T>(state_, 0), weight_t_.const_data_ptr<T>(), n, 3 * width,
          width, Store::kReplace);
  kernels::gru_forward(kernels::GruForwardRows<T>{
      input_gates, row<T>(products_, 0), bias_.const_data_ptr<T>(), row<T>(state_, 0),
      row<T>(rows_, row_), row<T>(trace_.previous, row_), row<T>(trace_.gates, row_),
      row<T>(trace_.recurrent, row_), row<T>(trace_.candidate, row_), n, width});
  row_ += n;
}

template <class T>
GruBackward<T>::GruBackward(const at::Tensor& hidden_weight, GruTrace trace,
                            const at::Tensor& d_state, const std::vector<int64_t>& live)
    : live_(live),
      weight_(hidden_weight.contiguous()),
      trace_(std::move(trace)),
      d_state_(d_state),
      left_(live.size()) {
  row_ = trace_.previous.size(0);
  d_input_ = at::empty({row_, weight_.size(0)}, d_state.options());
  d_hidden_ = at::empty_like(d_input_);
}

template <class T>
const T* GruBackward<T>::step() {
  const int64_t n = live_[--left_], width = d_state_.size(1);
  row_ -= n;
  kernels::gru_backward(kernels::GruBackwardRows<T>{
      row<T>(trace_.previous, row_), row<T>(trace_.gates, row_), row<T>(trace_.recurrent, row_),
      row<T>(trace_.candidate, row_), row<T>(d_state_, 0), row<T>(d_input_, row_),
      row<T>(d_hidden_, row_), n, width});
  product(row<T>(d_state_, 0), row<T>(d_hidden_, row_), weight_.const_data_ptr<T>(), n, width,
          3 * width, Store::kAdd);
  return row<T>(d_input_, row_);
}

template <class T>
at::Tensor GruBackward<T>::d_hidden_weight() const {
  return transposed_product<T>(d_hidden_, trace_.previous);
}

template <class T>
at::Tensor GruBackward<T>::d_hidden_bias() const {
  return d_hidden_.sum(0);
}

template class GruForward<float>;
template class GruForward<double>;
template class GruBackward<float>;
template class GruBackward<double>;

}  // namespace attend::ops::detail
