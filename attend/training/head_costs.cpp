#include "attend/training/head_costs.h"

#include <algorithm>

namespace attend::training {

HeadCosts head_costs(Seq2Seq& model, const data::Dataset& dataset, int64_t batch_size,
                     core::ThreadPool& pool,
                     const std::function<void(int64_t done, int64_t total)>& progress) {
  const std::vector<HeadId> heads = attention_heads(model);
  HeadCosts costs{*dataset_loss(model, dataset, batch_size, pool), {}};
  for (const HeadId& head : heads) {
    const WithoutHeads without(model, {head});
    const LossTotal loss = *dataset_loss(model, dataset, batch_size, pool);
    costs.heads.push_back({head, loss, loss.mean() - costs.whole.mean()});
    if (progress)
      progress(static_cast<int64_t>(costs.heads.size()), static_cast<int64_t>(heads.size()));
  }
  std::stable_sort(costs.heads.begin(), costs.heads.end(),
                   [](const HeadCost& a, const HeadCost& b) { return a.cost > b.cost; });
  return costs;
}

}  // namespace attend::training
