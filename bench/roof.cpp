// attend_bench_roof: what one thread or more of this machine can do at most, measured: fused
// multiply-adds on registers a second, and bytes a second read, copied and added from memory. On
// the instruction set that the kernels use (ATTEND_FORCE_ISA names another).
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "attend/kernels/isa.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/roof.cpp"
// clang-format off: the first compiles this file once a target
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace attend::bench {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// `rounds` times ten multiply-adds that don't wait for each other: enough to fill two units whose
// results take four or five cycles. Returns the floating-point operations, two a multiply-add.
double MultiplyAdds(int64_t rounds, float* result) {
  const hn::ScalableTag<float> d;
  const auto a = hn::Set(d, result[0]);
  const auto b = hn::Set(d, result[1]);
  // Each its own beginning, or a compiler would find them to be one.
  auto s0 = hn::Set(d, result[2]), s1 = hn::Add(s0, b), s2 = hn::Add(s1, b), s3 = hn::Add(s2, b);
  auto s4 = hn::Add(s3, b), s5 = hn::Add(s4, b), s6 = hn::Add(s5, b), s7 = hn::Add(s6, b);
  auto s8 = hn::Add(s7, b), s9 = hn::Add(s8, b);
  for (int64_t i = 0; i < rounds; ++i) {
    s0 = hn::MulAdd(s0, a, b);
    s1 = hn::MulAdd(s1, a, b);
    s2 = hn::MulAdd(s2, a, b);
    s3 = hn::MulAdd(s3, a, b);
    s4 = hn::MulAdd(s4, a, b);
    s5 = hn::MulAdd(s5, a, b);
    s6 = hn::MulAdd(s6, a, b);
    s7 = hn::MulAdd(s7, a, b);
    s8 = hn::MulAdd(s8, a, b);
    s9 = hn::MulAdd(s9, a, b);
  }
  const auto sum = hn::Add(hn::Add(hn::Add(s0, s1), hn::Add(s2, s3)),
                           hn::Add(hn::Add(hn::Add(s4, s5), hn::Add(s6, s7)), hn::Add(s8, s9)));
  result[2] = hn::GetLane(hn::SumOfLanes(d, sum));
  return 20.0 * static_cast<double>(rounds) * static_cast<double>(hn::Lanes(d));
}

// Sum of n numbers; n a multiple of four vectors.
float Read(const float* x, int64_t n) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  auto s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
  for (int64_t i = 0; i < n; i += 4 * lanes) {
    s0 = hn::Add(s0, hn::Load(d, x + i));
    s1 = hn::Add(s1, hn::Load(d, x + i + lanes));
    s2 = hn::Add(s2, hn::Load(d, x + i + 2 * lanes));
    s3 = hn::Add(s3, hn::Load(d, x + i + 3 * lanes));
  }
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(s0, s1), hn::Add(s2, s3))));
}

// z = x + 2 y, as Adam and residual sums go over memory.
void Triad(const float* x, const float* y, float* z, int64_t n) {
  const hn::ScalableTag<float> d;
  const auto two = hn::Set(d, 2.0f);
  for (int64_t i = 0; i < n; i += static_cast<int64_t>(hn::Lanes(d)))
    hn::Store(hn::MulAdd(two, hn::Load(d, y + i), hn::Load(d, x + i)), d, z + i);
}

}  // namespace HWY_NAMESPACE
}  // namespace attend::bench
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attend::bench {
namespace {
HWY_EXPORT(MultiplyAdds);
HWY_EXPORT(Read);
HWY_EXPORT(Triad);

using Clock = std::chrono::steady_clock;

// The most work a second of `threads` that begin together, the best of some windows. `work` is run
// by each thread, and says how much it did.
double best_rate(int threads, double seconds, const std::function<double(int thread)>& work) {
  double best = 0.0;
  for (int window = 0; window < 5; ++window) {
    std::atomic<int> ready = 0;
    std::vector<double> rates(static_cast<size_t>(threads));
    std::vector<std::thread> all;
    for (int t = 0; t < threads; ++t)
      all.emplace_back([&, t] {
        work(t);  // warm
        ++ready;
        while (ready < threads) std::this_thread::yield();
        const auto start = Clock::now();
        double done = 0.0, elapsed = 0.0;
        while (elapsed < seconds / 5) {
          done += work(t);
          elapsed = std::chrono::duration<double>(Clock::now() - start).count();
        }
        rates[static_cast<size_t>(t)] = done / elapsed;
      });
    double sum = 0.0;
    for (std::thread& thread : all) thread.join();
    for (const double rate : rates) sum += rate;
    best = std::max(best, sum);
  }
  return best;
}

// Aligned memory of a thread, touched.
struct Floats {
  explicit Floats(int64_t count) : memory(static_cast<size_t>(count) + 64, 1.0f) {}
  float* begin() {
    const auto past = reinterpret_cast<std::uintptr_t>(memory.data()) % 256;
    return memory.data() + (past == 0 ? 0 : (256 - past) / sizeof(float));
  }
  std::vector<float> memory;
};

double multiply_adds(int threads, double seconds) {
  return best_rate(threads, seconds, [](int) {
    float numbers[3] = {0.999f, 0.001f, 0.0f};
    return HWY_DYNAMIC_DISPATCH(MultiplyAdds)(200000, numbers);
  });
}

// Bytes a second over `bytes` a thread, three arrays: two are read, one is written.
double triad(int threads, double seconds, int64_t bytes) {
  const int64_t count = bytes / 12 / 1024 * 1024;
  std::vector<Floats> x(static_cast<size_t>(threads), Floats(count));
  std::vector<Floats> y = x, z = x;
  return best_rate(threads, seconds, [&](int t) {
    const auto i = static_cast<size_t>(t);
    Floats &a = x[i], &b = y[i], &c = z[i];
    HWY_DYNAMIC_DISPATCH(Triad)(a.begin(), b.begin(), c.begin(), count);
    return 12.0 * static_cast<double>(count);
  });
}

double read(int threads, double seconds, int64_t bytes) {
  const int64_t count = bytes / 4 / 1024 * 1024;
  std::vector<Floats> x(static_cast<size_t>(threads), Floats(count));
  std::vector<float> sums(static_cast<size_t>(threads) * 64);
  return best_rate(threads, seconds, [&](int t) {
    const auto i = static_cast<size_t>(t);
    sums[64 * i] += HWY_DYNAMIC_DISPATCH(Read)(x[i].begin(), count);
    return 4.0 * static_cast<double>(count);
  });
}

constexpr int64_t kLarge = int64_t{1} << 28;  // more than any cache of a core's own

// A line of JSON for each number of threads. "triad_gbs" is by the bytes that a thread goes over.
int run(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 0.5;
  const int most = argc > 2 ? std::atoi(argv[2]) : 2;
  if (!(seconds > 0) || most < 1) {
    std::fprintf(stderr, "attend_bench_roof [SECONDS of each measurement] [MOST THREADS]\n");
    return 2;
  }
  kernels::fused();  // reads ATTEND_FORCE_ISA
  for (int threads = 1; threads <= most; ++threads) {
    std::printf("{\"threads\": %d, \"isa\": \"%s\", \"gflops\": %.1f, \"memory_read_gbs\": %.1f, ",
                threads, kernels::active_isa().c_str(), multiply_adds(threads, seconds) * 1e-9,
                read(threads, seconds, kLarge) * 1e-9);
    std::printf("\"cache_read_gbs\": %.1f, \"triad_gbs\": {",
                read(threads, seconds, 1 << 18) * 1e-9);
    for (const int64_t bytes : {int64_t{1} << 18, int64_t{1} << 22, int64_t{1} << 25, kLarge})
      std::printf("%s\"%lld\": %.1f", bytes == 1 << 18 ? "" : ", ", static_cast<long long>(bytes),
                  triad(threads, seconds, bytes) * 1e-9);
    std::printf("}}\n");
  }
  return 0;
}

}  // namespace
}  // namespace attend::bench

int main(int argc, char** argv) {
  try {
    return attend::bench::run(argc, argv);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
#endif
