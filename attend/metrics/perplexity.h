// Perplexity: exp of the mean cross-entropy per token, the number of equally likely words that
// would surprise the model as much.
#pragma once

#include <cstdint>

namespace attend::metrics {

/// exp(sum / tokens). `cross_entropy_sum` is in nats, over `tokens` real target tokens; the end
/// mark of a sentence is one of them where the sum has it, as the loss of training does. 1 is
/// perfect; a uniform guess gives the size of the vocabulary; infinity where the mean is above
/// about 709. Throws InvalidArgument for tokens < 1 and for a sum that is negative or no number.
double perplexity(double cross_entropy_sum, int64_t tokens);

}  // namespace attend::metrics
