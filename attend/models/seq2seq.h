// What every translator offers: a loss over a packed batch, and a decoder that goes step by step.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "attend/data/batch.h"
#include "attend/models/config.h"
#include "attend/models/kernel_decoder.h"
#include "attend/models/training_step.h"
#include "attend/ops/dropout.h"
#include "attend/ops/parameter_store.h"

namespace attend {

/// Summed cross-entropy (nats) over real target positions, and how many those were.
struct LossSum {
  at::Tensor sum;  ///< a scalar; differentiable when gradients are on
  int64_t tokens = 0;
};

/// What a map shows: which queries look at which keys.
enum class AttentionKind { kCross, kEncoderSelf, kDecoderSelf };

/// The weights of one attention layer, per head, before dropout, on the CPU in float.
struct AttentionWeights {
  AttentionKind kind;
  int64_t layer;       ///< from 0
  at::Tensor weights;  ///< (B, H, Tq, Tk); zeros beyond a sentence's real tokens
};

class Seq2Seq;

/// Where a decoder stands for B sentences: the encoder's outputs, caches and hidden states. A
/// value: copy() is deep enough that stepping one copy leaves the other alone.
class DecoderState {
 public:
  virtual ~DecoderState() = default;
  virtual std::unique_ptr<DecoderState> copy() const = 0;
  /// Keeps the sentences `rows` (each in [0, B), repeats allowed) in that order.
  virtual void reorder(const std::vector<int64_t>& rows) = 0;
  virtual int64_t size() const = 0;

 private:
  friend class Seq2Seq;
  /// The state that kernels step; null where composed operations do.
  virtual fused::Decoder::State* of_kernels() { return nullptr; }

  // Who started it, and what was written to its parameters by then.
  const Seq2Seq* model_ = nullptr;
  uint32_t version_ = 0;
};

struct DecoderStep {
  at::Tensor log_probabilities;  ///< (B, V), rows sum to 1 as probabilities
  /// Cross and decoder-self weights of this step, (B, H, 1, Tk); empty unless asked for.
  std::vector<AttentionWeights> attention;
};

/// The likeliest next token of each sentence (the first of equal ones), and its log-probability.
struct LikeliestTokens {
  std::vector<int32_t> tokens;           ///< B
  std::vector<float> log_probabilities;  ///< B
};

/// Of log-probabilities (B, V).
void likeliest(const at::Tensor& log_probabilities, LikeliestTokens& next);

/// A translator. A state goes with the weights that it was started with: once they are written to,
/// step() throws InvalidArgument, and start() begins anew. (Parameters made in LibTorch's inference
/// mode count no writes; with those the caller has to see to it.)
class Seq2Seq {
 public:
  virtual ~Seq2Seq() = default;

  /// Teacher forcing. const and safe from many threads at once.
  virtual LossSum loss(const data::Batch& batch, const ops::DropoutState& dropout) const = 0;

  /// Logits at the real target positions, packed sentence after sentence, (target tokens, V). For
  /// tests and tools: training never holds them.
  virtual at::Tensor logits(const data::Batch& batch) const = 0;

  /// Encodes B sentences, each with its end mark. A sentence may be empty. `encoder_attention`, if
  /// not null, receives the encoder's self-attention (none for recurrent encoders). Runs without
  /// gradients, by kernels where there are some for the model's options.
  virtual std::unique_ptr<DecoderState> start(
      const data::PackedIds& source,
      std::vector<AttentionWeights>* encoder_attention = nullptr) const;

  /// Feeds one token a sentence (the begin mark first), moves `state` on, by kernels or composed
  /// operations as the state began. Asking for weights changes no number. Runs without gradients.
  virtual DecoderStep step(DecoderState& state, const std::vector<int32_t>& tokens,
                           bool want_attention = false) const;

  /// step() for greedy decoding: of the log-probabilities the greatest alone.
  void step(DecoderState& state, const std::vector<int32_t>& tokens, LikeliestTokens& next) const;

  /// step() for its weights only: no next token is looked for.
  std::vector<AttentionWeights> step_attention(DecoderState& state,
                                               const std::vector<int32_t>& tokens) const;

  /// start() by composed operations, whatever kernels there are: the twin that defines it.
  std::unique_ptr<DecoderState> start_composed(
      const data::PackedIds& source,
      std::vector<AttentionWeights>* encoder_attention = nullptr) const;

  /// Why start() takes composed operations; "" when it takes kernels.
  std::string decoding_declined() const { return decoder_recipe().declined; }

  /// The training step by kernels: the loss and gradients of loss(), without autograd. Has to be
  /// made after the parameters are placed and not outlive the model.
  virtual FusedStep fused_step() const { return {nullptr, "it has none for this kind of model"}; }

  const ModelConfig& config() const { return config_; }
  ParameterStore& parameters() { return store_; }
  const ParameterStore& parameters() const { return store_; }

 protected:
  explicit Seq2Seq(ModelConfig config) : config_(std::move(config)) {}

  /// start_composed(), as a model has it.
  virtual std::unique_ptr<DecoderState> begin_composed(
      const data::PackedIds& source, std::vector<AttentionWeights>* encoder_attention) const;
  /// step() of a state from start_composed().
  virtual DecoderStep step_composed(DecoderState& state, const std::vector<int32_t>& tokens,
                                    bool want_attention) const;
  virtual DecoderRecipe decoder_recipe() const {
    return {nullptr, "it has none for this kind of model"};
  }

  ModelConfig config_;
  ParameterStore store_;

 private:
  class KernelState;
  std::unique_ptr<DecoderState> own(std::unique_ptr<DecoderState> state) const;
  void check_state(const DecoderState& state, const std::vector<int32_t>& tokens) const;

  mutable KernelDecoder kernels_;
};

/// Builds the model that `config.kind` names, with fresh weights. Throws InvalidArgument for a
/// configuration that does not fit together (heads that do not divide hidden, say).
std::unique_ptr<Seq2Seq> make_model(const ModelConfig& config,
                                    const ParameterStore::Options& options);

}  // namespace attend
