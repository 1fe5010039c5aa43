// Keeps NaN and infinity where a mask hides them. A product with a hidden row would spread them,
// since 0 * NaN is NaN: such rows are zeroed before use, and what may see them is set to NaN
// afterwards.
#pragma once

#include <ATen/core/Tensor.h>

namespace attend::ops {

struct FiniteRows {
  at::Tensor value;  ///< x with its rows that are not finite set to zero
  at::Tensor bad;    ///< bool (..., T, 1), which rows those were; undefined when there are none
};

/// x (..., T, D). On the CPU a sum tells whether there is anything to do; elsewhere that would
/// stall the device, so the work is always done.
FiniteRows finite_rows(const at::Tensor& x);

/// scores (..., Tq, Tk) with NaN wherever the query's or the key's row was bad.
at::Tensor restore_in_scores(const at::Tensor& scores, const at::Tensor& bad_queries,
                             const at::Tensor& bad_keys);

/// output (..., Tq, Dv) with NaN for queries that may see a bad value; `hidden` as in
/// masked_softmax.
at::Tensor restore_in_output(const at::Tensor& output, const at::Tensor& bad_values,
                             const at::Tensor& hidden);

}  // namespace attend::ops
