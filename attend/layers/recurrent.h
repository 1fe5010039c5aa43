// A stack of recurrent layers over packed rows: RNN, LSTM or GRU, read one way or both ways. The
// recurrences are in ops/gru_sequence.h and ops/recurrent_sequence.h.
#pragma once

#include <string_view>
#include <vector>

#include "attend/layers/kinds.h"
#include "attend/ops/dropout.h"
#include "attend/ops/parameter_store.h"
#include "attend/ops/recurrent.h"

namespace attend {

/// "rnn", "lstm" or "gru": as configurations and the names of parameters have it.
std::string_view cell_name(CellKind cell);

/// One step of one layer for B sequences, from the products: input_gates (B, G H) = W_i x + b_i and
/// hidden_gates (B, G H) = W_h h + b_h.
ops::CellState cell_step(CellKind cell, const at::Tensor& input_gates,
                         const at::Tensor& hidden_gates, const ops::CellState& state);

class Recurrent {
 public:
  struct Options {
    CellKind cell = CellKind::kGru;
    int64_t inputs = 0;
    int64_t hidden = 0;
    int64_t layers = 1;
    bool bidirectional = false;  ///< each layer reads both ways and hands both states on
  };

  Recurrent() = default;
  /// Registers layers.{l}.weight_ih (G H, I), weight_hh (G H, H), bias_ih (G H), bias_hh (G H), G
  /// and the order of the blocks as in ops::RecurrentWeights; when bidirectional also the same with
  /// `_reverse` behind. I is `inputs` in layer 0, then H, or 2H when bidirectional. All this is
  /// PyTorch's layout. Weights Xavier uniform, biases zero. Throws InvalidArgument for no layer.
  Recurrent(const ParameterScope& scope, const Options& options);

  /// Layer by layer; when bidirectional each layer's forward state, then its backward one.
  using States = std::vector<ops::CellState>;

  struct Output {
    at::Tensor rows;  ///< (N, width()), time-major: the top layer's states, [forward, backward]
    States final;     ///< (B, H) each, in the layout's order; a backward one has read token 0 last
  };

  /// rows (N, inputs) time-major; `initial` in the layout's order, or empty for zeros. Sequences
  /// may be empty. Dropout acts between the layers; `row_numbers` are those of the time-major rows.
  /// Throws InvalidArgument for another number of states.
  Output forward(const at::Tensor& rows, const ops::TimeMajor& layout, const States& initial,
                 const ops::DropoutState& dropout, const std::vector<int64_t>& row_numbers) const;

  /// One step without dropout: x (B, inputs); `states` move on. Returns the top, (B, H). Throws
  /// InvalidArgument for another number of states, and when bidirectional.
  at::Tensor step(const at::Tensor& x, States& states) const;

  CellKind cell() const { return cell_; }
  int64_t layers() const { return static_cast<int64_t>(layers_.size()) / directions_; }
  int64_t hidden() const { return hidden_; }
  int64_t width() const { return directions_ * hidden_; }  ///< of the rows that come out
  /// Of the forward direction.
  ops::RecurrentWeights weights(int64_t layer) const { return weights_at(layer * directions_); }
  /// The dropout site of the rows that enter `layer` (>= 1).
  uint32_t site(int64_t layer) const { return sites_[static_cast<size_t>(layer)]; }

 private:
  struct Layer {
    Parameter input, hidden, input_bias, hidden_bias;
  };
  void add_layer(const ParameterScope& at, int64_t inputs, const std::string& suffix);
  ops::RecurrentWeights weights_at(int64_t index) const;
  void check_states(const States& states) const;
  ops::SequenceOutput read(const at::Tensor& rows, const ops::TimeMajor& layout,
                           const States& initial, int64_t index) const;

  CellKind cell_ = CellKind::kGru;
  std::vector<Layer> layers_;  // as States
  std::vector<uint32_t> sites_;
  int64_t hidden_ = 0;
  int64_t directions_ = 1;
};

/// The same rows (sentences) of every state.
Recurrent::States select_rows(const Recurrent::States& states, const at::Tensor& index);

}  // namespace attend
