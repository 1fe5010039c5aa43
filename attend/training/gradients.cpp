#include "attend/training/gradients.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/isfinite.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>

#include "attend/training/adam.h"

namespace attend::training {
namespace {

// One shard: forward, backward, and the gradients into its flat buffer.
LossTotal shard_gradient(const Seq2Seq& model, const std::vector<at::Tensor>& parameters,
                         const data::Batch& shard, const ops::DropoutState& dropout,
                         at::Tensor& buffer) {
  c10::AutoGradMode with_gradients(true);
  if (shard.target_tokens() == 0) {
    c10::NoGradGuard no_grad;
    buffer.zero_();
    return {};
  }
  const LossSum loss = model.loss(shard, dropout);
  const auto gradients = torch::autograd::grad({loss.sum}, parameters, {}, false, false, true);
  model.parameters().gather(gradients, buffer);
  return {loss.sum.item<double>(), loss.tokens};
}

}  // namespace

Gradients::Gradients(const Seq2Seq& model, core::ThreadPool& pool)
    : model_(model),
      pool_(pool),
      step_(model.fused_step()),
      parameters_(model.parameters().tensors()) {
  flat_ = at::empty({model.parameters().numel()}, model.parameters().flat().options());
}

StepGradient Gradients::compute(const data::Batch& batch, const ops::DropoutState& dropout,
                                int64_t shards) {
  if (shards <= 0) shards = flat_.device().is_cpu() ? data::shard_count(batch) : 1;
  const std::vector<data::Batch> parts = data::shard_batch(batch, shards);
  while (buffers_.size() < std::max<size_t>(parts.size(), 1))
    buffers_.push_back(at::empty_like(flat_));
  std::vector<LossTotal> losses(parts.size());
  if (step_.kernels) step_.kernels->prepare(static_cast<int64_t>(parts.size()));
  pool_.run(static_cast<int64_t>(parts.size()), [&](int64_t i) {
    const auto s = static_cast<size_t>(i);
    if (step_.kernels && parts[s].target_tokens() > 0)
      losses[s] = {step_.kernels->run(i, parts[s], dropout, buffers_[s]), parts[s].target_tokens()};
    else
      losses[s] = shard_gradient(model_, parameters_, parts[s], dropout, buffers_[s]);
  });
  StepGradient step;
  for (const LossTotal& loss : losses) {
    step.loss.sum += loss.sum;
    step.loss.tokens += loss.tokens;
  }
  if (step.loss.tokens == 0) {
    flat_.zero_();
    return step;
  }
  const std::vector<at::Tensor> used(buffers_.begin(),
                                     buffers_.begin() + static_cast<int64_t>(parts.size()));
  step.norm = sum_parts(used, 1.0 / static_cast<double>(step.loss.tokens), flat_, pool_);
  return step;
}

std::string Gradients::first_not_finite() const {
  for (const auto& slot : model_.parameters().slots())
    if (!at::isfinite(flat_.narrow(0, slot->offset, slot->numel)).all().item<bool>())
      return slot->name;
  return {};
}

std::optional<LossTotal> dataset_loss(const Seq2Seq& model, const data::Dataset& dataset,
                                      int64_t batch_size, core::ThreadPool& pool,
                                      const std::atomic<bool>* stop) {
  const data::Epoch batches(dataset, {.sentences = batch_size, .shuffle = false}, 0, 0);
  std::vector<LossTotal> losses(static_cast<size_t>(batches.size()));
  std::atomic<bool> stopped = false;
  pool.run(batches.size(), [&](int64_t i) {
    if (stop != nullptr && *stop) stopped = true;
    if (stopped) return;
    c10::NoGradGuard no_grad;
    const LossSum loss = model.loss(batches.batch(i), {});
    losses[static_cast<size_t>(i)] = {loss.sum.item<double>(), loss.tokens};
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
