// Where a thread's time goes, by named zone.
//
//   core::Profile profile;
//   core::Profile::Zone zone(&profile, "encoder forward");
//   ...
//   zone.next("decoder forward");
//   ...
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>
#include <vector>

namespace attend::core {

/// For one thread at a time. Zones nest; the time of an inner one does not count for the outer.
class Profile {
 public:
  struct Entry {
    const char* name;
    int64_t calls = 0;
    double seconds = 0.0;
    double operations = 0.0;  ///< of floating-point, where they are counted
  };

  /// Counts the time from here to the end of the scope. With a null profile nothing happens.
  class Zone {
   public:
    /// `name` has to stay: a literal.
    Zone(Profile* profile, const char* name) : profile_(profile) {
      if (profile_ != nullptr) outer_ = profile_->enter(name);
    }
    ~Zone() { end(); }
    Zone(const Zone&) = delete;
    Zone& operator=(const Zone&) = delete;

    /// Ends this zone and begins another one in its place.
    void next(const char* name) {
      if (profile_ != nullptr) profile_->enter(name);
    }
    void end() {
      if (profile_ != nullptr) profile_->leave(outer_);
      profile_ = nullptr;
    }

   private:
    Profile* profile_;
    int outer_ = kNone;
  };

  /// Adds to the innermost zone; nothing outside of all.
  void add_operations(double operations) {
    if (current_ != kNone) entries_[static_cast<size_t>(current_)].operations += operations;
  }
  /// Adds seconds (also negative ones) to a zone, which is made if there is none of that name.
  void add_seconds(const char* name, double seconds);
  /// Adds to the zone of that name.
  void add(const Entry& entry);
  /// Adds all zones of another profile.
  void add(const Profile& other);

  /// In the order in which they were first entered. Those that are open lack their present visit.
  const std::vector<Entry>& entries() const { return entries_; }
  /// The entry of that name, or null.
  const Entry* find(std::string_view name) const;

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr int kNone = -1;

  int enter(const char* name);  // returns the zone that it interrupts
  void leave(int outer);
  void count_until_now();
  int place(const char* name);

  std::vector<Entry> entries_;
  int current_ = kNone;
  Clock::time_point since_;
};

}  // namespace attend::core
