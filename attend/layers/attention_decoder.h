// A recurrent decoder that looks at the encoder's states before each step, and says where it
// looked: the chapter's AttentionDecoder, as values. Bahdanau et al. 2015, 3.1, with any cell,
// score and normaliser.
//
//   auto decoder = make_attention_decoder(scope, {.inputs = 32, .hidden = 64, .memory = 64});
//   AttentionDecoder::State state = decoder->init_state(encoder_outputs, lengths);
//   for (...) {
//     AttentionDecoder::Step step = decoder->step(x, state);   // step.output, step.weights
//     state = step.state;
//   }
#pragma once

#include <memory>
#include <vector>

#include "attend/attention/kinds.h"
#include "attend/layers/recurrent.h"
#include "attend/ops/attention_recurrence.h"

namespace attend {

/// What an encoder says of B sentences.
struct EncoderOutputs {
  at::Tensor rows;          ///< (N, M), sentence-major, real tokens alone: what is looked at
  Recurrent::States final;  ///< (B, H), one a layer: where a decoder begins
};

class AttentionDecoder {
 public:
  struct Options {
    CellKind cell = CellKind::kGru;
    int64_t inputs = 0;  ///< width of x, E
    int64_t hidden = 0;  ///< width of a state, H
    int64_t layers = 1;
    int64_t memory = 0;  ///< width of the encoder's rows, M
    ScoreKind score = ScoreKind::kAdditive;
    Normaliser normaliser = Normaliser::kSoftmax;
  };

  /// Where the decoder stands for B sentences. A value: a copy is another state.
  struct State {
    ops::AttentionMemory memory;  ///< projected keys and values, made once
    Recurrent::States cells;

    int64_t size() const { return memory.values.size(0); }
    State select(const at::Tensor& index) const;  ///< these sentences, in this order
  };

  struct Step {
    at::Tensor output;   ///< (B, H): the top layer's new state
    State state;         ///< after the step
    at::Tensor weights;  ///< (B, S): over the source's tokens; rows sum to 1, but for kNone
  };

  virtual ~AttentionDecoder() = default;

  /// `lengths` (B): how many of the encoder's rows belong to each sentence; 0 is allowed, and then
  /// the context is 0. Throws InvalidArgument when they do not add up to N.
  State init_state(const EncoderOutputs& encoder, const std::vector<int64_t>& lengths) const;

  /// One step without dropout, x (B, E). The query is the top layer's state before the step, and
  /// layer 0 reads [context, x].
  virtual Step step(const at::Tensor& x, const State& state) const = 0;

  /// All steps of a packed batch at once (teacher forcing): x (N, E) time-major; `initial` in the
  /// layout's order. Dropout acts on the weights and between the layers; `row_numbers` are those of
  /// the time-major rows. Returns the outputs (N, H), the same as step by step.
  virtual at::Tensor forward(const at::Tensor& x, const ops::TimeMajor& layout,
                             const State& initial, const ops::DropoutState& dropout,
                             const std::vector<int64_t>& row_numbers) const = 0;

 protected:
  /// (N, M) -> (N, A): what the score compares the query with.
  virtual at::Tensor project_keys(const at::Tensor& rows) const = 0;
};

/// Registers attention.* and the layers under the name of their cell, as Recurrent does. An
/// additive score has `hidden` features. Where dot, scaled-dot, cosine or gaussian would compare
/// vectors of two widths (memory and hidden differ), keys are brought to the query's width by a
/// learned attention.key.weight (H, M) first. GRU, additive and softmax go through
/// ops::attention_gru, whose gradient is written out; all else through ops::attention_recurrence.
std::unique_ptr<AttentionDecoder> make_attention_decoder(const ParameterScope& scope,
                                                         const AttentionDecoder::Options& options);

}  // namespace attend
