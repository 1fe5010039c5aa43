// What ops on kernels share: whom kernels take, and why not.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>

#include "attend/ops/check.h"

namespace attend::ops::detail {

/// Why an op takes its twin where ATTEND_FUSED is 0.
inline constexpr char kTwinAskedFor[] = "ATTEND_FUSED=0 asks for the composed twin";

/// Why kernels do not take these tensors, in words; empty when they do: all are float, or all
/// double, on the CPU (undefined ones do not count), and ATTEND_FUSED is not 0.
std::string declined_by_kernels(TensorRefs tensors);

/// False if a number of one of these, float or double on the CPU, is NaN or infinite; undefined
/// ones do not count.
bool all_finite(TensorRefs tensors);

/// Whether kernels take tensors like this one.
bool takes_steps(const at::Tensor& x);

/// For a gradient written out, which has none itself: throws InvalidArgument when one is asked for.
void refuse_second_derivative(const char* op);

/// body(float{}) or body(double{}), as x has it.
template <class Body>
auto with_type(const at::Tensor& x, const Body& body) {
  return x.scalar_type() == at::kFloat ? body(float{}) : body(double{});
}

/// at::empty() for a kernel to fill. What is large is asked for in large pages: the first touch of
/// many small ones can take longer than the kernel.
at::Tensor fresh(at::IntArrayRef sizes, const at::TensorOptions& options);

/// Where x's numbers begin, as a kernel takes them; null for an undefined tensor.
template <class T>
const T* read(const at::Tensor& x) {
  return x.defined() ? x.const_data_ptr<T>() : nullptr;
}
template <class T>
T* write(const at::Tensor& x) {
  return x.defined() ? x.mutable_data_ptr<T>() : nullptr;
}

}  // namespace attend::ops::detail
