#include "attend/fused/linear.h"

#include <algorithm>

#include "attend/kernels/activation.h"
#include "attend/kernels/gemm.h"

namespace attend::fused {

template <class T>
void Linear<T>::forward(const Pass<T>& pass, Rows<const T> x, Rows<T> y, bool add,
                        bool relu) const {
  pass.count_product(x.count, inputs(), outputs());
  kernels::GemmOperands<T> p{x.data,    x.stride, 1,        pass.panels[panel_],
                             0,         y.data,   y.stride, x.count,
                             outputs(), inputs(), add};
  p.packed = true;
  p.relu = relu;
  if (!add && bias_ != kNone) p.bias = pass.parameters + bias_;
  kernels::gemm(p);
}

template <class T>
void Linear<T>::forward_some(const Pass<T>& pass, Rows<const T> x, int64_t first, Rows<T> y) const {
  kernels::GemmOperands<T> p{x.data,  x.stride, 1,        pass.panels[panel_] + first * inputs(),
                             0,       y.data,   y.stride, x.count,
                             y.width, inputs(), false};
  p.packed = true;
  if (bias_ != kNone) p.bias = pass.parameters + bias_ + first;
  kernels::gemm(p);
}

template <class T>
void Linear<T>::backward_input(const Pass<T>& pass, Rows<const T> d_y, Rows<T> d_x,
                               bool add) const {
  pass.count_product(d_y.count, outputs(), inputs());
  kernels::gemm(kernels::GemmOperands<T>{d_y.data, d_y.stride, 1, pass.parameters + weight_.offset,
                                         weight_.stride, d_x.data, d_x.stride, d_y.count, inputs(),
                                         outputs(), add});
}

template <class T>
void Linear<T>::backward_weight(const Pass<T>& pass, Rows<const T> d_y, Rows<const T> x,
                                bool add) const {
  pass.count_product(outputs(), d_y.count, inputs());
  kernels::gemm(kernels::GemmOperands<T>{d_y.data, 1, d_y.stride, x.data, x.stride,
                                         pass.gradients + weight_.offset, weight_.stride, outputs(),
                                         inputs(), d_y.count, add});
  if (bias_ != kNone) sum_rows(d_y, pass.gradients + bias_, add);
}

template <class T>
void sum_rows(Rows<const T> x, T* sums, bool add) {
  if (!add) std::fill_n(sums, x.width, T(0));
  kernels::column_sums(kernels::ColumnSums<T>{x.data, x.stride, sums, x.count, x.width});
}

template class Linear<float>;
template class Linear<double>;
template void sum_rows(Rows<const float> x, float* sums, bool add);
template void sum_rows(Rows<const double> x, double* sums, bool add);

}  // namespace attend::fused
