// A translator whose scores a test makes up, to see what decoding does with them.
#pragma once

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <vector>

#include "attend/core/errors.h"
#include "attend/models/seq2seq.h"

namespace attend::testing {

/// Logits of the next token, given a sentence's first source id and what was written so far.
using Scores =
    std::function<std::vector<float>(int32_t source, const std::vector<int32_t>& written)>;

constexpr int32_t kBegin = 2, kEnd = 3;

/// Logits that prefer one token by far.
inline std::vector<float> prefer(int32_t token, int64_t vocabulary) {
  std::vector<float> scores(static_cast<size_t>(vocabulary), 0.0f);
  scores[static_cast<size_t>(token)] = 5.0f;
  return scores;
}

/// Its cross-attention says who looked: source id + head / 10 + key / 100, beyond the sentence's
/// own keys too; its self-attention is the number of the query.
class ScriptedModel : public Seq2Seq {
 public:
  ScriptedModel(int64_t vocabulary, Scores scores)
      : Seq2Seq(ModelConfig()), vocabulary_(vocabulary), scores_(std::move(scores)) {}

  mutable std::vector<int64_t> live;  ///< how many sentences each step had

  LossSum loss(const data::Batch&, const ops::DropoutState&) const override { unused(); }
  at::Tensor logits(const data::Batch&) const override { unused(); }

  std::unique_ptr<DecoderState> start(const data::PackedIds& source,
                                      std::vector<AttentionWeights>*) const override {
    auto state = std::make_unique<State>();
    for (int64_t b = 0; b < source.size(); ++b)
      state->sources.push_back(
          source.ids[static_cast<size_t>(source.offsets[static_cast<size_t>(b)])]);
    state->written.resize(state->sources.size());
    state->longest = source.max_length();
    return state;
  }

  DecoderStep step(DecoderState& base, const std::vector<int32_t>& tokens,
                   bool want_attention) const override {
    auto& state = dynamic_cast<State&>(base);
    EXPECT_EQ(static_cast<int64_t>(tokens.size()), state.size());
    live.push_back(state.size());
    const at::Tensor scores = at::empty({state.size(), vocabulary_}, at::kFloat);
    const at::Tensor cross = at::empty({state.size(), 2, 1, state.longest}, at::kFloat);
    for (int64_t row = 0; row < state.size(); ++row) {
      const auto at = static_cast<size_t>(row);
      std::vector<int32_t>& written = state.written[at];
      if (state.position == 0)
        EXPECT_EQ(tokens[at], kBegin);
      else
        written.push_back(tokens[at]);
      const std::vector<float> logits = scores_(state.sources[at], written);
      std::copy(logits.begin(), logits.end(), scores[row].data_ptr<float>());
      for (int64_t h = 0; h < 2; ++h)
        for (int64_t k = 0; k < state.longest; ++k)
          cross[row][h][0][k] = static_cast<double>(state.sources[at]) +
                                static_cast<double>(h) / 10 + static_cast<double>(k) / 100;
    }
    ++state.position;
    DecoderStep result{scores.log_softmax(-1), {}};
    if (want_attention) {
      result.attention.push_back({AttentionKind::kDecoderSelf, 0,
                                  at::zeros({state.size(), 1, 1, state.position}, at::kFloat) +
                                      static_cast<double>(state.position)});
      result.attention.push_back({AttentionKind::kCross, 0, cross});
    }
    return result;
  }

 private:
  struct State : DecoderState {
    std::unique_ptr<DecoderState> copy() const override { return std::make_unique<State>(*this); }
    void reorder(const std::vector<int64_t>& rows) override {
      State kept;
      for (const int64_t row : rows) {
        kept.sources.push_back(sources.at(static_cast<size_t>(row)));
        kept.written.push_back(written.at(static_cast<size_t>(row)));
      }
      sources = kept.sources;
      written = kept.written;
    }
    int64_t size() const override { return static_cast<int64_t>(sources.size()); }

    std::vector<int32_t> sources;               // the first id of each
    std::vector<std::vector<int32_t>> written;  // so far, without the begin mark
    int64_t longest = 0;
    int64_t position = 0;
  };

  [[noreturn]] static void unused() { throw InternalError("a scripted model only decodes"); }

  int64_t vocabulary_;
  Scores scores_;
};

}  // namespace attend::testing
