#include "attend/core/thread_pool.h"

#include <algorithm>
#include <chrono>

#include "attend/core/errors.h"

namespace attend::core {
namespace {

using Clock = std::chrono::steady_clock;

Clock::time_point now_if(bool measured) { return measured ? Clock::now() : Clock::time_point(); }

void add_time(bool measured, Clock::time_point begin, double& seconds) {
  if (measured) seconds += std::chrono::duration<double>(Clock::now() - begin).count();
}

}  // namespace

ThreadPool::ThreadPool(int threads, std::function<void()> on_start)
    : on_start_(std::move(on_start)) {
  if (threads < 1) {
    throw InvalidArgument("[thread_pool] expected at least 1 thread, found " +
                          std::to_string(threads));
  }
  workers_.reserve(static_cast<size_t>(threads) - 1);
  try {
    for (int i = 1; i < threads; ++i) workers_.emplace_back([this] { start_worker(); });
  } catch (...) {
    stop_workers();  // else those that did start would end the process as they are destroyed
    throw;
  }
}

ThreadPool::~ThreadPool() { stop_workers(); }

void ThreadPool::stop_workers() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  for (auto& worker : workers_) worker.join();
}

void ThreadPool::run(int64_t n, const std::function<void(int64_t)>& task) {
  std::unique_lock<std::mutex> lock(mutex_);
  if (task_) throw InvalidArgument("[thread_pool] run() was called while a run goes on");
  if (start_failure_) std::rethrow_exception(std::exchange(start_failure_, nullptr));
  if (n <= 0) return;
  const Clock::time_point begin = now_if(measured_);
  task_ = &task;
  next_ = 0;
  count_ = n;
  if (n > 1) wake_.notify_all();
  take_tasks(lock);
  finished_.wait(lock, [this] { return running_ == 0; });
  task_ = nullptr;
  count_ = 0;
  add_time(measured_, begin, times_.runs);
  const auto failures = std::exchange(failures_, {});
  lock.unlock();
  if (failures.empty()) return;
  const auto first = std::min_element(failures.begin(), failures.end(),
                                      [](auto& a, auto& b) { return a.first < b.first; });
  std::rethrow_exception(first->second);
}

void ThreadPool::start_worker() {
  try {
    if (on_start_) on_start_();
  } catch (...) {
    std::lock_guard<std::mutex> lock(mutex_);
    start_failure_ = std::current_exception();
  }
  work();
}

void ThreadPool::work() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return stop_ || next_ < count_; });
    if (stop_) return;
    take_tasks(lock);
    if (running_ == 0) finished_.notify_all();
  }
}

// Takes one task after another; the lock is held on entry and return, not during a task.
void ThreadPool::take_tasks(std::unique_lock<std::mutex>& lock) {
  while (next_ < count_) {
    const int64_t i = next_++;
    const auto& task = *task_;
    ++running_;
    lock.unlock();
    std::exception_ptr error;
    const Clock::time_point begin = now_if(measured_);
    try {
      task(i);
    } catch (...) {
      error = std::current_exception();
    }
    double seconds = 0.0;
    add_time(measured_, begin, seconds);
    lock.lock();
    times_.tasks += seconds;
    --running_;
    if (error) failures_.emplace_back(i, error);
  }
}

}  // namespace attend::core
