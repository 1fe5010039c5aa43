// From an encoder that reads both ways to a decoder that goes one way.
#pragma once

#include "attend/layers/recurrent.h"
#include "attend/ops/linear.h"

namespace attend {

/// h_l = tanh(W_l [forward h_l, backward h_l] + b_l): Bahdanau et al. 2015, A.2.2, who take the
/// backward state alone. An LSTM's memory, which has no bounds, comes without the tanh:
/// c_l = V_l [forward c_l, backward c_l] + d_l.
class StateBridge {
 public:
  struct Options {
    CellKind cell = CellKind::kGru;
    int64_t hidden = 0;  ///< of a direction, and of what comes out
    int64_t layers = 1;
  };

  StateBridge() = default;
  /// Registers layers.{l}.hidden.weight (H, 2H) and .bias (H), for an LSTM layers.{l}.cell too.
  StateBridge(const ParameterScope& scope, const Options& options);

  /// Two states a layer, as Recurrent gives them, become one. Throws InvalidArgument for another
  /// number of states.
  Recurrent::States operator()(const Recurrent::States& both_ways) const;

 private:
  std::vector<Linear> hidden_;
  std::vector<Linear> cell_;
};

}  // namespace attend
