// From a model's parameters to the programs of attend/fused, which know places in the flat buffer.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "attend/fused/gru_stack.h"
#include "attend/fused/program.h"
#include "attend/fused/projections.h"
#include "attend/models/check_ids.h"
#include "attend/models/config.h"
#include "attend/models/kernel_decoder.h"
#include "attend/models/training_step.h"
#include "attend/ops/parameter_store.h"

namespace attend {

/// Where parameters lie, by name. Throws InternalError for a name that the store does not have.
class ParameterPlaces {
 public:
  explicit ParameterPlaces(const ParameterStore& store) : store_(store) {}

  int64_t offset(const std::string& name) const { return store_.slot(name).offset; }
  /// A matrix (outputs, inputs).
  fused::WeightPlace weight(const std::string& name) const;
  /// `scope`.weight and, with `bias`, `scope`.bias.
  fused::LinearPlace linear(const std::string& scope, bool bias = true) const;
  /// `scope`.layers.0, 1, ...
  std::vector<fused::GruPlaces> gru_layers(const std::string& scope, int64_t layers) const;

 private:
  const ParameterStore& store_;
};

/// Why no kernels serve parameters like these; "" when they do.
std::string kernels_declined(const ParameterStore& store);

/// The same for the options that both recurrent translators share.
std::string recurrent_declined(const ModelConfig& config);

/// Program<T> over a store's parameters. Checks what the program takes on trust.
template <class T>
class ProgramStep : public TrainingStep {
 public:
  ProgramStep(const ParameterStore& store, const ModelConfig& config,
              std::unique_ptr<fused::Program<T>> program)
      : store_(store), config_(config), program_(std::move(program)) {}
  void prepare(int64_t shards, core::ThreadPool* pool) override {
    program_->prepare(store_.flat().const_data_ptr<T>(), shards, pool);
  }
  double run(int64_t shard, const data::Batch& batch, const ops::DropoutState& dropout,
             const at::Tensor& gradient) override {
    check(batch);
    ops::check_probability(dropout.probability);
    return program_->run(shard, batch, dropout, gradient.mutable_data_ptr<T>());
  }
  double loss(int64_t shard, const data::Batch& batch) override {
    check(batch);
    return program_->run(shard, batch, {}, nullptr);
  }
  size_t bytes() const override { return program_->bytes(); }
  void profile(int64_t shard, core::Profile* profile) override {
    program_->profile(shard, profile);
  }

 private:
  void check(const data::Batch& batch) const {
    check_ids(batch.source.ids, config_.source_vocabulary, "source");
    check_ids(batch.target.ids, config_.target_vocabulary, "target");
    check_ids({&config_.begin_id, 1}, config_.target_vocabulary, "target");
  }

  const ParameterStore& store_;
  const ModelConfig& config_;
  std::unique_ptr<fused::Program<T>> program_;
};

/// make(float{}) or make(double{}), whichever the parameters are, returns the program. The store
/// and the configuration have to outlive the step.
template <class Make>
FusedStep make_fused_step(const ParameterStore& store, const ModelConfig& config,
                          const Make& make) {
  if (std::string declined = kernels_declined(store); !declined.empty())
    return {nullptr, std::move(declined)};
  if (store.flat().scalar_type() == at::kFloat)
    return {std::make_unique<ProgramStep<float>>(store, config, make(float{})), ""};
  return {std::make_unique<ProgramStep<double>>(store, config, make(double{})), ""};
}

/// Decoder(places, the ids that are never predicted, parameters).
template <class Decoder, class Places>
DecoderRecipe make_decoder_recipe(const ParameterStore& store, const ModelConfig& config,
                                  Places places) {
  if (std::string declined = kernels_declined(store); !declined.empty())
    return {nullptr, std::move(declined)};
  if (store.flat().scalar_type() != at::kFloat) return {nullptr, "kernels decode in float alone"};
  const std::vector<int32_t> never = {config.padding_id, config.begin_id};
  return {[places = std::move(places), never](const float* parameters) {
            return std::make_shared<const Decoder>(places, never, parameters);
          },
          ""};
}

}  // namespace attend
