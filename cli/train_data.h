// From files to what a run trains on: pairs read, split, encoded, and the pipelines to do so.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "attend/data/corpus.h"
#include "attend/data/dataset.h"
#include "attend/text/pipeline.h"
#include "cli/run_config.h"

namespace attend::cli {

struct TrainData {
  text::Pipeline source;
  text::Pipeline target;
  data::Dataset train;
  data::Dataset held_out;  ///< empty when there is none
  std::vector<data::Pair> held_out_pairs;
  /// Pairs to show translations of, held-out ones where there are any.
  std::vector<data::Pair> samples;
  int64_t not_taken = 0;  ///< usable training pairs that data.limit and data.sample leave
};

/// Reads what `config` names. `folder`, if not empty, holds the vocabularies: of a run that goes
/// on, or of a model whose weights this run begins with; else they are built from the training
/// pairs. What is cut, unknown or left out is told to `note`, a line each; that most words are
/// unknown, to `warn`.
TrainData read_train_data(const RunConfig& config, const std::string& folder,
                          const std::function<void(const std::string&)>& note,
                          const std::function<void(const std::string&)>& warn);

}  // namespace attend::cli
