#include "attend/layers/sinusoidal.h"

#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>

#include "attend/core/errors.h"

namespace attend {
namespace {

double frequency(int64_t i, int64_t width, SinusoidalOptions::Exponent exponent) {
  const double pairs = static_cast<double>(width / 2);
  const double power = exponent == SinusoidalOptions::Exponent::kWidth
                           ? 2.0 * static_cast<double>(i) / static_cast<double>(width)
                           : static_cast<double>(i) / std::max(pairs - 1.0, 1.0);
  return std::pow(10000.0, -power);
}

// Computed in double, then rounded once to the wanted dtype.
at::Tensor table_of(int64_t first, int64_t count, int64_t width, const SinusoidalOptions& options,
                    const at::TensorOptions& tensor) {
  return sinusoidal_positions(first, count, width, options, at::kDouble).to(tensor);
}

}  // namespace

at::Tensor sinusoidal_positions(int64_t first, int64_t count, int64_t width,
                                const SinusoidalOptions& options, at::ScalarType dtype) {
  if (first < 0 || count < 0 || width < 1)
    throw InvalidArgument(
        "[sinusoidal_positions] expected first >= 0, count >= 0 and width >= 1, found " +
        std::to_string(first) + ", " + std::to_string(count) + " and " + std::to_string(width));
  at::Tensor table = at::zeros({count, width}, at::kDouble);
  double* out = table.data_ptr<double>();
  const bool interleaved = options.layout == SinusoidalOptions::Layout::kInterleaved;
  const int64_t half = width / 2;
  for (int64_t i = 0; i < half + (interleaved ? width % 2 : 0); ++i) {
    const double step = frequency(i, width, options.exponent);
    const int64_t sine = interleaved ? 2 * i : i;
    const int64_t cosine = interleaved ? 2 * i + 1 : half + i;
    for (int64_t t = 0; t < count; ++t) {
      const double angle = static_cast<double>(first + t + options.offset) * step;
      out[t * width + sine] = std::sin(angle);
      if (cosine < width) out[t * width + cosine] = std::cos(angle);
    }
  }
  return table.to(dtype);
}

PositionTable::PositionTable(int64_t width, const SinusoidalOptions& options,
                             const at::TensorOptions& tensor)
    : width_(width), options_(options), table_(table_of(0, 256, width, options, tensor)) {}

at::Tensor PositionTable::rows(int64_t first, int64_t count) const {
  if (first >= 0 && count >= 0 && first + count <= table_.size(0))
    return table_.narrow(0, first, count);
  return table_of(first, count, width_, options_, table_.options());
}

}  // namespace attend
