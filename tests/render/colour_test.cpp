#include "attend/render/colour.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "tests/render/maps.h"

namespace attend::render {
namespace {

double decoded(uint8_t channel) {
  const double v = channel / 255.0;
  return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
}

/// Luminance as somebody sees it who lacks red (0), green (1) or blue (2) cones: Machado, Oliveira
/// and Fernandes 2009, severity 1.
double luminance_without(int cone, Rgb c) {
  constexpr double kSimulate[3][3][3] = {{{0.152286, 1.052583, -0.204868},
                                          {0.114503, 0.786281, 0.099216},
                                          {-0.003882, -0.048116, 1.051998}},
                                         {{0.367322, 0.860646, -0.227968},
                                          {0.280085, 0.672501, 0.047413},
                                          {-0.011820, 0.042940, 0.968881}},
                                         {{1.255528, -0.076749, -0.178779},
                                          {-0.078411, 0.930809, 0.147602},
                                          {0.004733, 0.691367, 0.303900}}};
  const double in[3] = {decoded(c.red), decoded(c.green), decoded(c.blue)};
  constexpr double kWeights[3] = {0.2126, 0.7152, 0.0722};
  double y = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) y += kWeights[i] * kSimulate[cone][i][j] * in[j];
  return y;
}

TEST(Colour, PaletteEqualsTheOneComputedByNumpy) {
  const auto expected = nlohmann::json::parse(test::read_data("expected.json")).at("palette");
  const auto& palette = heat_palette(Background::kLight);
  ASSERT_EQ(expected.size(), palette.size());
  for (size_t i = 0; i < palette.size(); ++i) EXPECT_EQ(hex(palette[i]), expected[i]) << i;
}

TEST(Colour, DarkPaletteIsTheLightOneBackwards) {
  const auto& light = heat_palette(Background::kLight);
  const auto& dark = heat_palette(Background::kDark);
  for (size_t i = 0; i < light.size(); ++i) EXPECT_EQ(light[i], dark[255 - i]);
}

TEST(Colour, LuminanceFallsAllTheWayForEveryKindOfColourVision) {
  const auto& palette = heat_palette(Background::kLight);
  for (size_t i = 1; i < palette.size(); ++i) {
    EXPECT_LT(luminance(palette[i]), luminance(palette[i - 1])) << i;
    // Over eight steps, since one step is within the rounding to 8 bits.
    if (i < 8) continue;
    for (int cone = 0; cone < 3; ++cone)
      EXPECT_LT(luminance_without(cone, palette[i]), luminance_without(cone, palette[i - 8])) << i;
  }
}

TEST(Colour, ZeroIsTheColourNearestTheGround) {
  const Rgb white{255, 255, 255};
  const Rgb black{0, 0, 0};
  EXPECT_LT(contrast(heat_colour(0, Background::kLight), white), 1.2);
  EXPECT_GT(contrast(heat_colour(1, Background::kLight), white), 12);
  EXPECT_LT(contrast(heat_colour(0, Background::kDark), black), 1.6);
  EXPECT_GT(contrast(heat_colour(1, Background::kDark), black), 15);
}

TEST(Colour, ClampsAndTakesNaN) {
  EXPECT_EQ(heat_colour(-3, Background::kLight), heat_colour(0, Background::kLight));
  EXPECT_EQ(heat_colour(7, Background::kLight), heat_colour(1, Background::kLight));
  EXPECT_EQ(heat_colour(std::nan(""), Background::kLight), heat_colour(0, Background::kLight));
}

TEST(Colour, TextOnEveryColourIsReadable) {
  for (const Palette kind : {Palette::kHeat, Palette::kDiverging})
    for (const Background background : {Background::kLight, Background::kDark})
      for (const Rgb colour : palette(kind, background))
        EXPECT_GE(contrast(colour, text_colour_on(colour)), 4.5) << hex(colour);  // WCAG 2, AA
}

TEST(Colour, DivergingArmsAreBlueAndOrangeAndEqual) {
  for (const Background background : {Background::kLight, Background::kDark}) {
    const Rgb zero = diverging_colour(0, background);
    EXPECT_LT(contrast(zero, background == Background::kLight ? Rgb{255, 255, 255} : Rgb{0, 0, 0}),
              1.3);
    double last = 0;
    for (int i = 1; i <= 20; ++i) {
      const Rgb below = diverging_colour(-i / 20.0, background);
      const Rgb above = diverging_colour(i / 20.0, background);
      EXPECT_GT(below.blue, below.red) << i;
      EXPECT_GT(above.red, above.blue) << i;
      // Both are equally light, and the farther from zero the more.
      EXPECT_LT(contrast(below, above), 1.45) << i;
      EXPECT_GT(contrast(zero, below), last) << i;
      last = contrast(zero, below);
    }
    EXPECT_EQ(diverging_colour(9, background), palette(Palette::kDiverging, background)[255]);
    EXPECT_EQ(diverging_colour(-9, background), palette(Palette::kDiverging, background)[0]);
    EXPECT_EQ(diverging_colour(std::nan(""), background), zero);
  }
}

TEST(Colour, ContrastIsThatOfWcag) {
  EXPECT_DOUBLE_EQ(contrast({0, 0, 0}, {255, 255, 255}), 21);
  EXPECT_NEAR(contrast({0x77, 0x77, 0x77}, {255, 255, 255}), 4.48, 0.005);
}

TEST(Colour, NearestXterm) {
  EXPECT_EQ(nearest_xterm({0, 0, 0}), 16);
  EXPECT_EQ(nearest_xterm({255, 255, 255}), 231);
  EXPECT_EQ(nearest_xterm({255, 0, 0}), 196);
  EXPECT_EQ(nearest_xterm({9, 8, 8}), 232);
  EXPECT_EQ(nearest_xterm({96, 94, 135}), 60);
}

TEST(Colour, LinesStandOutFromTheirGround) {
  for (size_t i = 0; i < 7; ++i) {
    EXPECT_GE(contrast(series_colour(i, Background::kLight), {255, 255, 255}), 1.9) << i;
    EXPECT_GE(contrast(series_colour(i, Background::kDark), {0x14, 0x17, 0x1c}), 4) << i;
  }
}

}  // namespace
}  // namespace attend::render
