#include "attend/core/thread_pool.h"

#include <algorithm>

#include "attend/core/errors.h"

namespace attend::core {

ThreadPool::ThreadPool(int threads, std::function<void()> on_start)
    : on_start_(std::move(on_start)) {
  if (threads < 1)
    throw InvalidArgument("[thread_pool] expected at least 1 thread, found " +
                          std::to_string(threads));
  for (int i = 1; i < threads; ++i) workers_.emplace_back([this] { work(); });
}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  for (auto& worker : workers_) worker.join();
}

void ThreadPool::run(int64_t n, const std::function<void(int64_t)>& task) {
  if (n <= 0) return;
  std::unique_lock<std::mutex> lock(mutex_);
  task_ = &task;
  next_ = 0;
  count_ = n;
  failures_.clear();
  if (n > 1) wake_.notify_all();
  take_tasks(lock);
  finished_.wait(lock, [this] { return running_ == 0 && next_ >= count_; });
  task_ = nullptr;
  count_ = 0;
  if (!failures_.empty()) {
    const auto first = std::min_element(failures_.begin(), failures_.end(),
                                        [](auto& a, auto& b) { return a.first < b.first; });
    const std::exception_ptr error = first->second;
    failures_.clear();
    std::rethrow_exception(error);
  }
}

void ThreadPool::work() {
  if (on_start_) on_start_();
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return stop_ || next_ < count_; });
    if (stop_) return;
    take_tasks(lock);
    if (running_ == 0) finished_.notify_all();
  }
}

void ThreadPool::take_tasks(std::unique_lock<std::mutex>& lock) {
  while (next_ < count_) {
    const int64_t i = next_++;
    const auto& task = *task_;
    ++running_;
    lock.unlock();
    std::exception_ptr error;
    try {
      task(i);
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    --running_;
    if (error) failures_.emplace_back(i, error);
  }
}

}  // namespace attend::core
