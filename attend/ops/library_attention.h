// Scaled dot-product attention by LibTorch's own, for the devices that kernels are not for. It
// gives NaN or an average to a query that sees nothing, and lets NaN under a mask through: what it
// is given, and what is taken from it, keeps the contract of scaled_dot_product_attention().
// Private to ops.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>

#include "attend/ops/attention.h"
#include "attend/ops/attention_heads.h"

namespace attend::ops::detail {

/// Why LibTorch's attention is not taken for these, in words; empty when it is: on CUDA, softmax
/// without weights and dropout, none of them empty. Not on MPS, where it was wrong in silence for
/// heads that are views of rows, for masks repeated over heads and for Dv != D in many versions.
std::string library_declined(const HeadTensors& x, double scale, const AttentionOptions& options);

/// For padded heads that are not declined, on any device: the output (B, H, Tq, Dv). Without a
/// bias, a mask that hides nothing is none to LibTorch, and one that hides from each query the
/// later keys is its is_causal, where Tq = Tk: so its flash kernels, which take no others, may run.
/// All others become a tensor, bias included, (B or 1, H or 1, Tq, Tk). Whether there is a second
/// derivative hangs on the kernel that LibTorch takes; where there is none, it throws when one is
/// asked for.
at::Tensor library_attention(const HeadTensors& x, const Mask& mask, double scale);

}  // namespace attend::ops::detail
