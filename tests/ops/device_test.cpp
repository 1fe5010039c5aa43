// Devices by name, and threads that each run LibTorch on one thread.
#include "attend/ops/device.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <gmock/gmock.h>

#include <atomic>

#include "attend/core/errors.h"
#include "attend/ops/torch_threads.h"
#include "tests/support/compare.h"

namespace attend::ops {
namespace {

using ::attend::testing::message_of;
using ::testing::HasSubstr;

TEST(ChooseDevice, KnowsTheNames) {
  EXPECT_TRUE(choose_device("cpu").is_cpu());
  const c10::Device best = choose_device("auto");
  EXPECT_EQ(best.is_cpu(), !at::hasCUDA() && !at::hasMPS());
  if (at::hasCUDA()) {
    EXPECT_TRUE(choose_device("cuda").is_cuda());
    EXPECT_EQ(choose_device("cuda:0").index(), 0);
    EXPECT_THAT(message_of([] { choose_device("cuda:99"); }), HasSubstr("cuda:99 is not there"));
  }
}

TEST(ChooseDevice, RefusesOtherNames) {
  for (const char* name : {"", "gpu", "CPU", "cpu:0", "cudax", "mps:0"})
    EXPECT_THAT(message_of([&] { choose_device(name); }), HasSubstr("found \"" + std::string(name)))
        << name;
  for (const char* name : {"cuda:", "cuda:x", "cuda:-1", "cuda:1x", "cuda:9999999999"})
    EXPECT_THAT(message_of([&] { choose_device(name); }), HasSubstr("a number after cuda:"))
        << name;
  EXPECT_THROW(choose_device("gpu"), InvalidArgument);
}

TEST(ChooseDevice, SaysWhatIsThereInstead) {
  if (!at::hasCUDA()) {
    EXPECT_THAT(message_of([] { choose_device("cuda"); }), HasSubstr("has the CPU"));
    EXPECT_THAT(message_of([] { choose_device("cuda:1"); }), HasSubstr("cuda:1 is not there"));
  }
  if (!at::hasMPS()) {
    EXPECT_THAT(message_of([] { choose_device("mps"); }), HasSubstr("mps is not there"));
  }
}

TEST(TorchThreads, KeepLibTorchToOneThreadWhileTheyLive) {
  const int before = at::get_num_threads();
  at::set_num_threads(2);
  {
    TorchThreads threads(3);
    EXPECT_EQ(threads.pool().size(), 3);
    std::atomic<int> with_one{0};
    threads.pool().run(30, [&](int64_t) { with_one += at::get_num_threads() == 1; });
    EXPECT_EQ(with_one.load(), 30);
  }
  EXPECT_EQ(at::get_num_threads(), 2);
  at::set_num_threads(before);
}

}  // namespace
}  // namespace attend::ops
