#include "attend/training/step_profile.h"

#include <string_view>
#include <utility>

namespace attend::training {

void StepProfile::begin(core::ThreadPool& pool, std::string declined) {
  pool_ = &pool;
  pool.measure();
  threads_ = pool.size();
  declined_ = std::move(declined);
}

core::Profile& StepProfile::shard(int64_t i) {
  if (static_cast<size_t>(i) >= shards_.size()) shards_.resize(static_cast<size_t>(i) + 1);
  return shards_[static_cast<size_t>(i)];
}

StepProfile::Together::Together(StepProfile* profile, const char* zone)
    : profile_(profile), name_(zone), zone_(profile == nullptr ? nullptr : &profile->main_, zone) {
  if (profile_ != nullptr) before_ = profile_->pool_->times();
}

StepProfile::Together::~Together() {
  zone_.end();
  if (profile_ == nullptr) return;
  const core::ThreadPool::Times after = profile_->pool_->times();
  const double runs = after.runs - before_.runs, tasks = after.tasks - before_.tasks;
  profile_->pooled_.runs += runs;
  profile_->pooled_.tasks += tasks;
  // Out with the time in which this thread waited for the pool; in with what all threads did.
  const bool elsewhere = name_ == std::string_view(kShards);  // the shards count it themselves
  profile_->main_.add_seconds(name_, elsewhere ? -runs : tasks - runs);
}

std::vector<StepProfile::Row> StepProfile::rows() const {
  if (steps_ == 0) return {};
  core::Profile all;
  for (const core::Profile::Entry& entry : main_.entries()) {
    if (entry.name != std::string_view(kShards)) {
      all.add(entry);
      continue;
    }
    for (const core::Profile& shard : shards_) all.add(shard);
  }
  const double waiting = (threads_ - 1) * seconds_ + pooled_.runs - pooled_.tasks;
  double rest = threads_ * seconds_ - waiting;
  std::vector<Row> rows;
  for (const core::Profile::Entry& entry : all.entries()) {
    if (entry.name == std::string_view(kStep)) continue;
    rows.push_back({entry.name, entry.seconds, entry.calls, entry.operations});
    rest -= entry.seconds;
  }
  rows.push_back({"waiting", waiting, 0, 0.0});
  rows.push_back({kStep, rest, 0, 0.0});
  return rows;
}

}  // namespace attend::training
