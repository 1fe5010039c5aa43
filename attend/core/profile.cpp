#include "attend/core/profile.h"

namespace attend::core {

int Profile::place(const char* name) {
  for (size_t i = 0; i < entries_.size(); ++i)
    if (std::string_view(entries_[i].name) == name) return static_cast<int>(i);
  entries_.push_back({name});
  return static_cast<int>(entries_.size()) - 1;
}

void Profile::count_until_now() {
  const Clock::time_point now = Clock::now();
  if (current_ != kNone)
    entries_[static_cast<size_t>(current_)].seconds +=
        std::chrono::duration<double>(now - since_).count();
  since_ = now;
}

int Profile::enter(const char* name) {
  count_until_now();
  const int outer = current_;
  current_ = place(name);
  ++entries_[static_cast<size_t>(current_)].calls;
  return outer;
}

void Profile::leave(int outer) {
  count_until_now();
  current_ = outer;
}

void Profile::add_seconds(const char* name, double seconds) {
  entries_[static_cast<size_t>(place(name))].seconds += seconds;
}

void Profile::add(const Entry& entry) {
  Entry& to = entries_[static_cast<size_t>(place(entry.name))];
  to.calls += entry.calls;
  to.seconds += entry.seconds;
  to.operations += entry.operations;
}

void Profile::add(const Profile& other) {
  for (const Entry& entry : other.entries_) add(entry);
}

const Profile::Entry* Profile::find(std::string_view name) const {
  for (const Entry& entry : entries_)
    if (name == entry.name) return &entry;
  return nullptr;
}

}  // namespace attend::core
