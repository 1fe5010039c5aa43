// The one comparing helper: sizes and dtype first, then the worst element.
//
//   EXPECT_TRUE(close(actual, expected));
#pragma once

#include <ATen/core/Tensor.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "attend/core/shape.h"

namespace attend::testing {

struct Tolerance {
  double relative = 1e-5;
  double absolute = 1e-6;
};

/// What sums of some dozens of products keep in this dtype.
inline Tolerance tolerance_of(at::ScalarType dtype) {
  switch (dtype) {
    case at::kDouble:
      return {1e-10, 1e-12};
    case at::kHalf:
      return {4e-3, 4e-3};
    case at::kBFloat16:
      return {3e-2, 3e-2};
    default:
      return {1e-5, 1e-6};
  }
}

/// "(1, 0, 2)" for the element at this place of the flattened tensor.
inline std::string index_text(int64_t flat, at::IntArrayRef sizes) {
  std::vector<int64_t> index(sizes.size());
  for (size_t i = sizes.size(); i-- > 0;) {
    index[i] = flat % sizes[i];
    flat /= sizes[i];
  }
  return core::shape_text(index);
}

/// |actual - expected| <= absolute + relative |expected| for all elements; NaN equals nothing.
inline ::testing::AssertionResult close(const at::Tensor& actual, const at::Tensor& expected,
                                        Tolerance tolerance) {
  if (!actual.defined() || !expected.defined())
    return ::testing::AssertionFailure()
           << "an undefined tensor (" << actual.defined() << " and " << expected.defined() << ")";
  if (actual.sizes() != expected.sizes())
    return ::testing::AssertionFailure() << "sizes differ: " << core::shape_text(actual.sizes())
                                         << " and " << core::shape_text(expected.sizes());
  if (actual.scalar_type() != expected.scalar_type())
    return ::testing::AssertionFailure()
           << "dtypes differ: " << actual.scalar_type() << " and " << expected.scalar_type();
  const at::Tensor a = actual.detach().to(at::kCPU, at::kDouble).contiguous();
  const at::Tensor e = expected.detach().to(at::kCPU, at::kDouble).contiguous();
  const double *left = a.const_data_ptr<double>(), *right = e.const_data_ptr<double>();
  int64_t worst = -1, failures = 0;
  double worst_excess = 0.0;
  for (int64_t i = 0; i < a.numel(); ++i) {
    if (left[i] == right[i]) continue;
    const double difference = std::abs(left[i] - right[i]);
    const double allowed = tolerance.absolute + tolerance.relative * std::abs(right[i]);
    if (std::isfinite(difference) && difference <= allowed) continue;
    ++failures;
    const double excess = std::isfinite(difference) ? difference / (allowed + 1e-300) : INFINITY;
    if (worst < 0 || excess > worst_excess) worst = i, worst_excess = excess;
  }
  if (failures == 0) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure()
         << failures << " of " << a.numel() << " elements differ, worst at "
         << index_text(worst, a.sizes()) << ": " << left[worst] << " and " << right[worst];
}

inline ::testing::AssertionResult close(const at::Tensor& actual, const at::Tensor& expected) {
  return close(actual, expected,
               tolerance_of(expected.defined() ? expected.scalar_type() : at::kFloat));
}

/// The same bits, NaN aside.
inline ::testing::AssertionResult identical(const at::Tensor& actual, const at::Tensor& expected) {
  return close(actual, expected, {0.0, 0.0});
}

inline bool all_finite(const at::Tensor& x) {
  return x.defined() && x.detach().isfinite().all().item<bool>();
}

/// Runs `code`, expects InvalidArgument, and returns its message ("" if nothing was thrown).
template <class Code>
std::string message_of(const Code& code) {
  try {
    code();
  } catch (const std::exception& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

}  // namespace attend::testing
