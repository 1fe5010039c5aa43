#include <ATen/ops/matmul.h>
#include <ATen/ops/softmax.h>
#include <gmock/gmock.h>

#include "attend/attention/attention.h"
#include "attend/core/errors.h"
#include "tests/support/compare.h"
#include "tests/support/golden.h"
#include "tests/support/gradcheck.h"

namespace attend {
namespace {

using namespace ::attend::testing;  // NOLINT(google-build-using-namespace)
using ::testing::ElementsAre;
using ::testing::HasSubstr;

at::Tensor golden(const std::string& name) { return ops_goldens().get(name); }

struct Additive {
  explicit Additive(at::ScalarType dtype = at::kDouble)
      : attention(store.scope("attention"), {.query_size = 5, .key_size = 7, .hidden = 8}) {
    store.allocate({.dtype = dtype});
    set_parameter(store, "attention.query.weight", golden("additive.wq"));
    set_parameter(store, "attention.key.weight", golden("additive.wk"));
    set_parameter(store, "attention.score.weight", golden("additive.w"));
  }
  ParameterStore store;
  AdditiveAttention attention;
};

TEST(AdditiveLayer, AgreesWithTheFormula) {
  for (const auto dtype : {at::kDouble, at::kFloat}) {
    const Additive layer(dtype);
    const auto get = [&](const char* part) {
      return golden(std::string("additive.") + part).to(dtype);
    };
    const auto found = layer.attention.forward(get("q"), get("k"), get("values"),
                                               Mask::padding(golden("additive.lengths")),
                                               {.return_weights = true});
    EXPECT_TRUE(close(found.output, get("output")));
    EXPECT_TRUE(close(found.weights, get("weights")));
  }
}

// OpenNMT-py#892: a bias too many.
TEST(AdditiveLayer, HasNoBias) {
  const Additive layer;
  std::vector<std::string> names;
  for (const auto& slot : layer.store.slots()) names.push_back(slot->name);
  EXPECT_THAT(names, ElementsAre("attention.query.weight", "attention.key.weight",
                                 "attention.score.weight"));
}

TEST(AdditiveLayer, KeysProjectedOnceGiveTheSame) {
  const Additive layer;
  const at::Tensor q = golden("additive.q"), k = golden("additive.k"),
                   v = golden("additive.values");
  const Mask mask = Mask::padding({4, 0}).prepare(2, 1, 1, 4, at::kCPU);
  const at::Tensor projected = layer.attention.project_keys(k);
  const at::Tensor whole = layer.attention.forward(q, k, v, Mask::padding({4, 0})).output;
  for (int64_t i = 0; i < 3; ++i)
    EXPECT_TRUE(
        close(layer.attention.forward_projected(q.slice(1, i, i + 1), projected, v, mask).output,
              whole.slice(1, i, i + 1)));
}

TEST(AdditiveLayer, GradientsInDouble) {
  const Additive layer;
  std::vector<at::Tensor> in{leaf({2, 3, 5}), leaf({2, 4, 7}, 1), leaf({2, 4, 6}, 2)};
  for (const at::Tensor& p : layer.store.tensors()) in.push_back(p);
  const TensorFunction f = [&](const auto& x) {
    return layer.attention.forward(x[0], x[1], x[2], Mask::padding({3, 0})).output;
  };
  EXPECT_TRUE(check_gradients(f, in));
}

TEST(AdditiveLayer, WrongSizesAreNamed) {
  const Additive layer;
  EXPECT_THAT(
      message_of([&] {
        layer.attention.forward(cosines({2, 3, 7}), cosines({2, 4, 7}), cosines({2, 4, 6}),
                                Mask::none());
      }),
      HasSubstr("[attention] expected queries (B, [H,] Tq, 5) and keys (B, [H,] Tk, 7), found "
                "(2, 3, 7) and (2, 4, 7)"));
}

TEST(DotProduct, PlainAndScaled) {
  const at::Tensor q = cosines({2, 3, 4}), k = cosines({2, 5, 4}, 1), v = cosines({2, 5, 2}, 2);
  const at::Tensor scores = at::matmul(q, k.transpose(1, 2));
  const auto plain = attend_by(DotScore(), q, k, v, Mask::none(), {.return_weights = true});
  const auto scaled = attend_by(ScaledDotScore(), q, k, v, Mask::none(), {.return_weights = true});
  EXPECT_TRUE(close(plain.weights, at::softmax(scores, -1)));
  EXPECT_TRUE(close(scaled.weights, at::softmax(scores.div(2.0), -1)));
  EXPECT_TRUE(close(scaled.output, at::matmul(scaled.weights, v)));
  EXPECT_FALSE(attend_by(ScaledDotScore(), q, k, v, Mask::none()).weights.defined());
}

TEST(DotProduct, WrongShapesAreNamed) {
  EXPECT_THAT(message_of([] {
                attend_by(DotScore(), cosines({2, 3, 4}), cosines({2, 4, 5}), cosines({2, 4, 2}),
                          Mask::none());
              }),
              HasSubstr("[dot_score] expected queries (B, [H,] Tq, D) and keys (B, [H,] Tk, D), "
                        "found (2, 3, 4) and (2, 4, 5)"));
}

}  // namespace
}  // namespace attend
