#include "attend/attention/rotary.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/stack.h>

#include <cmath>
#include <string>

#include "attend/core/errors.h"
#include "attend/ops/check.h"

namespace attend {
namespace {

struct Turns {
  at::Tensor cosine;  // (T, D / 2)
  at::Tensor sine;
};

Turns turns_of(int64_t first, int64_t length, int64_t width, double base,
               const at::TensorOptions& tensor) {
  const int64_t half = width / 2;
  at::Tensor cosine = at::empty({length, half}, at::kDouble);
  at::Tensor sine = at::empty({length, half}, at::kDouble);
  double *c = cosine.data_ptr<double>(), *s = sine.data_ptr<double>();
  for (int64_t i = 0; i < half; ++i) {
    const double step = std::pow(base, -2.0 * static_cast<double>(i) / static_cast<double>(width));
    for (int64_t t = 0; t < length; ++t) {
      const double angle = static_cast<double>(first + t) * step;
      c[t * half + i] = std::cos(angle);
      s[t * half + i] = std::sin(angle);
    }
  }
  return {cosine.to(tensor), sine.to(tensor)};
}

}  // namespace

at::Tensor rotary(const at::Tensor& x, int64_t first, const RotaryOptions& options) {
  ops::check_floating("rotary", {x});
  if (x.dim() < 2) ops::refuse("rotary", "(..., T, D)", {x});
  if (!(options.base > 0.0))
    throw InvalidArgument("[rotary] expected a base above 0, found " +
                          std::to_string(options.base));
  const int64_t width = x.size(-1), half = width / 2;
  if (half == 0) return x;
  const Turns turns = turns_of(first, x.size(-2), width, options.base, x.options());
  const bool interleaved = options.layout == RotaryLayout::kInterleaved;
  const at::Tensor a = interleaved ? x.slice(-1, 0, 2 * half, 2) : x.narrow(-1, 0, half);
  const at::Tensor b = interleaved ? x.slice(-1, 1, 2 * half, 2) : x.narrow(-1, half, half);
  const at::Tensor p = a * turns.cosine - b * turns.sine;  // (..., T, D / 2)
  const at::Tensor q = a * turns.sine + b * turns.cosine;
  const at::Tensor turned =
      interleaved ? at::stack({p, q}, -1).flatten(-2) : at::cat({p, q}, -1);  // (..., T, D)
  if (2 * half == width) return turned;
  return at::cat({turned, x.narrow(-1, width - 1, 1)}, -1);
}

}  // namespace attend
