#include "attend/fused/next_token.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "attend/kernels/likeliest.h"

namespace attend::fused {
namespace {

// Logits of so many tokens and 32 sentences stay in the second-level cache. A multiple of every
// panel's columns.
constexpr int64_t kBlock = 512;

}  // namespace

void NextToken::operator()(const Pass<float>& pass, Rows<const float> hidden,
                           const DecoderOutput& out) const {
  if (out.likeliest == nullptr && out.likeliest_log_probability == nullptr &&
      out.log_probabilities == nullptr)
    return;
  const int64_t rows = hidden.count;
  auto* found = pass.work.take<kernels::Likeliest>(rows);
  std::fill_n(found, rows, kernels::Likeliest{});
  float* scratch = out.log_probabilities != nullptr ? nullptr : pass.take(rows, kBlock);
  for (int64_t first = 0; first < vocabulary(); first += kBlock) {
    const int64_t columns = std::min(kBlock, vocabulary() - first);
    const Rows<float> logits = scratch != nullptr ? Rows<float>(scratch, rows, columns, kBlock)
                                                  : Rows<float>(out.log_probabilities + first, rows,
                                                                columns, vocabulary());
    output_.forward_some(pass, hidden, first, logits);
    for (const int32_t id : never_)
      if (id >= first && id < first + columns)
        for (int64_t i = 0; i < rows; ++i)
          logits.row(i)[id - first] = -std::numeric_limits<float>::infinity();
    kernels::likeliest(
        kernels::LikeliestRows{logits.data, logits.stride, rows, columns, first, found});
  }
  for (int64_t i = 0; i < rows; ++i) {
    const auto scale = static_cast<float>(std::log(found[i].sum));
    if (out.likeliest != nullptr) out.likeliest[i] = found[i].column;
    if (out.likeliest_log_probability != nullptr) out.likeliest_log_probability[i] = -scale;
    if (out.log_probabilities == nullptr) continue;
    float* row = out.log_probabilities + i * vocabulary();
    for (int64_t j = 0; j < vocabulary(); ++j) row[j] = (row[j] - found[i].greatest) - scale;
  }
}

}  // namespace attend::fused
