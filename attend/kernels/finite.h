// Whether numbers are finite.
#pragma once

#include <cstdint>

namespace attend::kernels {

/// False if one of the n numbers is NaN or infinite.
bool all_finite(const float* x, int64_t n);
bool all_finite(const double* x, int64_t n);

}  // namespace attend::kernels
