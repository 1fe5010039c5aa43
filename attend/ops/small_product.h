// Matrix products on raw row-major buffers, as the loops over time steps need them; private to ops.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/ops/from_blob.h>
#include <c10/core/CPUAllocator.h>

#include <cstdint>

#include "attend/kernels/gemm.h"

namespace attend::ops::detail {

enum class Store { kReplace, kAdd };

/// C (m, n) = or += A (m, k) B (k, n), all contiguous. Small ones by our kernel; where B does not
/// stay in the cache, LibTorch's blocked product is faster.
template <class T>
void product(T* c, const T* a, const T* b, int64_t m, int64_t n, int64_t k, Store store) {
  constexpr int64_t kCache = 1 << 20;
  if (k * n * static_cast<int64_t>(sizeof(T)) <= kCache) {
    kernels::gemm(kernels::GemmOperands<T>{a, k, 1, b, n, c, n, m, n, k, store == Store::kAdd});
    return;
  }
  const auto view = [](const T* x, int64_t rows, int64_t columns) {
    return at::from_blob(const_cast<T*>(x), {rows, columns}, c10::CppTypeToScalarType<T>::value);
  };
  at::Tensor out = view(c, m, n);
  out.addmm_(view(a, m, k), view(b, k, n), store == Store::kAdd ? 1 : 0);
}

/// A^T (k, m) B (k, n) of contiguous matrices, (m, n): the gradient of a weight.
template <class T>
at::Tensor transposed_product(const at::Tensor& a, const at::Tensor& b) {
  const int64_t k = a.size(0), m = a.size(1), n = b.size(1);
  if (k * n * static_cast<int64_t>(sizeof(T)) > (8 << 20)) return a.t().mm(b);
  at::Tensor c = at::empty({m, n}, a.options());
  kernels::gemm(kernels::GemmOperands<T>{a.const_data_ptr<T>(), 1, m, b.const_data_ptr<T>(), n,
                                         c.mutable_data_ptr<T>(), n, m, n, k, false});
  return c;
}

}  // namespace attend::ops::detail
