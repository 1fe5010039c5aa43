// A model's training step, written out: loss and all gradients of a shard, without LibTorch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "attend/core/profile.h"
#include "attend/core/random.h"
#include "attend/data/batch.h"
#include "attend/fused/pass.h"

namespace attend::fused {

/// T is float or double.
template <class T>
class Program {
 public:
  virtual ~Program() = default;

  /// Before the first step and after each update of the flat parameters: copies weights into the
  /// form that products want, on the threads of `pool` unless null. `parameters` has to stay;
  /// `shards` may run afterwards.
  virtual void prepare(const T* parameters, int64_t shards, core::ThreadPool* pool = nullptr) = 0;

  /// The summed loss of shard number `shard` (each has memory of its own, so that different ones
  /// may run at once). Sets all of `gradients`, flat like the parameters; with null the loss is
  /// all, and nothing is kept that only a backward pass would read. The batch has at least one
  /// target token.
  virtual double run(int64_t shard, const data::Batch& batch, const core::DropoutState& dropout,
                     T* gradients) = 0;

  /// The bytes that the shards' passes have taken so far, and keep for the next ones.
  virtual size_t bytes() const = 0;

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

/// A program whose weights have panels and whose shards keep a Shard each, for its memory alone. A
/// Shard has a Workspace, `work`.
template <class T, class Shard>
class ShardedProgram : public Program<T> {
 public:
  void prepare(const T* parameters, int64_t shards, core::ThreadPool* pool) override {
    parameters_ = parameters;
    panels_.pack(parameters, pool);
    if (shards_.size() < static_cast<size_t>(shards)) shards_.resize(static_cast<size_t>(shards));
  }

  size_t bytes() const override {
    size_t sum = 0;
    for (const Shard& shard : shards_) sum += shard.work.bytes();
    return sum;
  }

 protected:
  Shard& shard(int64_t number) { return shards_[static_cast<size_t>(number)]; }

  /// The pass of a run. What the shard's workspace held is free again.
  Pass<T> begin(int64_t number, const core::DropoutState& dropout, T* gradients) {
    Workspace& work = shard(number).work;
    work.reset();
    return {parameters_,         panels_, gradients, work, dropout, this->profile_of(number),
            gradients != nullptr};
  }

  Panels<T> panels_;  ///< the program's layers register theirs as it is made

 private:
  const T* parameters_ = nullptr;
  std::vector<Shard> shards_;
};

}  // namespace attend::fused
