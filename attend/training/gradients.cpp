#include "attend/training/gradients.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>

#include "attend/training/adam.h"

namespace attend::training {
namespace {

// The target tokens that a thread gets through in the 30 us or so in which another one wakes, at
// about six operations a parameter and token.
int64_t head_start(int64_t parameters) {
  constexpr int64_t kOperations = 2'500'000;
  return kOperations / (6 * std::max<int64_t>(parameters, 1));
}

// One shard: forward, backward, and the gradients into its flat buffer.
LossTotal shard_gradient(const Seq2Seq& model, const std::vector<at::Tensor>& parameters,
                         const data::Batch& shard, const ops::DropoutState& dropout,
                         core::Profile* profile, at::Tensor& buffer) {
  c10::AutoGradMode with_gradients(true);
  if (shard.target_tokens() == 0) {
    c10::NoGradGuard no_grad;
    buffer.zero_();
    return {};
  }
  core::Profile::Zone zone(profile, "forward and loss");
  const LossSum loss = model.loss(shard, dropout);
  zone.next("backward (autograd)");
  const auto gradients = torch::autograd::grad({loss.sum}, parameters, {}, false, false, true);
  zone.next("gathering gradients");
  model.parameters().gather(gradients, buffer);
  return {loss.sum.item<double>(), loss.tokens};
}

// Sentences of a held-out batch that kernels take at once: all threads have work in small data.
constexpr int64_t kLossSentences = 64;

LossTotal batch_loss(const Seq2Seq& model, TrainingStep* kernels, int64_t shard,
                     const data::Batch& batch) {
  if (kernels == nullptr) {
    const LossSum loss = model.loss(batch, {});
    return {loss.sum.item<double>(), loss.tokens};
  }
  if (batch.target_tokens() == 0) return {};
  return {kernels->loss(shard, batch), batch.target_tokens()};
}

}  // namespace

FusedStep training_step(const Seq2Seq& model, ops::Products products) {
  if (products == ops::Products::kBfloat16)
    return {nullptr,
            "they compute float32 products, and products = \"bfloat16\" asks for LibTorch's"};
  return model.fused_step();
}

Gradients::Gradients(const Seq2Seq& model, core::ThreadPool& pool, StepProfile* profile,
                     ops::Products products)
    : model_(model),
      pool_(pool),
      profile_(profile),
      products_(products),
      step_(training_step(model, products)),
      parameters_(model.parameters().tensors()) {
  flat_ = at::empty({model.parameters().numel()}, model.parameters().flat().options());
  if (profile_ != nullptr) profile_->begin(pool_, step_.declined);
}

StepGradient Gradients::compute(const data::Batch& batch, const ops::DropoutState& dropout,
                                int64_t shards) {
  core::Profile::Zone zone(profile_ == nullptr ? nullptr : &profile_->main(),
                           StepProfile::kBatches);
  if (shards <= 0) shards = flat_.device().is_cpu() ? data::shard_count(batch) : 1;
  const std::vector<data::Batch> parts =
      data::shard_batch(batch, shards, head_start(flat_.numel()));
  zone.end();
  {
    const StepProfile::Together together(profile_, StepProfile::kPacking);
    while (buffers_.size() < std::max<size_t>(parts.size(), 1))
      buffers_.push_back(at::empty_like(flat_));
    if (step_.kernels) step_.kernels->prepare(static_cast<int64_t>(parts.size()), &pool_);
  }
  StepGradient step{run_shards(parts, dropout)};
  if (step.loss.tokens == 0) {
    flat_.zero_();
    return step;
  }
  const StepProfile::Together together(profile_, StepProfile::kSum);
  const std::vector<at::Tensor> used(buffers_.begin(),
                                     buffers_.begin() + static_cast<int64_t>(parts.size()));
  step.norm = sum_parts(used, 1.0 / static_cast<double>(step.loss.tokens), flat_, pool_);
  return step;
}

// Loss and gradient of each shard, the latter in its buffer.
LossTotal Gradients::run_shards(const std::vector<data::Batch>& parts,
                                const ops::DropoutState& dropout) {
  std::vector<core::Profile*> profiles(parts.size(), nullptr);
  for (size_t s = 0; profile_ != nullptr && s < parts.size(); ++s) {
    profiles[s] = &profile_->shard(static_cast<int64_t>(s));
    if (step_.kernels) step_.kernels->profile(static_cast<int64_t>(s), profiles[s]);
  }
  std::vector<LossTotal> losses(parts.size());
  {
    const StepProfile::Together together(profile_, StepProfile::kShards);
    pool_.run(static_cast<int64_t>(parts.size()), [&](int64_t i) {
      const ops::ProductsScope scope(products_);
      const auto s = static_cast<size_t>(i);
      if (step_.kernels && parts[s].target_tokens() > 0)
        losses[s] = {step_.kernels->run(i, parts[s], dropout, buffers_[s]),
                     parts[s].target_tokens()};
      else
        losses[s] =
            shard_gradient(model_, parameters_, parts[s], dropout, profiles[s], buffers_[s]);
    });
  }
  LossTotal total;
  for (const LossTotal& loss : losses) {
    total.sum += loss.sum;
    total.tokens += loss.tokens;
  }
  return total;
}

std::string Gradients::first_not_finite() const {
  return model_.parameters().first_not_finite(flat_);
}

std::optional<LossTotal> dataset_loss(const Seq2Seq& model, const data::Dataset& dataset,
                                      int64_t batch_size, core::ThreadPool& pool,
                                      const std::atomic<bool>* stop) {
  const FusedStep step = model.fused_step();
  if (step.kernels) batch_size = std::min(batch_size, kLossSentences);
  const data::Epoch batches(dataset, {.sentences = batch_size, .shuffle = false}, 0, 0);
  std::vector<LossTotal> losses(static_cast<size_t>(batches.size()));
  std::atomic<bool> stopped = false;
  std::atomic<int64_t> next = 0;
  const int64_t workers = std::min<int64_t>(pool.size(), batches.size());
  if (step.kernels) step.kernels->prepare(workers, &pool);
  // A worker is a shard of the step: whichever takes a batch, its loss is the same.
  pool.run(workers, [&](int64_t worker) {
    c10::NoGradGuard no_grad;
    for (int64_t i = next++; i < batches.size(); i = next++) {
      if (stop != nullptr && *stop) stopped = true;
      if (stopped) return;
      losses[static_cast<size_t>(i)] =
          batch_loss(model, step.kernels.get(), worker, batches.batch(i));
    }
  });
  if (stopped) return std::nullopt;
  LossTotal total;
  for (const LossTotal& loss : losses) {
    total.sum += loss.sum;
    total.tokens += loss.tokens;
  }
  return total;
}

}  // namespace attend::training
