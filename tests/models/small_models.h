// Pairs and models small enough to be stepped through.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/ops/cat.h>

#include <limits>
#include <utility>
#include <vector>

#include "attend/data/batch.h"
#include "attend/models/seq2seq.h"

namespace attend::testing {

using Sentences = std::vector<std::pair<std::vector<int32_t>, std::vector<int32_t>>>;

// As in tools/make_models_goldens.py.
inline const Sentences kPairs = {{{5, 9, 4, 8, 3}, {4, 5, 6, 7, 8, 3}},
                                 {{7, 3}, {11, 12, 3}},
                                 {{6, 4, 3}, {9, 10, 3}},
                                 {{10, 3}, {3}}};

inline ModelConfig small(ModelKind kind) {
  ModelConfig config;
  config.kind = kind;
  config.embedding = 6;
  config.hidden = 8;
  config.heads = 2;
  config.feed_forward = 12;
  config.source_vocabulary = 11;
  config.target_vocabulary = 13;
  return config;
}

inline data::PackedIds sources(const Sentences& pairs) {
  data::PackedIds packed;
  for (const auto& pair : pairs) packed.append(pair.first);
  return packed;
}

// Log-probabilities of every target position, sentence after sentence, by single steps.
inline at::Tensor step_through(const Seq2Seq& model, const Sentences& pairs) {
  std::vector<at::Tensor> all;
  for (const auto& pair : pairs) {
    const auto state = model.start(sources({pair}));
    int32_t input = model.config().begin_id;
    for (const int32_t id : pair.second) {
      all.push_back(model.step(*state, {input}).log_probabilities);
      input = id;
    }
  }
  return at::cat(all);
}

// Log-softmax as decoding has it: without the marks that are never predicted.
inline at::Tensor decodable(at::Tensor logits, const ModelConfig& config) {
  logits = logits.detach().clone();
  for (const int32_t id : {config.padding_id, config.begin_id})
    logits.select(1, id).fill_(-std::numeric_limits<double>::infinity());
  return logits.log_softmax(1);
}

}  // namespace attend::testing
