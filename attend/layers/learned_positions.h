// A learned row for each position (Gehring et al. 2017, 3.1; Vaswani et al. 2017, table 3, E).
#pragma once

#include "attend/ops/parameter_store.h"

namespace attend {

class LearnedPositions {
 public:
  struct Options {
    int64_t length = 0;  ///< rows of the table, at least 1
    int64_t width = 0;
    Init init = Init::kNormal;
  };

  LearnedPositions() = default;
  /// Registers `weight` (length, width). Throws InvalidArgument for sizes below 1.
  LearnedPositions(const ParameterScope& scope, const Options& options);

  /// Rows first .. first + count - 1, (count, width). Positions beyond the table get its last row.
  at::Tensor rows(int64_t first, int64_t count) const;

 private:
  Parameter weight_;
};

}  // namespace attend
