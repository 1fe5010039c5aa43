// The output projection and its cross-entropy, forward and backward at once, in blocks of rows: the
// logits of a batch are never stored whole.
#pragma once

#include <type_traits>

#include "attend/fused/linear.h"

namespace attend::fused {

/// Returns sum_n -log softmax(W hidden_n + b)[target_n]; hidden (N, D), targets (N). Sets d_hidden
/// (N, D) and, in the gradient buffer, those of W and b; with the pass's `gradients` null the loss
/// is all.
template <class T>
double projected_cross_entropy(const Pass<T>& pass, const Linear<T>& output,
                               std::type_identity_t<Rows<const T>> hidden, const int32_t* targets,
                               std::type_identity_t<Rows<T>> d_hidden);

}  // namespace attend::fused
