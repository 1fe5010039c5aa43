// Every line of code in docs/attention.md compiles, runs and gives finite numbers. The blocks come
// from the page itself, by tools/docs_code.awk.
#include <ATen/TensorOperators.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/tanh.h>
#include <gtest/gtest.h>

#include <cmath>

#include "attend/attention/alibi.h"
#include "attend/attention/attention.h"
#include "attend/attention/hard.h"
#include "attend/attention/linear_attention.h"
#include "attend/attention/multi_head.h"
#include "attend/attention/pooling.h"
#include "attend/attention/relative.h"
#include "attend/attention/rotary.h"
#include "attend/attention/structured.h"
#include "attend/attention/t5_bias.h"
#include "attend/layers/learned_positions.h"
#include "attend/layers/sinusoidal.h"
#include "attend/ops/masked_softmax.h"
#include "tests/support/tensors.h"

namespace attend {
namespace {

// What the page says of its names.
struct Page : ::testing::Test {
  static at::Tensor tensor(const std::vector<int64_t>& shape, double start = 0.0) {
    return testing::cosines(shape, start, at::kFloat);
  }
  static void check(const at::Tensor& seen) {
    ASSERT_TRUE(seen.defined());
    EXPECT_GT(seen.numel(), 0);
    EXPECT_TRUE(seen.isfinite().all().item<bool>());
  }
  static void check(const ops::AttentionResult& seen) { check(seen.output); }

  ParameterStore store;
  std::vector<int64_t> lengths{5, 2};
  at::Tensor queries = tensor({2, 3, 32}), keys = tensor({2, 5, 32}, 1),
             values = tensor({2, 5, 6}, 2);
  at::Tensor q = tensor({2, 4, 5, 8}), k = tensor({2, 4, 5, 8}, 1), v = tensor({2, 4, 5, 8}, 2);
  at::Tensor x = tensor({2, 5, 32}), scores = tensor({2, 3, 5}), width = tensor({32});
};

#include "attention_page.inc"

}  // namespace
}  // namespace attend
