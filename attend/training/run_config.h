// The whole configuration of a run: every folder's table, in the order in which they are printed.
#pragma once

#include <vector>

#include "attend/data/config.h"
#include "attend/decoding/config.h"
#include "attend/models/config.h"
#include "attend/text/pipeline.h"
#include "attend/training/config.h"

namespace attend::training {

struct RunConfig {
  text::TextConfig text;
  data::DataConfig data;
  ModelConfig model;
  TrainingConfig training;
  decoding::DecodingConfig decoding;

  /// The tables over this object's fields; it has to outlive them.
  std::vector<core::ConfigTable> tables();
};

}  // namespace attend::training
