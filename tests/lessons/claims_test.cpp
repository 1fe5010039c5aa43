// What the lessons without a translator claim, read from what they show.
#include <ATen/TensorOperators.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "attend/lessons/measure.h"
#include "tests/lessons/run_lesson.h"

namespace attend::lessons {
namespace {

using testing::all_of;
using testing::line;
using testing::ran;
using testing::step_of;

TEST(Claims, AdditiveScoresHideWhatIsPaddingAndTakeUnequalSizes) {
  const Notebook book = ran(6, {"query_size=7", "key_size=3", "hidden=5"});
  const auto map = all_of<MapFigure>(book).at(0).map.panels.at(0);
  for (size_t row = 0; row < 2; ++row) {
    double sum = 0;
    for (size_t key = 0; key < 10; ++key) {
      const float weight = map.weights[row * 10 + key];
      EXPECT_EQ(weight > 0, key < (row == 0 ? 2u : 6u));
      sum += weight;
    }
    EXPECT_NEAR(sum, 1, 1e-6);
  }
  const auto parameters = all_of<Table>(book).at(0).rows;
  int64_t count = 0;
  for (const auto& row : parameters) count += std::stoll(row[2]);
  EXPECT_EQ(count, 5 * (7 + 3 + 1));
}

TEST(Claims, TheScaleKeepsVarianceAndGradient) {
  const auto curves = all_of<CurveFigure>(ran(7));
  ASSERT_EQ(curves.size(), 3u);
  const auto& raw = line(curves[0].curves, "q·k");
  const auto& scaled = line(curves[0].curves, "q·k / sqrt(d)");
  const auto& d = curves[0].curves.series[0].x;
  for (size_t i = 0; i < d.size(); ++i) {
    EXPECT_NEAR(raw[i] / d[i], 1, 0.15);
    EXPECT_NEAR(scaled[i], 1, 0.15);
  }
  EXPECT_GT(line(curves[1].curves, "q·k").back(), 0.95);
  EXPECT_LT(line(curves[1].curves, "q·k / sqrt(d)").back(), 0.5);
  const auto& vanishing = line(curves[2].curves, "q·k");
  const auto& kept = line(curves[2].curves, "q·k / sqrt(d)");
  EXPECT_LT(vanishing.back(), vanishing.front() / 5);
  EXPECT_NEAR(kept.back() / kept.front(), 1, 0.3);
}

TEST(Claims, PathsAreAsLongAsTheFormulasSay) {
  const Notebook book = ran(11, {"length=64", "width=8", "kernel=5"});
  const auto rows = all_of<Table>(book).at(0).rows;
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0][4], "1");
  EXPECT_EQ(rows[1][4], "6");  // 2 (12 - 1) / (5 - 1), rounded up
  EXPECT_EQ(rows[2][4], "12");
  for (const auto& row : rows) EXPECT_TRUE(std::isfinite(std::stod(row.at(8))));
}

TEST(Claims, AttentionIsBlindToOrderWithoutPositions) {
  const Notebook book = ran(12);
  const auto rows = all_of<Table>(book).at(0).rows;
  EXPECT_LT(std::stod(rows[0][1]), 1e-12);
  EXPECT_GT(std::stod(rows[1][1]), 1e-3);
  EXPECT_GT(std::stod(rows[2][1]), 1e-3);
  EXPECT_LT(step_of(book, "R(shift)").values.at(0), 1e-12);
}

TEST(Claims, TheLayerIsWhatWasDoneByHand) {
  for (const char* heads : {"1", "2", "4"})
    for (const char* causal : {"true", "false"}) {
      const Notebook book =
          ran(13, {std::string("heads=") + heads, std::string("causal=") + causal});
      EXPECT_LT(step_of(book, "MultiHeadAttention").values.at(0), 1e-12);
      const auto weights = step_of(book, "weights =").values;
      if (std::string(causal) == "true") {
        EXPECT_EQ(weights.at(1), 0);
      }
      EXPECT_NEAR(weights[0] + weights[1] + weights[2], 1, 1e-12);
    }
}

TEST(Claims, LayerNormDoesNotSeePaddingAndBatchNormDoes) {
  const auto curves = all_of<CurveFigure>(ran(14)).at(0).curves;
  for (const double change : line(curves, "LayerNorm")) EXPECT_EQ(change, 0);
  EXPECT_GT(line(curves, "BatchNorm").back(), 0.1);
}

TEST(Claims, AttentionsGradientDoesNotFallWithDistanceAndTheRnnsDoes) {
  const auto curves = all_of<CurveFigure>(ran(16)).at(0).curves;
  const auto far_by_near = [&](const std::string& name) {
    return line(curves, name).back() / line(curves, name).front();
  };
  EXPECT_GT(far_by_near("attention"), 0.3);
  EXPECT_LT(far_by_near("attention"), 3);
  EXPECT_LT(far_by_near("RNN"), 1e-4);
  EXPECT_LT(far_by_near("GRU"), 1e-3);
  const auto keeping = all_of<CurveFigure>(ran(16, {"gate_bias=8"})).at(0).curves;
  EXPECT_GT(line(keeping, "LSTM").back(), 10 * line(curves, "LSTM").back());
  const auto exploding = all_of<CurveFigure>(ran(16, {"gain=3"})).at(0).curves;
  EXPECT_GT(line(exploding, "RNN").back(), line(curves, "RNN").back());
}

TEST(Claims, HardAttentionLearnsFromRewards) {
  const auto curves = all_of<CurveFigure>(ran(17)).at(0).curves;
  for (const char* way : {"soft", "hard"})
    EXPECT_LT(line(curves, way).back(), line(curves, way).front() / 3) << way;
}

TEST(Claims, LessonsAreTheSameEachTime) {
  for (const int number : {6, 7, 12, 14, 16, 17}) {
    const auto first = all_of<CurveFigure>(ran(number)), again = all_of<CurveFigure>(ran(number));
    ASSERT_EQ(first.size(), again.size());
    for (size_t i = 0; i < first.size(); ++i)
      for (size_t s = 0; s < first[i].curves.series.size(); ++s)
        EXPECT_EQ(first[i].curves.series[s].y, again[i].curves.series[s].y) << number;
  }
}

TEST(Measure, GradientsOfTheSumAndZerosWhereNoneArrives) {
  const at::Tensor x = at::ones({3}, at::kDouble).requires_grad_();
  const at::Tensor y = at::ones({2}, at::kDouble).requires_grad_();
  const auto found = gradients(x * x, {x, y});
  EXPECT_TRUE(found[0].equal(at::ones({3}, at::kDouble) * 2));
  EXPECT_TRUE(found[1].equal(at::zeros({2}, at::kDouble)));
}

TEST(Measure, BytesThatLiveAtOnce) {
  const int64_t bytes = peak_tensor_bytes([] {
    {
      const at::Tensor a = at::zeros({1000}, at::kDouble), b = at::zeros({500}, at::kDouble);
    }
    const at::Tensor c = at::zeros({1200}, at::kDouble);
  });
  EXPECT_GE(bytes, 12000);
  EXPECT_LT(bytes, 13000);
}

TEST(Measure, PowerOfGrowth) {
  const auto curves = measured_curves(
      "n", "y", {"square", "flat"}, {2, 4, 8},
      [](size_t line, int64_t n) { return line == 0 ? static_cast<double>(3 * n * n) : 5; });
  EXPECT_NEAR(growth_power(curves.series[0]), 2, 1e-12);
  EXPECT_NEAR(growth_power(curves.series[1]), 0, 1e-12);
}

}  // namespace
}  // namespace attend::lessons
