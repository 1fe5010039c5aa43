// Dropout of the rows of a pass.
#pragma once

#include <type_traits>

#include "attend/fused/linear.h"
#include "attend/kernels/dropout.h"

namespace attend::fused {

/// y = m x, or y = x's gradient from m y's: the same function. With keys null y has to be x, and
/// nothing happens.
template <class T>
void drop_rows(const Pass<T>& pass, const uint32_t* keys, std::type_identity_t<Rows<const T>> x,
               std::type_identity_t<Rows<T>> y) {
  if (keys == nullptr) return;
  const double p = pass.dropout.probability;
  kernels::dropout(kernels::DropoutRows<T>{x.data, y.data, keys, x.count, x.width, x.stride,
                                           y.stride, core::dropout_threshold(p),
                                           static_cast<T>(1.0 / (1.0 - p))});
}

}  // namespace attend::fused
