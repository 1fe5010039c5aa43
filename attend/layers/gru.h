// A stack of one-way GRU layers over packed rows (the recurrence is in ops/gru_sequence.h).
#pragma once

#include <vector>

#include "attend/ops/dropout.h"
#include "attend/ops/gru_sequence.h"
#include "attend/ops/parameter_store.h"

namespace attend {

class Gru {
 public:
  struct Options {
    int64_t inputs = 0;
    int64_t hidden = 0;
    int64_t layers = 1;
  };

  Gru() = default;
  /// Registers layers.{l}.weight_ih (3H, I), weight_hh (3H, H), bias_ih (3H), bias_hh (3H):
  /// PyTorch's layout. Weights Xavier uniform, biases zero. Throws InvalidArgument for no layer.
  Gru(const ParameterScope& scope, const Options& options);

  struct Output {
    at::Tensor rows;                ///< (N, H), time-major: the top layer's states
    std::vector<at::Tensor> final;  ///< one (B, H) a layer, in the layout's order
  };

  /// rows (N, inputs) time-major; `initial` one (B, H) a layer in the layout's order, or empty for
  /// zeros. Dropout acts between the layers; `row_numbers` are those of the time-major rows.
  Output forward(const at::Tensor& rows, const ops::TimeMajor& layout,
                 const std::vector<at::Tensor>& initial, const ops::DropoutState& dropout,
                 const std::vector<int64_t>& row_numbers) const;

  /// One step without dropout: x (B, inputs); `states`, one (B, H) a layer, move on. Returns the
  /// top. Throws InvalidArgument for another number of states, as forward() does.
  at::Tensor step(const at::Tensor& x, std::vector<at::Tensor>& states) const;

  int64_t layers() const { return static_cast<int64_t>(layers_.size()); }
  int64_t hidden() const { return hidden_; }
  ops::GruWeights weights(int64_t layer) const;
  /// The dropout site of the rows that enter `layer` (>= 1).
  uint32_t site(int64_t layer) const { return sites_[static_cast<size_t>(layer)]; }

 private:
  struct Layer {
    Parameter input, hidden, input_bias, hidden_bias;
  };
  void check_states(const std::vector<at::Tensor>& states) const;

  std::vector<Layer> layers_;
  std::vector<uint32_t> sites_;
  int64_t hidden_ = 0;
};

}  // namespace attend
