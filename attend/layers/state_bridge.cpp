#include "attend/layers/state_bridge.h"

#include <ATen/ops/cat.h>

#include <string>

#include "attend/core/errors.h"

namespace attend {

StateBridge::StateBridge(const ParameterScope& scope, const Options& options) {
  const Linear::Options halving{.inputs = 2 * options.hidden, .outputs = options.hidden};
  for (int64_t l = 0; l < options.layers; ++l) {
    const ParameterScope at = scope.scope("layers." + std::to_string(l));
    hidden_.emplace_back(at.scope("hidden"), halving);
    if (options.cell == CellKind::kLstm) cell_.emplace_back(at.scope("cell"), halving);
  }
}

Recurrent::States StateBridge::operator()(const Recurrent::States& both_ways) const {
  if (both_ways.size() != 2 * hidden_.size())
    throw InvalidArgument("[state_bridge] expected " + std::to_string(2 * hidden_.size()) +
                          " states, two a layer, found " + std::to_string(both_ways.size()));
  Recurrent::States states;
  for (size_t l = 0; l < hidden_.size(); ++l) {
    const ops::CellState &forth = both_ways[2 * l], &back = both_ways[2 * l + 1];
    ops::CellState state{hidden_[l](at::cat({forth.hidden, back.hidden}, 1)).tanh(), {}};  // (B, H)
    if (!cell_.empty()) state.cell = cell_[l](at::cat({forth.cell, back.cell}, 1));
    states.push_back(state);
  }
  return states;
}

}  // namespace attend
