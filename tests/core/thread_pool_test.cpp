#include "attend/core/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "attend/core/errors.h"

namespace attend::core {
namespace {

TEST(ThreadPool, RunsEachTaskOnce) {
  for (const int threads : {1, 2, 3, 8}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.size(), threads);
    for (const int64_t n : {0, 1, 2, 7, 1000}) {
      std::vector<std::atomic<int>> calls(static_cast<size_t>(n));
      pool.run(n, [&](int64_t i) { ++calls[static_cast<size_t>(i)]; });
      for (const auto& count : calls) EXPECT_EQ(count, 1);
    }
  }
}

TEST(ThreadPool, OneThreadRunsInPlace) {
  ThreadPool pool(1, [] { FAIL() << "there is no worker"; });
  const auto caller = std::this_thread::get_id();
  pool.run(5, [&](int64_t) { EXPECT_EQ(std::this_thread::get_id(), caller); });
}

TEST(ThreadPool, ManyShortRuns) {
  ThreadPool pool(4);
  std::atomic<int64_t> sum = 0;
  for (int run = 0; run < 5000; ++run) {
    pool.run(run % 6, [&](int64_t i) { sum += i + 1; });
  }
  int64_t expected = 0;
  for (int run = 0; run < 5000; ++run) expected += (run % 6) * (run % 6 + 1) / 2;
  EXPECT_EQ(sum, expected);
}

double sum_of_shard(int64_t shard) {
  double sum = 0.0;
  for (int i = 0; i < 1000; ++i) sum += 1.0 / static_cast<double>(shard + i + 1);
  return sum;
}

// Each thread waits in its first task until all of them have one, so that none can do all the work.
TEST(ThreadPool, ResultsByShardDoNotHangOnTheThreads) {
  constexpr int64_t kShards = 16;
  double expected = 0.0, reversed = 0.0;
  for (int64_t shard = 0; shard < kShards; ++shard) expected += sum_of_shard(shard);
  for (int64_t shard = kShards - 1; shard >= 0; --shard) reversed += sum_of_shard(shard);
  ASSERT_NE(expected, reversed) << "sums in another order would go unnoticed";
  for (const int threads : {1, 2, 3, 5}) {
    ThreadPool pool(threads);
    std::mutex mutex;
    std::condition_variable all_there;
    std::set<std::thread::id> seen;
    std::vector<double> sums(kShards, 0.0);
    pool.run(kShards, [&](int64_t shard) {
      std::unique_lock<std::mutex> lock(mutex);
      if (seen.insert(std::this_thread::get_id()).second) {
        all_there.notify_all();
        all_there.wait_for(lock, std::chrono::seconds(20),
                           [&] { return seen.size() == static_cast<size_t>(threads); });
      }
      lock.unlock();
      sums[static_cast<size_t>(shard)] += sum_of_shard(shard);
    });
    EXPECT_EQ(seen.size(), static_cast<size_t>(threads));
    double total = 0.0;
    for (const double sum : sums) total += sum;
    EXPECT_EQ(total, expected) << threads << " threads";
  }
}

TEST(ThreadPool, ThrowsTheFirstExceptionByNumberAfterAllAreDone) {
  for (const int threads : {1, 4}) {
    ThreadPool pool(threads);
    for (int repeat = 0; repeat < 50; ++repeat) {
      std::atomic<int> done = 0;
      try {
        pool.run(20, [&](int64_t i) {
          ++done;
          if (i % 7 == 3) throw InvalidArgument(std::to_string(i));
        });
        FAIL();
      } catch (const InvalidArgument& error) {
        EXPECT_STREQ(error.what(), "3");
      }
      EXPECT_EQ(done, 20);
      pool.run(3, [&](int64_t) { ++done; });  // usable afterwards
      EXPECT_EQ(done, 23);
    }
  }
}

TEST(ThreadPool, StartsEachWorkerOnce) {
  std::atomic<int> started = 0;
  {
    ThreadPool pool(4, [&] { ++started; });
  }
  EXPECT_EQ(started, 3);
}

TEST(ThreadPool, WhatTheStartThrowsTheNextRunThrows) {
  ThreadPool pool(2, [] { throw InvalidArgument("no start"); });
  bool thrown = false;
  while (!thrown) {  // the worker starts when it likes
    try {
      pool.run(1, [](int64_t) {});
      std::this_thread::yield();
    } catch (const InvalidArgument& error) {
      EXPECT_STREQ(error.what(), "no start");
      thrown = true;
    }
  }
  pool.run(4, [](int64_t) {});
}

TEST(ThreadPool, RefusesMisuse) {
  EXPECT_THROW(ThreadPool(0), InvalidArgument);
  EXPECT_THROW(ThreadPool(-3), InvalidArgument);
  ThreadPool pool(2);
  EXPECT_THROW(pool.run(2, [&](int64_t) { pool.run(1, [](int64_t) {}); }), InvalidArgument);
  std::atomic<int> done = 0;
  pool.run(-1, [&](int64_t) { ++done; });
  pool.run(2, [&](int64_t) { ++done; });
  EXPECT_EQ(done, 2);
}

}  // namespace
}  // namespace attend::core
