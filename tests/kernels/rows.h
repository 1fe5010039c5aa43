// What tests of kernels on rows share.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "attend/core/random.h"
#include "tests/kernels/guarded.h"

namespace attend::kernels {

using Doubles = std::vector<double>;

inline constexpr int64_t kWidths[] = {1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 64, 70, 129};
inline constexpr double kProbability = 0.3;

inline std::vector<uint32_t> row_keys(int64_t rows) {
  std::vector<uint32_t> keys;
  for (int64_t i = 0; i <= rows; ++i)
    keys.push_back(core::dropout_row_key(7, 3, 2, static_cast<uint64_t>(i)));
  return keys;
}

// What the scalar function of core says.
inline double multiplier(uint32_t key, int64_t column) {
  const uint32_t threshold = core::dropout_threshold(kProbability);
  return core::dropout_keeps(key, static_cast<uint32_t>(column), threshold) ? 1 / (1 - kProbability)
                                                                            : 0;
}

template <class T>
T kept() {
  return static_cast<T>(1 / (1 - kProbability));
}

template <class T>
std::vector<T> copy(Guarded<T>& x, int64_t n) {
  return std::vector<T>(x.data(), x.data() + n);
}

template <class T>
class Near {
 public:
  explicit Near(double factor) : tolerance_(factor * tolerance<T>()) {}
  void operator()(double found, double expected, const char* what, int64_t at) const {
    ASSERT_NEAR(found, expected, tolerance_ * (1 + std::abs(expected))) << what << " " << at;
  }

 private:
  double tolerance_;
};

}  // namespace attend::kernels
