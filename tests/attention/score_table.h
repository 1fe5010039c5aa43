// What holds for every score under every normaliser, as abstract tests: score_table_test.cpp has
// them, and a file that has a score of its own instantiates them for it:
//
//   INSTANTIATE_TEST_SUITE_P(Mine, ScoreTable, every_normaliser({my_case}), name_of_row);
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <tuple>
#include <vector>

#include "attend/attention/attention.h"
#include "tests/support/gradcheck.h"

namespace attend::testing {

struct ScoreCase {
  std::string name;
  int64_t key_size;  ///< queries have 4; another size where the score allows it
  std::function<std::unique_ptr<const Score>(const ParameterScope&, const ScoreOptions&)> make;
};

inline void PrintTo(const ScoreCase& score, std::ostream* out) { *out << score.name; }

/// The case of a score that is chosen by type.
template <ScoreType S>
ScoreCase case_of(const std::string& name, int64_t key_size) {
  return {name, key_size, [](const ParameterScope& scope, const ScoreOptions& options) {
            return std::make_unique<const S>(scope, options);
          }};
}

/// A score with parameters that need no generator.
struct ScoreLayer {
  explicit ScoreLayer(const ScoreCase& score, int64_t heads = 1, at::ScalarType dtype = at::kDouble,
                      at::Device device = at::kCPU)
      : options{.query_size = 4, .key_size = score.key_size, .hidden = 6, .heads = heads},
        attention(score.make(store.scope(), options), options) {
    store.allocate({.device = device, .dtype = dtype});
    double start = 3.0;
    for (const auto& slot : store.slots())
      set_parameter(store, slot->name, cosines(slot->shape, start++).mul(0.7));
  }
  ParameterStore store;
  ScoreOptions options;
  Attention attention;
};

struct NamedNormaliser {
  Normaliser kind;
  std::string name;
};

inline void PrintTo(const NamedNormaliser& normaliser, std::ostream* out) {
  *out << normaliser.name;
}

/// The row of the table: a score and a normaliser.
struct ScoreTable : ::testing::TestWithParam<std::tuple<ScoreCase, NamedNormaliser>> {
  static const ScoreCase& score() { return std::get<0>(GetParam()); }
  static Normaliser normaliser() { return std::get<1>(GetParam()).kind; }
  static std::string name() { return std::get<1>(GetParam()).name; }
  static bool sums_to_one() { return normaliser() != Normaliser::kNone; }
  static ops::AttentionOptions options(bool weights = true) {
    ops::AttentionOptions o{.return_weights = weights};
    o.normaliser = normaliser();
    return o;
  }
  // (B, [H,] T, D)
  static at::Tensor tensor(int64_t batch, int64_t heads, int64_t length, int64_t width,
                           double start, at::ScalarType dtype = at::kDouble) {
    return heads == 1 ? leaf({batch, length, width}, start, dtype)
                      : leaf({batch, heads, length, width}, start, dtype);
  }
  static std::vector<at::Tensor> inputs(int64_t heads, at::ScalarType dtype = at::kDouble) {
    return {tensor(2, heads, 3, 4, 0, dtype), tensor(2, heads, 4, score().key_size, 1, dtype),
            tensor(2, heads, 4, 3, 2, dtype)};
  }
  static std::vector<at::Tensor> with_parameters(const ScoreLayer& layer,
                                                 std::vector<at::Tensor> in) {
    for (const at::Tensor& p : layer.store.tensors()) in.push_back(p);
    return in;
  }
  static TensorFunction output(const ScoreLayer& layer, const Mask& mask) {
    return [&layer, mask](const auto& in) {
      return layer.attention.forward(in[0], in[1], in[2], mask, options()).output;
    };
  }
};

inline auto every_normaliser(const std::vector<ScoreCase>& cases) {
  return ::testing::Combine(::testing::ValuesIn(cases),
                            ::testing::Values(NamedNormaliser{Normaliser::kSoftmax, "softmax"},
                                              NamedNormaliser{Normaliser::kSparsemax, "sparsemax"},
                                              NamedNormaliser{Normaliser::kNone, "none"}));
}

inline std::string name_of_row(const ::testing::TestParamInfo<ScoreTable::ParamType>& info) {
  return std::get<0>(info.param).name + "_" + std::get<1>(info.param).name;
}

}  // namespace attend::testing
