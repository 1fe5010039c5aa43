// What each head is worth: the loss of the model without it. Michel et al. 2019, 3.1, have BLEU in
// place of the loss.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "attend/models/heads.h"
#include "attend/training/gradients.h"

namespace attend::training {

struct HeadCost {
  HeadId head;
  LossTotal without;  ///< of the model without this head
  double cost = 0.0;  ///< mean loss without it minus mean loss, nats a token; below 0: it harms
};

struct HeadCosts {
  LossTotal whole;              ///< of the model as it is
  std::vector<HeadCost> heads;  ///< the dearest first
};

/// Takes out one head at a time, each time from the model as it is, and measures dataset_loss() on
/// `dataset`. Leaves the model's weights as they were, bit by bit; nothing else may use the model
/// meanwhile. `progress`, if not empty, is called after each head with the number done and in all.
/// Throws InvalidArgument for a model without heads.
HeadCosts head_costs(Seq2Seq& model, const data::Dataset& dataset, int64_t batch_size,
                     core::ThreadPool& pool,
                     const std::function<void(int64_t done, int64_t total)>& progress = {});

}  // namespace attend::training
