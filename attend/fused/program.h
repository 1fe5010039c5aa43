// A model's training step, written out: loss and all gradients of a shard, without LibTorch.
#pragma once

#include <cstdint>
#include <vector>

#include "attend/core/profile.h"
#include "attend/core/random.h"
#include "attend/data/batch.h"

namespace attend::fused {

/// T is float or double.
template <class T>
class Program {
 public:
  virtual ~Program() = default;

  /// Before the first step and after each update of the flat parameters: copies weights into the
  /// form that products want. `parameters` has to stay; `shards` may run afterwards.
  virtual void prepare(const T* parameters, int64_t shards) = 0;

  /// The summed loss of shard number `shard` (each has memory of its own, so that different ones
  /// may run at once). Sets all of `gradients`, flat like the parameters. The batch has at least
  /// one target token.
  virtual double run(int64_t shard, const data::Batch& batch, const core::DropoutState& dropout,
                     T* gradients) = 0;

  /// Where shard number `shard` counts its time from now on; null: nowhere, as at first.
  void profile(int64_t shard, core::Profile* profile) {
    const auto s = static_cast<size_t>(shard);
    if (s >= profiles_.size()) profiles_.resize(s + 1, nullptr);
    profiles_[s] = profile;
  }

 protected:
  core::Profile* profile_of(int64_t shard) const {
    const auto s = static_cast<size_t>(shard);
    return s < profiles_.size() ? profiles_[s] : nullptr;
  }

 private:
  std::vector<core::Profile*> profiles_;
};

}  // namespace attend::fused
