#include "attend/render/colour.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <span>

namespace attend::render {
namespace {

struct Lab {
  double lightness, a, b;
};

// Lightness, chroma and hue (degrees) in OKLCh.
struct Station {
  double lightness, chroma, hue;
};
using Stations = std::span<const Station>;

// The stations of each scale. All lie inside sRGB.
constexpr Station kHeat[] = {{0.975, 0.015, 105}, {0.87, 0.095, 150}, {0.74, 0.105, 190},
                             {0.60, 0.105, 235},  {0.45, 0.125, 262}, {0.27, 0.10, 285}};
// From zero outwards; on one ground both arms have the same lightness and nearly the same length.
constexpr Station kBelowOnLight[] = {
    {0.975, 0, 250}, {0.86, 0.07, 235}, {0.70, 0.115, 240}, {0.53, 0.13, 252}, {0.36, 0.12, 264}};
constexpr Station kAboveOnLight[] = {
    {0.975, 0, 70}, {0.86, 0.085, 75}, {0.70, 0.135, 55}, {0.53, 0.14, 42}, {0.36, 0.105, 35}};
constexpr Station kBelowOnDark[] = {
    {0.22, 0, 250}, {0.36, 0.10, 262}, {0.52, 0.13, 252}, {0.69, 0.115, 240}, {0.86, 0.075, 230}};
constexpr Station kAboveOnDark[] = {
    {0.22, 0, 40}, {0.36, 0.09, 38}, {0.52, 0.13, 42}, {0.69, 0.135, 57}, {0.86, 0.105, 82}};

Lab to_lab(const Station& station) {
  const double angle = station.hue * std::numbers::pi / 180;
  return {station.lightness, station.chroma * std::cos(angle), station.chroma * std::sin(angle)};
}

double distance(const Lab& p, const Lab& q) {
  return std::hypot(p.lightness - q.lightness, p.a - q.a, p.b - q.b);
}

/// The point at a fraction of the length of the line through the stations.
Lab along(Stations stations, double fraction) {
  double total = 0;
  for (size_t i = 1; i < stations.size(); ++i)
    total += distance(to_lab(stations[i - 1]), to_lab(stations[i]));
  double rest = fraction * total;
  for (size_t i = 1; i < stations.size(); ++i) {
    const Lab from = to_lab(stations[i - 1]);
    const Lab to = to_lab(stations[i]);
    const double length = distance(from, to);
    if (rest <= length || i + 1 == stations.size()) {
      const double t = std::min(rest / length, 1.0);
      return {from.lightness + t * (to.lightness - from.lightness), from.a + t * (to.a - from.a),
              from.b + t * (to.b - from.b)};
    }
    rest -= length;
  }
  return to_lab(stations.back());
}

uint8_t encode(double linear) {
  const double x = std::clamp(linear, 0.0, 1.0);
  const double v = x <= 0.0031308 ? 12.92 * x : 1.055 * std::pow(x, 1 / 2.4) - 0.055;
  return static_cast<uint8_t>(std::lround(255 * v));
}

double decode(uint8_t channel) {
  const double v = channel / 255.0;
  return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
}

/// OKLab to sRGB with the matrices of https://bottosson.github.io/posts/oklab.
Rgb to_srgb(const Lab& c) {
  const double l = std::pow(c.lightness + 0.3963377774 * c.a + 0.2158037573 * c.b, 3);
  const double m = std::pow(c.lightness - 0.1055613458 * c.a - 0.0638541728 * c.b, 3);
  const double s = std::pow(c.lightness - 0.0894841775 * c.a - 1.2914855480 * c.b, 3);
  return {encode(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
          encode(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
          encode(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s)};
}

std::array<Rgb, kPaletteSize> make_palette(Palette kind, Background background) {
  std::array<Rgb, kPaletteSize> colours;
  for (int i = 0; i < kPaletteSize; ++i) {
    const double t = i / double{kPaletteSize - 1};
    colours[static_cast<size_t>(i)] = kind == Palette::kHeat
                                          ? heat_colour(t, background)
                                          : diverging_colour(2 * t - 1, background);
  }
  return colours;
}

int squared_distance(Rgb p, Rgb q) {
  const int r = p.red - q.red, g = p.green - q.green, b = p.blue - q.blue;
  return r * r + g * g + b * b;
}

}  // namespace

Rgb heat_colour(double fraction, Background background) {
  const double t = std::isnan(fraction) ? 0.0 : std::clamp(fraction, 0.0, 1.0);
  return to_srgb(along(kHeat, background == Background::kLight ? t : 1 - t));
}

Rgb diverging_colour(double fraction, Background background) {
  const double t = std::isnan(fraction) ? 0.0 : std::clamp(fraction, -1.0, 1.0);
  const bool light = background == Background::kLight;
  const Stations below = light ? Stations(kBelowOnLight) : Stations(kBelowOnDark);
  const Stations above = light ? Stations(kAboveOnLight) : Stations(kAboveOnDark);
  return to_srgb(along(t < 0 ? below : above, std::abs(t)));
}

const std::array<Rgb, kPaletteSize>& palette(Palette kind, Background background) {
  static const std::array<Rgb, kPaletteSize> palettes[2][2] = {
      {make_palette(Palette::kHeat, Background::kLight),
       make_palette(Palette::kHeat, Background::kDark)},
      {make_palette(Palette::kDiverging, Background::kLight),
       make_palette(Palette::kDiverging, Background::kDark)}};
  return palettes[kind == Palette::kDiverging][background == Background::kDark];
}

const std::array<Rgb, kPaletteSize>& heat_palette(Background background) {
  return palette(Palette::kHeat, background);
}

Rgb missing_colour(Background background) {
  return background == Background::kLight ? Rgb{0xB4, 0xB4, 0xB4} : Rgb{0x6E, 0x6E, 0x6E};
}

double luminance(Rgb c) {
  return 0.2126 * decode(c.red) + 0.7152 * decode(c.green) + 0.0722 * decode(c.blue);
}

double contrast(Rgb a, Rgb b) {
  const double p = luminance(a) + 0.05;
  const double q = luminance(b) + 0.05;
  return std::max(p, q) / std::min(p, q);
}

Rgb text_colour_on(Rgb colour) {
  const Rgb black{0, 0, 0};
  const Rgb white{255, 255, 255};
  return contrast(colour, black) >= contrast(colour, white) ? black : white;
}

std::string hex(Rgb colour) {
  char text[8];
  std::snprintf(text, sizeof text, "#%02x%02x%02x", colour.red, colour.green, colour.blue);
  return text;
}

int nearest_xterm(Rgb colour) {
  constexpr uint8_t kCube[6] = {0, 95, 135, 175, 215, 255};
  int best = 16;
  int best_distance = 1 << 30;
  const auto consider = [&](int number, Rgb candidate) {
    const int d = squared_distance(colour, candidate);
    if (d < best_distance) {
      best_distance = d;
      best = number;
    }
  };
  for (int r = 0; r < 6; ++r)
    for (int g = 0; g < 6; ++g)
      for (int b = 0; b < 6; ++b) consider(16 + 36 * r + 6 * g + b, {kCube[r], kCube[g], kCube[b]});
  for (int i = 0; i < 24; ++i) {
    const auto v = static_cast<uint8_t>(8 + 10 * i);
    consider(232 + i, {v, v, v});
  }
  return best;
}

Rgb series_colour(size_t index, Background background) {
  constexpr Rgb kLines[8] = {{0x00, 0x72, 0xB2}, {0xD5, 0x5E, 0x00}, {0x00, 0x9E, 0x73},
                             {0xCC, 0x79, 0xA7}, {0x56, 0xB4, 0xE9}, {0xE6, 0x9F, 0x00},
                             {0x00, 0x00, 0x00}, {0xF0, 0xE4, 0x42}};
  // On dark ground the dark blue gives way to the sky blue, and black to white.
  constexpr size_t kDarkOrder[8] = {4, 5, 2, 3, 7, 1, 6, 0};
  if (background == Background::kLight) return kLines[index % 8];
  const size_t i = kDarkOrder[index % 8];
  return i == 6 ? Rgb{255, 255, 255} : kLines[i];
}

}  // namespace attend::render
