// A small pool of threads that sleep on a condition variable: no spinning, since machines are
// shared.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace attend::core {

/// Runs n independent tasks on a fixed number of threads. The caller's thread is one of them, so
/// ThreadPool(1) starts none and runs everything in place.
class ThreadPool {
 public:
  /// `threads` >= 1. `on_start` runs once in each worker thread (not in the caller's), for example
  /// to set LibTorch to one thread there. What it throws, the next run() throws. Throws
  /// InvalidArgument (no thread asked for) or std::system_error (the system gives none).
  explicit ThreadPool(int threads, std::function<void()> on_start = {});
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int size() const { return static_cast<int>(workers_.size()) + 1; }

  /// Calls task(0) ... task(n - 1), each once, in any order and on any thread, and returns when all
  /// are done, also when some of them throw; the first exception (by task number) is thrown again
  /// here. From a task or from two threads at once it throws InvalidArgument.
  void run(int64_t n, const std::function<void(int64_t)>& task);

  /// Seconds since measure(): of run(), and of tasks, the latter summed over all threads.
  struct Times {
    double runs = 0.0;
    double tasks = 0.0;
  };
  /// From now on times are taken. Not while a run goes on.
  void measure() { measured_ = true; }
  Times times() const { return times_; }

 private:
  void start_worker();
  void stop_workers();
  void work();
  void take_tasks(std::unique_lock<std::mutex>& lock);

  std::vector<std::thread> workers_;
  std::function<void()> on_start_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable finished_;
  const std::function<void(int64_t)>* task_ = nullptr;
  int64_t next_ = 0;
  int64_t count_ = 0;
  int64_t running_ = 0;
  std::vector<std::pair<int64_t, std::exception_ptr>> failures_;
  std::exception_ptr start_failure_;
  bool stop_ = false;
  bool measured_ = false;
  Times times_;
};

}  // namespace attend::core
