// Round numbers along an axis.
#pragma once

#include <string>
#include <vector>

namespace attend::render {

/// Multiples of 1, 2, 2.5 or 5 times a power of ten in [low, high], about `count` of them; none
/// when the range is empty or not finite.
std::vector<double> nice_ticks(double low, double high, int count);

/// Powers of ten in [low, high] (both positive), with 2 and 5 times them where there are few, and
/// nice_ticks() within one decade.
std::vector<double> log_ticks(double low, double high);

/// The ticks' numbers with as many decimals as their distance needs: "0.25", "1000", "2e-07".
std::vector<std::string> tick_labels(const std::vector<double>& ticks);

}  // namespace attend::render
