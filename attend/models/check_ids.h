// Kernels index embeddings and logits by token ids as they come, so what calls them looks first.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>

#include "attend/core/errors.h"

namespace attend {

/// Throws InvalidArgument unless all are in [0, vocabulary); `side` is a word for the message.
inline void check_ids(std::span<const int32_t> ids, int64_t vocabulary, const char* side) {
  const auto wrong =
      std::find_if(ids.begin(), ids.end(), [&](int32_t id) { return id < 0 || id >= vocabulary; });
  if (wrong != ids.end())
    throw InvalidArgument("[model] expected " + std::string(side) + " ids in [0, " +
                          std::to_string(vocabulary) + "), found " + std::to_string(*wrong));
}

}  // namespace attend
