// What every pass of one shard through a model shares. Passes work on raw row-major memory: a
// forward pass fills what it is given and keeps what its backward pass needs in the workspace; a
// backward pass writes the gradients of its parameters into the shard's flat buffer.
#pragma once

#include <cstdint>
#include <vector>

#include "attend/core/profile.h"
#include "attend/core/random.h"
#include "attend/fused/panels.h"
#include "attend/fused/workspace.h"
#include "attend/kernels/dropout.h"

namespace attend::fused {

/// T is float or double.
template <class T>
struct Pass {
  const T* parameters;      ///< flat, in the order of the model's ParameterStore
  const Panels<T>& panels;  ///< of the weights
  /// Flat, like `parameters`: each pass sets or adds to its own part. Null: none are asked for.
  T* gradients;
  Workspace& work;
  core::DropoutState dropout;
  core::Profile* profile = nullptr;  ///< where its time is counted; null: nowhere
  bool learns = true;                ///< whether a backward pass follows

  T* take(int64_t rows, int64_t columns) const { return work.take<T>(rows * columns); }
  T* zeros(int64_t rows, int64_t columns) const { return work.zeros<T>(rows * columns); }

  /// Counts the operations of a matrix product (n, k) times (k, m).
  void count_product(int64_t n, int64_t k, int64_t m) const {
    if (profile != nullptr)
      profile->add_operations(2.0 * static_cast<double>(n) * static_cast<double>(k) *
                              static_cast<double>(m));
  }
};

/// A pass that no backward one follows, as decoding has it.
template <class T>
Pass<T> reading_pass(const T* parameters, const Panels<T>& panels, Workspace& work) {
  return {parameters, panels, nullptr, work, {}, nullptr, false};
}

/// Rows of a dropout site: their keys, or null when dropout is off. Numbers as in
/// data::Batch::source_rows.
template <class T>
const uint32_t* dropout_keys(const Pass<T>& pass, uint32_t site,
                             const std::vector<int64_t>& numbers) {
  if (!pass.dropout.active()) return nullptr;
  const auto n = static_cast<int64_t>(numbers.size());
  auto* keys = pass.work.template take<uint32_t>(n);
  const uint64_t prefix = core::combine(core::combine(pass.dropout.seed, pass.dropout.step), site);
  kernels::dropout_row_keys(prefix, numbers.data(), n, keys);
  return keys;
}

}  // namespace attend::fused
