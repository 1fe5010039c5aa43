// What lessons 3 and 4 find, in words that are made from the run's own numbers.
#pragma once

#include "attend/lessons/bilingual.h"
#include "attend/lessons/regression_data.h"

namespace attend::lessons {

/// Whether near keys count most: from the weights (queries, N).
Bilingual nearness_finding(const at::Tensor& weights, const RegressionData& data);

/// Which kernel follows the pairs most closely, and which queries none of them reaches.
Bilingual kernels_finding(const RegressionOptions& options, const RegressionData& data);

/// How many pairs share a query's weight at either width, and what that does to the error.
Bilingual sharing_finding(const RegressionOptions& options, const KernelRegression& before,
                          const KernelRegression& after, const RegressionData& data);

struct FoundWidths {
  double learned, with_own_pair, best;
};
/// Where the loss is lowest, and where the two descents ended.
Bilingual widths_finding(const RegressionOptions& options, const RegressionData& data,
                         const FoundWidths& found);

}  // namespace attend::lessons
