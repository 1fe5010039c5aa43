#include "attend/metrics/perplexity.h"

#include <cmath>
#include <string>

#include "attend/core/errors.h"

namespace attend::metrics {

double perplexity(double cross_entropy_sum, int64_t tokens) {
  if (tokens < 1) {
    throw InvalidArgument("[perplexity] expected at least one token, found " +
                          std::to_string(tokens));
  }
  if (!(cross_entropy_sum >= 0.0)) {
    throw InvalidArgument("[perplexity] expected a cross-entropy >= 0, found " +
                          std::to_string(cross_entropy_sum));
  }
  return std::exp(cross_entropy_sum / static_cast<double>(tokens));
}

}  // namespace attend::metrics
