// The kernels of decoding against their formulas in double, at odd sizes, on every ISA.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "attend/kernels/attention_look.h"
#include "attend/kernels/likeliest.h"
#include "tests/kernels/every_isa.h"
#include "tests/kernels/guarded.h"

namespace attend::kernels {
namespace {

class LikeliestKernel : public EveryIsa {};

std::vector<Likeliest> find(const std::vector<std::vector<float>>& rows, int64_t block) {
  const auto columns = static_cast<int64_t>(rows.front().size());
  std::vector<Likeliest> found(rows.size());
  for (int64_t first = 0; first < columns; first += block) {
    const int64_t n = std::min(block, columns - first);
    Guarded<float> logits(static_cast<int64_t>(rows.size()) * n);
    for (size_t i = 0; i < rows.size(); ++i)
      std::copy_n(rows[i].begin() + first, n, logits.data() + static_cast<int64_t>(i) * n);
    likeliest(LikeliestRows{logits, n, static_cast<int64_t>(rows.size()), n, first, found.data()});
  }
  return found;
}

void check_likeliest(int64_t columns, int64_t block, double scale) {
  std::vector<std::vector<float>> rows;
  for (int64_t i = 0; i < 3; ++i) {
    rows.emplace_back();
    for (int64_t j = 0; j < columns; ++j)
      rows.back().push_back(
          static_cast<float>(scale * std::cos(1.3 * static_cast<double>(i * columns + j))));
  }
  const std::vector<Likeliest> found = find(rows, block);
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto greatest = std::max_element(rows[i].begin(), rows[i].end());
    double sum = 0;
    for (const float x : rows[i]) sum += std::exp(double{x} - double{*greatest});
    EXPECT_EQ(found[i].column, greatest - rows[i].begin());
    EXPECT_EQ(found[i].greatest, *greatest);
    EXPECT_NEAR(found[i].sum, sum, tolerance<float>() * sum) << columns << " by " << block;
  }
}

TEST_P(LikeliestKernel, FindsTheFirstGreatestAndTheSum) {
  for (const int64_t columns : {1, 2, 7, 16, 33, 201, 1030})
    for (const int64_t block : {5, 64, 2000}) {
      check_likeliest(columns, block, 3);
      check_likeliest(columns, block, 200);
    }
}

TEST_P(LikeliestKernel, TakesTheFirstOfEqualOnes) {
  std::vector<float> row(70, -1.0F);
  row[21] = row[22] = row[40] = row[69] = 2.0F;
  for (const int64_t block : {8, 22, 100}) EXPECT_EQ(find({row}, block)[0].column, 21);
}

TEST_P(LikeliestKernel, PassesOverMinusInfinityAndKeepsNaN) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  std::vector<float> row(40, -kInfinity);
  row[33] = -100.0F;
  for (const int64_t block : {16, 100}) {
    const Likeliest found = find({row}, block)[0];
    EXPECT_EQ(found.column, 33);
    EXPECT_EQ(found.sum, 1.0);
  }
  row[2] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(std::isnan(find({row}, 100)[0].sum));
  EXPECT_TRUE(std::isnan(find({std::vector<float>(20, row[2])}, 7)[0].sum));
}

INSTANTIATE_TEST_SUITE_P(Isa, LikeliestKernel, isas(), isa_name);

class AttentionLookKernel : public EveryIsa {};

void check_look(const std::vector<int64_t>& counts, int64_t heads, int64_t width) {
  const int64_t features = heads * width, n = static_cast<int64_t>(counts.size());
  const int64_t stride = look_keys(*std::max_element(counts.begin(), counts.end()));
  const int64_t query_stride = 3 * features, value_stride = 2 * features;
  Guarded<float> query(n * query_stride, 1), keys(n * features * stride, 2),
      values(n * stride * value_stride, 3), weights(n * heads * stride), out(n * features);
  std::vector<LookMemory> memory;
  for (int64_t i = 0; i < n; ++i) {
    float* own = keys.data() + i * features * stride;
    const int64_t count = counts[static_cast<size_t>(i)];
    for (int64_t t = count; t < stride; ++t)  // what is no key must not be seen
      for (int64_t j = 0; j < features; ++j)
        own[look_key(t, features) + j * kLookBlock] = std::numeric_limits<float>::quiet_NaN();
    memory.push_back({own, values.data() + i * stride * value_stride, value_stride, count});
  }
  attention_look(AttentionLookRows{query, query_stride, memory.data(), n, heads, width, 0.7F,
                                   weights, stride, out});
  for (int64_t i = 0; i < n; ++i)
    for (int64_t h = 0; h < heads; ++h) {
      const LookMemory& m = memory[static_cast<size_t>(i)];
      std::vector<double> w;
      double sum = 0;
      for (int64_t t = 0; t < m.count; ++t) {
        double score = 0;
        for (int64_t j = h * width; j < (h + 1) * width; ++j)
          score += double{query[i * query_stride + j]} *
                   double{m.keys[look_key(t, features) + j * kLookBlock]};
        w.push_back(std::exp(0.7 * score));
        sum += w.back();
      }
      for (int64_t t = 0; t < m.count; ++t)
        ASSERT_NEAR(weights[(i * heads + h) * stride + t], w[static_cast<size_t>(t)] / sum,
                    tolerance<float>());
      for (int64_t j = h * width; j < (h + 1) * width; ++j) {
        double expected = 0;
        for (int64_t t = 0; t < m.count; ++t)
          expected += w[static_cast<size_t>(t)] / sum * double{m.values[t * value_stride + j]};
        ASSERT_NEAR(out[i * features + j], expected, 2 * tolerance<float>())
            << heads << " heads of " << width << ", row " << i;
      }
    }
}

TEST_P(AttentionLookKernel, AgreesWithTheFormula) {
  for (const int64_t heads : {1, 3, 4})
    for (const int64_t width : {1, 2, 3, 8, 19, 32})
      check_look({1, 0, 5, 16, 17, 40}, heads, width);
  check_look({1030}, 2, 8);
}

INSTANTIATE_TEST_SUITE_P(Isa, AttentionLookKernel, isas(), isa_name);

}  // namespace
}  // namespace attend::kernels
