// Where the time of a run's steps goes: the zones of all threads, and the time in which threads had
// nothing to do.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "attend/core/profile.h"
#include "attend/core/thread_pool.h"

namespace attend::training {

/// Filled by train(), through TrainerOptions::profile.
class StepProfile {
 public:
  struct Row {
    std::string zone;
    double seconds = 0.0;     ///< of all threads together
    int64_t calls = 0;        ///< 0: not counted
    double operations = 0.0;  ///< of matrix products; 0: not counted
  };

  StepProfile() = default;
  StepProfile(const StepProfile&) = delete;
  StepProfile& operator=(const StepProfile&) = delete;

  /// In the order of a step, then "waiting" and "the rest". Their seconds add up to threads() *
  /// seconds(). Empty before the first step.
  std::vector<Row> rows() const;

  int threads() const { return threads_; }
  int64_t steps() const { return steps_; }
  /// Of the steps, without validation and saving.
  double seconds() const { return seconds_; }
  /// Why the steps ran on autograd; "" when they ran on kernels.
  const std::string& declined() const { return declined_; }

  // ----- for what takes the steps -----
  /// The pool has to stay while steps are taken.
  void begin(core::ThreadPool& pool, std::string declined);
  void add_step(double seconds) { ++steps_, seconds_ += seconds; }
  /// Of the thread that takes the steps.
  core::Profile& main() { return main_; }
  /// Of shard i, whichever thread it runs on. Not to be called from two threads at once.
  core::Profile& shard(int64_t i);

  /// A zone of main() in which the pool works: it has the time of all threads. With a null profile
  /// nothing happens.
  class Together {
   public:
    Together(StepProfile* profile, const char* zone);
    ~Together();
    Together(const Together&) = delete;
    Together& operator=(const Together&) = delete;

   private:
    StepProfile* profile_;
    const char* name_;
    core::ThreadPool::Times before_;
    core::Profile::Zone zone_;
  };

  // Zones of steps.
  static constexpr const char* kStep = "the rest";
  static constexpr const char* kBatches = "batches";
  static constexpr const char* kPacking = "packing weights";
  static constexpr const char* kShards = "shards";  ///< rows() has the shards' own zones instead
  static constexpr const char* kSum = "sum of gradients";
  static constexpr const char* kAdam = "Adam";

 private:
  core::ThreadPool* pool_ = nullptr;
  core::ThreadPool::Times pooled_;
  core::Profile main_;
  std::deque<core::Profile> shards_;
  int threads_ = 0;
  int64_t steps_ = 0;
  double seconds_ = 0.0;
  std::string declined_;
};

}  // namespace attend::training
