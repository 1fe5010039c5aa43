// The heat scale: a sequential map of even steps, whose lightness alone tells the order, so that it
// reads the same with any colour vision and in grey print. For signed numbers a diverging scale:
// blue below zero, orange above, zero like the background.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace attend::render {

/// sRGB, 8 bits a channel.
struct Rgb {
  uint8_t red = 0;
  uint8_t green = 0;
  uint8_t blue = 0;
  bool operator==(const Rgb&) const = default;
};

/// What the picture stands on. Zero is always the colour nearest the background.
enum class Background { kLight, kDark };

constexpr int kPaletteSize = 256;

/// Colour of a fraction in [0, 1]; what lies outside is clamped. Steps are even in OKLab (Ottosson
/// 2020): from a pale yellow over green and blue to a dark violet, lightness falling all the way
/// (kLight), or the same backwards (kDark).
Rgb heat_colour(double fraction, Background background);

/// The same at i / 255, as every picture uses it.
const std::array<Rgb, kPaletteSize>& heat_palette(Background background);

/// Which of the two scales.
enum class Palette { kHeat, kDiverging };

/// Colour of a fraction in [-1, 1] on the diverging scale, clamped: from dark blue over the
/// background's grey to dark brown (kLight), or from pale blue to pale orange (kDark). Equal sizes
/// of either sign are equally far from zero, in lightness too; blue and orange are told apart with
/// any colour vision.
Rgb diverging_colour(double fraction, Background background);

/// 256 colours: heat_palette(), or the diverging scale from -1 to 1.
const std::array<Rgb, kPaletteSize>& palette(Palette palette, Background background);

/// Colour of a weight that is no finite number: a grey, which the scale has nowhere.
Rgb missing_colour(Background background);

/// Black or white, whichever reads better on `colour` (by WCAG 2 contrast).
Rgb text_colour_on(Rgb colour);

/// Relative luminance in [0, 1] (WCAG 2), and the contrast ratio of two colours in [1, 21].
double luminance(Rgb colour);
double contrast(Rgb a, Rgb b);

/// "#1a2b3c".
std::string hex(Rgb colour);

/// Number of the nearest colour among the 216 of the cube and 24 greys of a 256-colour terminal.
int nearest_xterm(Rgb colour);

/// Eight colours for lines (Okabe and Ito 2008), told apart with any colour vision.
Rgb series_colour(size_t index, Background background);

}  // namespace attend::render
