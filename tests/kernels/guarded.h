// Memory for kernels under test.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <type_traits>
#include <vector>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, size) (static_cast<void>(0))
#define ASAN_UNPOISON_MEMORY_REGION(address, size) (static_cast<void>(0))
#endif

namespace attend::kernels {

// n numbers at an odd address, between guards that have to survive; under the address sanitizer
// reading them is an error too.
template <class T>
class Guarded {
 public:
  explicit Guarded(int64_t n, double start = 0, double scale = 1) : n_(n) {
    values_.assign(static_cast<size_t>(n) + 2 * kGuard, T(kMark));
    for (int64_t i = 0; i < n; ++i) data()[i] = static_cast<T>(scale * std::cos(start + i));
    ASAN_POISON_MEMORY_REGION(values_.data(), kGuard * sizeof(T));
    ASAN_POISON_MEMORY_REGION(data() + n_, kGuard * sizeof(T));
  }
  ~Guarded() {
    ASAN_UNPOISON_MEMORY_REGION(values_.data(), values_.size() * sizeof(T));
    for (int64_t i = 0; i < kGuard; ++i) {
      EXPECT_EQ(values_[static_cast<size_t>(i)], T(kMark)) << "written before the buffer";
      EXPECT_EQ(data()[n_ + i], T(kMark)) << "written behind the buffer";
    }
  }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;
  T* data() { return values_.data() + kGuard; }
  operator T*() { return data(); }  // NOLINT(google-explicit-constructor): a buffer is a pointer
  T& operator[](int64_t i) { return data()[i]; }

 private:
  static constexpr int64_t kGuard = 17;
  static constexpr double kMark = 7777;
  int64_t n_;
  std::vector<T> values_;
};

template <class T>
double tolerance() {
  return std::is_same_v<T, float> ? 2e-6 : 1e-14;
}

}  // namespace attend::kernels
