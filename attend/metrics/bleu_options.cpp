// Names, defaults and ranges of BLEU's options.
#include <array>
#include <cmath>
#include <utility>

#include "attend/core/errors.h"
#include "attend/metrics/bleu.h"

namespace attend::metrics {
namespace {

constexpr std::array<std::pair<std::string_view, Smoothing>, 4> kSmoothings = {
    {{"none", Smoothing::kNone},
     {"floor", Smoothing::kFloor},
     {"add-k", Smoothing::kAddK},
     {"exp", Smoothing::kExp}}};

}  // namespace

Smoothing parse_smoothing(std::string_view name) {
  for (const auto& [known, smoothing] : kSmoothings) {
    if (known == name) return smoothing;
  }
  throw InvalidArgument("[bleu] expected smoothing none, floor, add-k or exp, found '" +
                        std::string(name) + "'");
}

std::string_view smoothing_name(Smoothing smoothing) {
  for (const auto& [name, known] : kSmoothings) {
    if (known == smoothing) return name;
  }
  throw InternalError("[bleu] a smoothing without a name");
}

void check_options(const BleuOptions& options) {
  if (options.max_order < 1 || options.max_order > 100) {
    throw InvalidArgument("[bleu] expected max_order from 1 to 100, found " +
                          std::to_string(options.max_order));
  }
  const double value = options.smoothing_value.value_or(0.0);
  if (!std::isfinite(value) || value < 0.0) {
    throw InvalidArgument("[bleu] expected a smoothing value >= 0, found " + std::to_string(value));
  }
}

double smoothing_value(const BleuOptions& options) {
  switch (options.smoothing) {
    case Smoothing::kFloor:
      return options.smoothing_value.value_or(0.1);
    case Smoothing::kAddK:
      return options.smoothing_value.value_or(1.0);
    case Smoothing::kNone:
    case Smoothing::kExp:
      break;
  }
  return 0.0;
}

}  // namespace attend::metrics
