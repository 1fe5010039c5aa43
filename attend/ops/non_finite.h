// Keeps NaN and infinity where a mask hides them. A product with a hidden row would spread them,
// since 0 * NaN is NaN: such rows are zeroed before use, and queries that may see them become NaN
// at the end. To the backward pass that NaN is a constant, so it spoils no gradient of another
// query.
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

/// Which queries are to become NaN: those that may see a bad key, and bad ones that may see
/// anything. `bad_queries` (..., Tq, 1) and `bad_keys` (..., Tk, 1) may be undefined; `hidden` is
/// bool, as in masked_softmax -> bool (..., Tq, 1), undefined when there are none.
at::Tensor spoiled_queries(const at::Tensor& bad_queries, const at::Tensor& bad_keys,
                           const at::Tensor& hidden);

/// x (..., Tq, D) with NaN in those rows; x itself when `rows` is undefined.
at::Tensor spoil(const at::Tensor& x, const at::Tensor& rows);

/// map(x) for a map that takes each row of x (..., T, D) on its own, as a linear map does. Rows
/// that are not finite are zero to it, so that they spoil no gradient of its parameters, and NaN in
/// the result, where a mask may yet hide them.
template <class Map>
at::Tensor map_rows(const at::Tensor& x, const Map& map) {
  const FiniteRows rows = finite_rows(x);
  return spoil(map(rows.value), rows.bad);
}

}  // namespace attend::ops
