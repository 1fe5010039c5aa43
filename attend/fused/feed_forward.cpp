#include "attend/fused/feed_forward.h"

#include "attend/kernels/activation.h"

namespace attend::fused {

template <class T>
T* FeedForward<T>::forward(const Pass<T>& pass, Rows<const T> x, Rows<T> y) const {
  const Rows<T> inner(pass.take(x.count, inner_.outputs()), x.count, inner_.outputs());
  inner_.forward(pass, x, inner, false, true);
  outer_.forward(pass, inner, y);
  return inner.data;
}

template <class T>
void FeedForward<T>::backward(const Pass<T>& pass, Rows<const T> x, const T* inner,
                              Rows<const T> d_y, Rows<T> d_x, bool add) const {
  const Workspace::Scope scope(pass.work);
  const int64_t width = inner_.outputs();
  outer_.backward_weight(pass, d_y, Rows<const T>(inner, x.count, width));
  const Rows<T> d_inner(pass.take(x.count, width), x.count, width);
  outer_.backward_input(pass, d_y, d_inner);
  kernels::relu_backward(kernels::ReluGradients<T>{inner, d_inner.data, d_inner.data, x.count,
                                                   width, width, width, width});
  inner_.backward_weight(pass, d_inner, x);
  inner_.backward_input(pass, d_inner, d_x, add);
}

template class FeedForward<float>;
template class FeedForward<double>;

}  // namespace attend::fused
