// Where the layers of a recurrent decoder stand, and how the encoder leaves them.
#pragma once

#include <vector>

#include "attend/fused/decoder.h"
#include "attend/fused/gru_stack.h"

namespace attend::fused {

/// The state of each layer, (B, H), in the batch's order.
struct RecurrentState {
  int64_t count = 0, width = 0;
  std::vector<std::vector<float>> layers;

  void reorder(const std::vector<int64_t>& rows) {
    for (std::vector<float>& layer : layers) select_rows(layer, rows, width);
    count = static_cast<int64_t>(rows.size());
  }
  /// Where each layer's rows are now.
  const std::vector<float*>& pointers() {
    begins_.clear();
    for (std::vector<float>& layer : layers) begins_.push_back(layer.data());
    return begins_;
  }

 private:
  std::vector<float*> begins_;
};

/// Reads the source; each layer's last state begins the decoder's. Fills `rows` and `state`.
GruStack<float>::Trace encode(const Pass<float>& pass, const GruStack<float>& encoder,
                              const data::PackedIds& source, TokenRows& rows,
                              RecurrentState& state);

}  // namespace attend::fused
