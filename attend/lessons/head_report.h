// The heads of a trained Transformer, measured.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "attend/data/corpus.h"
#include "attend/lessons/map_traits.h"
#include "attend/models/heads.h"
#include "attend/models/model_files.h"

namespace attend::lessons {

/// One head: over the maps of what the model writes itself, and by what the loss is without it.
struct HeadReport {
  HeadId head;
  MapTraits traits;
  MapTraits equal;  ///< of the same maps with equal weights
  double cost = 0;  ///< nats per target token; training::head_costs
};

/// All heads, in the order of attention_heads() and of the panels of a map. Throws InvalidArgument
/// for a model without heads.
std::vector<HeadReport> report_heads(const std::shared_ptr<const LoadedModel>& loaded,
                                     const std::vector<data::Pair>& pairs);

/// A row of text each, {"cross.1:2", sharp, diagonal, mark, cost}, and before those of each kind
/// what equal weights would give.
std::vector<std::vector<std::string>> head_rows(const std::vector<HeadReport>& heads);

/// Mean loss on the pairs (nats per target token) with all heads, then without the first of
/// `order`, without the first two, and so on: one number more than heads.
std::vector<double> losses_without(const std::shared_ptr<const LoadedModel>& loaded,
                                   const std::vector<data::Pair>& pairs,
                                   const std::vector<HeadId>& order);

/// What taking out one head costs, and how many can go before the loss has risen by a tenth:
/// `losses` as heads go, the cheapest first.
Bilingual heads_finding(const std::vector<HeadReport>& heads, const std::vector<double>& losses);

}  // namespace attend::lessons
