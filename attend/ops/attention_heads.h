// Attention on kernels, head by head, on rows as they lie: padded (B, H, T, D) of any strides or
// packed (N, D). Nothing of (Tq, Tk) is kept but weights that are asked for. Private to ops.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "attend/ops/dropout.h"
#include "attend/ops/mask.h"

namespace attend::ops::detail {

struct HeadTensors {
  at::Tensor query;     ///< (B, H, Tq, D), or (Nq, H D)
  at::Tensor key;       ///< (B, G, Tk, D), or (Nk, G D); head h has group h / (H / G)
  at::Tensor value;     ///< (B, G, Tk, Dv), or (Nk, G Dv)
  at::Tensor bias;      ///< (B or 1, H or 1, Tq, Tk), or undefined
  at::Tensor distance;  ///< (H or 1, Tq + Tk - 1), of j - i from 1 - Tq on, or undefined
};

/// What is the same forward and backward.
struct HeadPlan {
  int64_t heads = 1;                                          ///< H
  int64_t key_heads = 1;                                      ///< G
  std::vector<int64_t> query_offsets = {}, key_offsets = {};  ///< of packed rows, (B + 1)
  double scale = 1;
  Mask::Limits limits = {};
  /// The keys that each sentence's queries see at all: rising, a list a sentence; empty = all.
  std::vector<std::vector<int32_t>> seen = {};
  DropoutState dropout = {};
  uint32_t site = 0;
  std::vector<int64_t> sentences = {};  ///< (B) numbers for dropout; empty = 0 .. B-1
};

/// Why kernels do not take these tensors at all; empty when they do.
std::string heads_declined(const HeadTensors& x);

/// Whether all numbers are finite: kernels do not keep others from those who may not see them.
bool heads_finite(const HeadTensors& x);

/// For finite tensors that are not declined: the output, laid out as the query is: (B, H, Tq, Dv)
/// or (Nq, H Dv). If defined, `weights` (B, H, Tq or longest, Tk or longest) of zeros receives the
/// weights before dropout. Differentiable once, but for the weights.
at::Tensor attend_heads(const HeadTensors& x, HeadPlan plan, const at::Tensor& weights = {});

}  // namespace attend::ops::detail
