// The ops that stand on kernels, each at the sizes it is timed at and those it is tested at. One
// table for the tests (against the composed twin, and by differences in double) and for
// attend_bench_ops; bench/peers/ops_forms.py has the same cases, by name, as PyTorch has them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bench/work.h"

namespace attend::bench {

using Sizes = std::vector<int64_t>;
using PassOfLeaves = std::function<at::Tensor(const Leaves&)>;

struct OpCase {
  std::string name;
  std::vector<std::string> letters;  ///< what the sizes count, as {"N", "D"}
  std::vector<Sizes> timed;          ///< the chapter's, middle, large
  std::vector<Sizes> swept;          ///< odd, one, empty: for tests alone
  std::function<Shapes(const Sizes&)> leaves;
  /// A pass over the leaves; what it needs beside them (masks, targets) is made beforehand.
  std::function<PassOfLeaves(const Sizes&)> fused;
  std::function<PassOfLeaves(const Sizes&)> twin;
};

const std::vector<OpCase>& op_cases();

/// Throws InvalidArgument, naming the nearest, when there is none of this name.
const OpCase& find_op_case(const std::string& name);

/// "N = 640, D = 32"
std::string size_text(const OpCase& one, const Sizes& sizes);

}  // namespace attend::bench
