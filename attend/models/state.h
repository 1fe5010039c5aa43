// What the decoder states have in common: checks, and row selection.
#pragma once

#include <string>
#include <vector>

#include "attend/core/errors.h"
#include "attend/models/seq2seq.h"
#include "attend/ops/packed.h"

namespace attend {

/// The state as the model's own type. Throws InvalidArgument for another model's state, or when the
/// number of tokens is not the number of sentences.
template <class State>
State& state_as(DecoderState& state, const std::vector<int32_t>& tokens, const char* model) {
  auto* own = dynamic_cast<State*>(&state);
  if (own == nullptr)
    throw InvalidArgument("[" + std::string(model) + "] expected a state of its own start()");
  if (static_cast<int64_t>(tokens.size()) != own->size())
    throw InvalidArgument("[" + std::string(model) + "] expected " + std::to_string(own->size()) +
                          " tokens, one a sentence, found " + std::to_string(tokens.size()));
  return *own;
}

/// Throws InvalidArgument unless each row lies in [0, size).
inline void check_rows(const std::vector<int64_t>& rows, int64_t size) {
  for (const int64_t row : rows)
    if (row < 0 || row >= size)
      throw InvalidArgument("[reorder] expected rows in [0, " + std::to_string(size) + "), found " +
                            std::to_string(row));
}

/// An index of checked rows.
inline at::Tensor state_rows(const std::vector<int64_t>& rows, int64_t size, at::Device device) {
  check_rows(rows, size);
  return ops::index_tensor(rows, device);
}

}  // namespace attend
