// A Seq2Seq small enough to train in a test: the next token from the previous one and the mean of
// the source's embeddings, with dropout in between.
#pragma once

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/gather.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include <atomic>
#include <memory>
#include <numeric>
#include <vector>

#include "attend/core/errors.h"
#include "attend/core/random.h"
#include "attend/data/dataset.h"
#include "attend/models/seq2seq.h"

namespace attend::training {

inline constexpr int64_t kTinyVocabulary = 12;

class TinyModel : public Seq2Seq {
 public:
  explicit TinyModel(double dropout = 0.0, at::ScalarType dtype = at::kFloat, int64_t width = 8)
      : Seq2Seq(make_config(dropout, width)) {
    const ParameterScope decoder = store_.scope("decoder");
    source_ =
        store_.scope("encoder.embedding").add("weight", {kTinyVocabulary, width}, Init::kNormal);
    target_ = decoder.scope("embedding").add("weight", {kTinyVocabulary, width}, Init::kNormal);
    output_ = decoder.scope("output").add("weight", {kTinyVocabulary, width}, Init::kXavierUniform);
    bias_ = decoder.scope("output").add("bias", {kTinyVocabulary}, Init::kZeros);
    // Not part of the loss: its gradient is undefined, which counts as zero.
    unused_ = store_.scope("unused").add("weight", {3}, Init::kOnes);
    store_.allocate({.seed = 7, .dtype = dtype});
  }

  LossSum loss(const data::Batch& batch, const ops::DropoutState& dropout) const override {
    const at::Tensor log_probabilities = at::log_softmax(rows(batch, dropout), -1);
    const at::Tensor targets = index(batch.target.ids);
    at::Tensor sum = log_probabilities.gather(1, targets.unsqueeze(1)).sum().neg();
    // From the step set on, the gradient is infinite; it flows into the output bias alone.
    if (dropout.step >= overflow_from && dropout.step < overflow_to)
      sum = sum + (*bias_).sum() * std::numeric_limits<double>::infinity();
    return {sum, batch.target_tokens()};
  }

  at::Tensor logits(const data::Batch& batch) const override { return rows(batch, {}); }
  std::unique_ptr<DecoderState> start(const data::PackedIds&,
                                      std::vector<AttentionWeights>*) const override {
    throw InternalError("not part of this test");
  }
  DecoderStep step(DecoderState&, const std::vector<int32_t>&, bool) const override {
    throw InternalError("not part of this test");
  }

  uint64_t overflow_from = UINT64_MAX;
  uint64_t overflow_to = UINT64_MAX;

 private:
  static ModelConfig make_config(double dropout, int64_t width) {
    ModelConfig config;
    config.dropout = dropout;
    config.hidden = width;
    config.source_vocabulary = config.target_vocabulary = kTinyVocabulary;
    return config;
  }

  static at::Tensor index(const std::vector<int32_t>& ids) {
    return at::tensor(std::vector<int64_t>(ids.begin(), ids.end()), at::kLong);
  }

  // (target tokens, V)
  at::Tensor rows(const data::Batch& batch, const ops::DropoutState& dropout) const {
    std::vector<at::Tensor> hidden;
    std::vector<int64_t> numbers;
    for (int64_t b = 0; b < batch.size(); ++b) {
      const auto slice = [b](const data::PackedIds& packed) {
        return std::vector<int32_t>(
            packed.ids.begin() + packed.offsets[static_cast<size_t>(b)],
            packed.ids.begin() + packed.offsets[static_cast<size_t>(b) + 1]);
      };
      std::vector<int32_t> inputs = slice(batch.target);
      inputs.insert(inputs.begin(), config_.begin_id);
      inputs.pop_back();
      const at::Tensor context =
          (*source_).index_select(0, index(slice(batch.source))).mean(0);  // (D)
      hidden.push_back(at::tanh((*target_).index_select(0, index(inputs)) + context));
      for (size_t t = 0; t < inputs.size(); ++t)
        numbers.push_back(batch.target_rows[static_cast<size_t>(b)] + static_cast<int64_t>(t));
    }
    return at::linear(ops::dropout(at::cat(hidden), dropout, 5, numbers), *output_, *bias_);
  }

  Parameter source_, target_, output_, bias_, unused_;
};

/// `pairs` sentences of 1 to 17 tokens and an end mark; each target repeats its source.
inline data::Dataset tiny_dataset(int64_t pairs, uint64_t seed = 3) {
  data::Dataset dataset;
  for (int64_t i = 0; i < pairs; ++i) {
    const auto key = core::combine(seed, static_cast<uint64_t>(i));
    std::vector<int32_t> ids;
    const auto length = static_cast<int64_t>(1 + key % 17);
    for (int64_t t = 0; t < length; ++t)
      ids.push_back(static_cast<int32_t>(4 + core::combine(key, static_cast<uint64_t>(t)) % 8));
    ids.push_back(3);
    dataset.source.append(ids);
    dataset.target.append(ids);
    dataset.lines.push_back(i + 1);
  }
  return dataset;
}

/// The values of a flat tensor, to compare bit by bit.
inline std::vector<double> values_of(const at::Tensor& flat) {
  const at::Tensor doubles = flat.detach().to(at::kDouble).contiguous();
  return {doubles.data_ptr<double>(), doubles.data_ptr<double>() + doubles.numel()};
}

}  // namespace attend::training
