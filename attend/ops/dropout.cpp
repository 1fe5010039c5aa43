#include "attend/ops/dropout.h"

#include <ATen/ops/empty.h>
#include <c10/core/GradMode.h>

#include <limits>
#include <string>

#include "attend/core/errors.h"
#include "attend/core/random.h"
#include "attend/ops/check.h"
#include "attend/ops/dropout_fill.h"

namespace attend::ops {
namespace {

void check_probability(double p) {
  if (!(p >= 0.0 && p < 1.0))
    throw InvalidArgument("[dropout] expected a probability in [0, 1), found " + std::to_string(p));
}

std::vector<uint32_t> row_keys(const DropoutState& state, uint32_t site,
                               const std::vector<int64_t>& rows) {
  std::vector<uint32_t> keys(rows.size());
  for (size_t i = 0; i < rows.size(); ++i)
    keys[i] = core::dropout_row_key(state.seed, state.step, site, static_cast<uint64_t>(rows[i]));
  return keys;
}

}  // namespace

at::Tensor dropout_mask(const DropoutState& state, uint32_t site, const std::vector<int64_t>& rows,
                        int64_t columns, const at::TensorOptions& options) {
  check_probability(state.probability);
  if (columns < 0 || columns > std::numeric_limits<uint32_t>::max())
    throw InvalidArgument("[dropout] expected a number of columns in [0, 2^32), found " +
                          std::to_string(columns));
  c10::NoGradGuard no_grad;
  const at::ScalarType dtype = c10::typeMetaToScalarType(options.dtype());
  const bool twice = dtype == at::kDouble;
  const auto n = static_cast<int64_t>(rows.size());
  at::Tensor mask = at::empty({n, columns}, twice ? at::kDouble : at::kFloat);
  const std::vector<uint32_t> keys = row_keys(state, site, rows);
  const uint32_t threshold = core::dropout_threshold(state.probability);
  const double kept = 1.0 / (1.0 - state.probability);
  if (twice)
    detail::fill_dropout_mask(mask.data_ptr<double>(), keys.data(), n, columns, threshold, kept);
  else
    detail::fill_dropout_mask(mask.data_ptr<float>(), keys.data(), n, columns, threshold,
                              static_cast<float>(kept));
  return mask.to(options.device(), dtype);
}

at::Tensor dropout(const at::Tensor& x, const DropoutState& state, uint32_t site,
                   const std::vector<int64_t>& rows) {
  check_floating("dropout", {x});
  check_probability(state.probability);
  if (!state.active()) return x;  // a caller need not number rows then
  const auto n = static_cast<int64_t>(rows.size());
  if (x.dim() < 1 || x.size(0) != n)
    refuse("dropout", "x of (" + std::to_string(n) + ", ...), as many as there are row numbers",
           {x});
  if (x.numel() == 0) return x;
  return x.mul(dropout_mask(state, site, rows, x.numel() / n, x.options()).view(x.sizes()));
}

}  // namespace attend::ops
