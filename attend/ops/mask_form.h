// What a mask of booleans says in a form that kernels can skip by. Private to ops.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace attend::ops::detail {

/// Of all that is hidden one of these is defined, or none where nothing is.
struct HiddenForm {
  at::Tensor lengths;  ///< (B, 1 or Tq) int64: each query sees its first keys and no others
  /// The keys that a sentence's queries see, all the same ones in all heads: rising, a list a
  /// sentence.
  std::vector<std::vector<int32_t>> seen;
  at::Tensor hidden;  ///< as it came, but for dimensions along which it only repeats
};

/// `hidden` (B or 1, H or 1, Tq or 1, Tk) of bool, true = hidden; on another device than the CPU it
/// stays as it is.
HiddenForm form_of(const at::Tensor& hidden, int64_t batch);

}  // namespace attend::ops::detail
