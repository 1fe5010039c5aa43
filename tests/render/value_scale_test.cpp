#include "attend/render/value_scale.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "attend/render/ticks.h"
#include "tests/render/maps.h"

namespace attend::render {
namespace {

using testing::ElementsAre;
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

AttentionMap map_of(std::vector<float> weights) {
  AttentionMap map;
  MapPanel panel;
  panel.rows = {"r"};
  panel.columns = test::numbered("c", static_cast<int>(weights.size()));
  panel.weights = std::move(weights);
  map.panels.push_back(panel);
  return map;
}

struct Case {
  std::vector<float> weights;
  Scaling scaling;
  double low, high;
};

TEST(ValueScale, Range) {
  const Case cases[] = {
      {{0.1f, 0.2f}, Scaling::kUnit, 0, 1},    {{0.1f, 0.25f}, Scaling::kMaximum, 0, 0.25},
      {{0.f, 1.00001f}, Scaling::kUnit, 0, 1},  // a sum's rounding is no other range
      {{0.f, 4.f}, Scaling::kUnit, 0, 4},       // no weights: the scale follows
      {{-2.f, 4.f}, Scaling::kUnit, -2, 4},    {{kNaN, kInfinity, 0.5f}, Scaling::kMaximum, 0, 0.5},
      {{kNaN}, Scaling::kMaximum, 0, 1},       {{}, Scaling::kUnit, 0, 1},
      {{0.f}, Scaling::kMaximum, 0, 1},        {{-3.f}, Scaling::kUnit, -3, -2},
  };
  for (const Case& c : cases) {
    const ValueScale scale = ValueScale::of(map_of(c.weights), c.scaling);
    EXPECT_DOUBLE_EQ(scale.low, c.low) << testing::PrintToString(c.weights);
    EXPECT_DOUBLE_EQ(scale.high, c.high) << testing::PrintToString(c.weights);
  }
}

TEST(FormatWeight, SignsHaveAColumnOfTheirOwn) {
  for (const auto& [value, text] : std::vector<std::pair<double, std::string>>{{-0.42, "-.42"},
                                                                               {-1.61, "-1.6"},
                                                                               {-12.3, " -12"},
                                                                               {0.42, " .42"},
                                                                               {0, "   0"},
                                                                               {-0.001, "-.00"},
                                                                               {-1e9, "----"},
                                                                               {kNaN, "   ?"}})
    EXPECT_EQ(format_weight_signed(value), text) << value;
}

TEST(ValueScale, DivergingIsEvenAboutZero) {
  const ValueScale scale = ValueScale::of(map_of({-2.f, 0.5f, kNaN}), Scaling::kDiverging);
  EXPECT_DOUBLE_EQ(scale.low, -2);
  EXPECT_DOUBLE_EQ(scale.high, 2);
  EXPECT_EQ(scale.palette, Palette::kDiverging);
  EXPECT_EQ(scale.level(-2), 0);
  EXPECT_EQ(scale.level(0), 128);
  EXPECT_DOUBLE_EQ(ValueScale::of(map_of({0.f}), Scaling::kDiverging).high, 1);
  EXPECT_DOUBLE_EQ(ValueScale::of(map_of({}), Scaling::kDiverging).low, -1);
}

TEST(ValueScale, OneScaleForAllPanels) {
  AttentionMap map = map_of({0.1f});
  map.panels.push_back(map_of({0.8f}).panels[0]);
  EXPECT_NEAR(ValueScale::of(map, Scaling::kMaximum).high, 0.8, 1e-6);
}

TEST(ValueScale, Level) {
  const ValueScale scale{0, 1};
  EXPECT_EQ(scale.level(0), 0);
  EXPECT_EQ(scale.level(0.5), 128);
  EXPECT_EQ(scale.level(1), 255);
  EXPECT_EQ(scale.level(9), 255);
  EXPECT_EQ(scale.level(kNaN), -1);
  EXPECT_EQ(scale.level(kInfinity), -1);
}

TEST(ValueScale, TicksHoldBothEnds) {
  const std::vector<double> ticks = ValueScale{0, 0.37}.ticks();
  EXPECT_EQ(ticks.front(), 0);
  EXPECT_EQ(ticks.back(), 0.37);
  EXPECT_GE(ticks.size(), 4u);
}

TEST(ValueScale, RoundsToFloat) {
  constexpr float kLargest = std::numeric_limits<float>::max();
  EXPECT_EQ(round_to_float(0.1), 0.1f);
  EXPECT_EQ(round_to_float(3.4028235e38), kLargest);  // its shortest digits are above it
  EXPECT_EQ(round_to_float(-3.4028235e38), -kLargest);
  EXPECT_EQ(round_to_float(3.4028236e38), std::nullopt);
  EXPECT_EQ(round_to_float(std::nan("")), std::nullopt);
}

TEST(ValueScale, FormatsWeights) {
  EXPECT_EQ(format_weight(0.25), "0.250");
  EXPECT_EQ(format_weight(0), "0.000");
  EXPECT_EQ(format_weight(0.000031), "3.1e-05");
  EXPECT_EQ(format_weight(-12.5), "-12.500");
  EXPECT_EQ(format_weight(1234567), "1.2e+06");
  EXPECT_EQ(format_weight(kNaN), "not a number");
  EXPECT_EQ(format_weight(-kInfinity), "minus infinite");
}

TEST(ValueScale, FormatsWeightsInThreeColumns) {
  const std::pair<double, const char*> cases[] = {
      {0.42, ".42"}, {1, "1.0"},    {0.996, "1.0"}, {0.001, ".00"}, {0, "  0"},    {12, " 12"},
      {123, "123"},  {1234, "---"}, {-0.42, "-.4"}, {-3.2, " -3"},  {kNaN, "  ?"}, {9.96, " 10"}};
  for (const auto& [value, text] : cases) EXPECT_EQ(format_weight_short(value), text) << value;
}

TEST(Ticks, AreRound) {
  EXPECT_THAT(tick_labels(nice_ticks(0, 1, 5)),
              ElementsAre("0.0", "0.2", "0.4", "0.6", "0.8", "1.0"));
  EXPECT_THAT(tick_labels(nice_ticks(1, 250, 5)), ElementsAre("50", "100", "150", "200", "250"));
  EXPECT_THAT(tick_labels(nice_ticks(-1, 1, 4)), ElementsAre("-1.0", "-0.5", "0.0", "0.5", "1.0"));
  EXPECT_THAT(tick_labels(nice_ticks(0, 1, 4)),
              ElementsAre("0.00", "0.25", "0.50", "0.75", "1.00"));
}

TEST(Ticks, LogarithmicOnesAreDecades) {
  EXPECT_THAT(tick_labels(log_ticks(0.01, 100)), ElementsAre("0.01", "0.1", "1", "10", "100"));
  EXPECT_THAT(tick_labels(log_ticks(0.15, 4)), ElementsAre("0.2", "0.5", "1", "2"));
}

TEST(Ticks, OfImpossibleRangesAreNone) {
  EXPECT_TRUE(nice_ticks(1, 1, 5).empty());
  EXPECT_TRUE(nice_ticks(2, 1, 5).empty());
  EXPECT_TRUE(nice_ticks(0, kInfinity, 5).empty());
  EXPECT_TRUE(log_ticks(0, 1).empty());
  EXPECT_TRUE(log_ticks(-1, 1).empty());
  const double next = std::nextafter(1e16, 2e16);
  EXPECT_TRUE(nice_ticks(1e16, next, 5).empty());  // and it ends at all
}

}  // namespace
}  // namespace attend::render
