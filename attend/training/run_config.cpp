#include "attend/training/run_config.h"

namespace attend::training {

std::vector<core::ConfigTable> RunConfig::tables() {
  return {attend::data::describe(data), attend::text::describe(text), attend::describe(model),
          attend::training::describe(training), attend::decoding::describe(decoding)};
}

}  // namespace attend::training
