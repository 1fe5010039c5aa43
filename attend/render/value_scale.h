// From a weight to a place on the colour scale. One scale serves all panels of a picture, so that
// equal colours mean equal weights; every picture shows it with its numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "attend/render/attention_map.h"
#include "attend/render/colour.h"

namespace attend::render {

enum class Scaling {
  kUnit,       ///< 0 to 1, the range of weights; widened to the data's where they leave it
  kMaximum,    ///< 0 (or the least, when negative) to the largest weight: for flat maps
  kDiverging,  ///< -m to m with the largest size m, on the diverging colours: for signed numbers
};

struct ValueScale {
  double low = 0;
  double high = 1;
  Palette palette = Palette::kHeat;

  /// The scale for all panels of a map. Weights that are not finite are left out.
  static ValueScale of(const AttentionMap& map, Scaling scaling);

  /// (value - low) / (high - low), clamped to [0, 1]; NaN stays NaN.
  double fraction(double value) const;

  /// 0..255, a place in palette(); -1 for a value that is not finite.
  int level(double value) const;

  /// Values to label the scale bar at: `low`, `high` and round numbers between.
  std::vector<double> ticks() const;
};

/// The nearest float to a finite number; nothing for one that would round to infinity.
std::optional<float> round_to_float(double value);

/// A weight for reading: three decimals from 0.001 on, else two significant digits: "0.250",
/// "3.1e-05"; "not a number" and so on for what is not finite.
std::string format_weight(double value);

/// A weight in three columns: ".42", "1.0", " 12", and "---" where it does not fit.
std::string format_weight_short(double value);

/// The same with a fourth column for the sign of a negative number: "-.42", "-1.6", " -12".
std::string format_weight_signed(double value);

}  // namespace attend::render
