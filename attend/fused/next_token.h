// From the decoder's hidden rows to tokens: the output projection in blocks of the vocabulary, and
// of its softmax what is asked for (argmax, or log-softmax by a running log-sum-exp).
#pragma once

#include <vector>

#include "attend/fused/decoder.h"
#include "attend/fused/linear.h"

namespace attend::fused {

class NextToken {
 public:
  NextToken() = default;
  /// `never`: ids that are never predicted (log-probability -infinity); those that are no ids of
  /// the vocabulary count for nothing.
  NextToken(const WeightPlace& weight, int64_t bias, std::vector<int32_t> never,
            Panels<float>& panels)
      : output_(weight, bias, panels), never_(std::move(never)) {}

  int64_t vocabulary() const { return output_.outputs(); }

  /// hidden (B, D). Fills all but the attention's weights.
  void operator()(const Pass<float>& pass, Rows<const float> hidden,
                  const DecoderOutput& out) const;

 private:
  Linear<float> output_;
  std::vector<int32_t> never_;
};

}  // namespace attend::fused
