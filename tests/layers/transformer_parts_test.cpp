// Norms, the feed-forward network, learned positions and add & norm.
#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <gmock/gmock.h>

#include "attend/core/errors.h"
#include "attend/layers/feed_forward.h"
#include "attend/layers/learned_positions.h"
#include "attend/layers/residual_norm.h"
#include "tests/support/golden.h"
#include "tests/support/gradcheck.h"

namespace attend {
namespace {

using namespace ::attend::testing;  // NOLINT(google-build-using-namespace)
using ::testing::HasSubstr;

const Goldens& goldens() {
  static const Goldens golden("attention/heads.safetensors");
  return golden;
}

// A layer with its store in this dtype; weights by name from the goldens where they are there.
template <class Layer>
struct Built {
  explicit Built(const typename Layer::Options& options, at::ScalarType dtype = at::kDouble,
                 const std::string& golden = "")
      : layer(store.scope(), options) {
    store.allocate({.seed = 6, .dtype = dtype});
    if (golden.empty()) return;
    for (const auto& slot : store.slots())
      set_parameter(store, slot->name, goldens().get(golden + "." + slot->name));
  }
  ParameterStore store;
  Layer layer;
};

TEST(RmsNorm, AgreesWithPyTorchThroughTheNameOfItsKind) {
  for (const auto dtype : {at::kDouble, at::kFloat, at::kBFloat16}) {
    const Built<Norm> norm({.width = 6, .kind = NormKind::kRms}, dtype, "rms");
    EXPECT_EQ(norm.store.slots().size(), 1u);
    EXPECT_TRUE(
        close(norm.layer(goldens().get("rms.x").to(dtype)), goldens().get("rms.output").to(dtype)));
  }
}

TEST(FeedForwardKinds, AgreeWithPyTorch) {
  const std::vector<std::pair<Activation, std::string>> kinds{
      {Activation::kRelu, "relu"}, {Activation::kGelu, "gelu"}, {Activation::kSwiglu, "swiglu"}};
  for (const auto& [activation, name] : kinds)
    for (const auto dtype : {at::kDouble, at::kFloat}) {
      const Built<FeedForward> built({.width = 6, .inner = 9, .activation = activation}, dtype,
                                     "feed_forward");
      EXPECT_EQ(built.store.slots().size(), activation == Activation::kSwiglu ? 6u : 4u);
      EXPECT_TRUE(close(built.layer(goldens().get("feed_forward.x").to(dtype)),
                        goldens().get("feed_forward." + name).to(dtype)))
          << name;
    }
}

template <class Layer>
::testing::AssertionResult has_gradients(const typename Layer::Options& options) {
  const Built<Layer> built(options);
  std::vector<at::Tensor> in{leaf({2, 4})};
  for (const at::Tensor& p : built.store.tensors()) in.push_back(p);
  return check_gradients(
      [&](const std::vector<at::Tensor>& x) {
        if constexpr (std::is_same_v<Layer, ResidualNorm>)
          return built.layer(x[0], [](const at::Tensor& y) { return y * y; },
                             {.probability = 0.3, .seed = 1, .step = 2}, {0, 1});
        else
          return built.layer(x[0]);
      },
      in);
}

TEST(TransformerParts, GradientsInDouble) {
  for (const auto kind : {NormKind::kLayer, NormKind::kRms}) {
    EXPECT_TRUE(has_gradients<Norm>({.width = 4, .kind = kind}));
    for (const bool first : {false, true})
      EXPECT_TRUE(has_gradients<ResidualNorm>({.width = 4, .kind = kind, .first = first}));
  }
  for (const auto activation : {Activation::kRelu, Activation::kGelu, Activation::kSwiglu})
    EXPECT_TRUE(has_gradients<FeedForward>({.width = 4, .inner = 3, .activation = activation}));
}

TEST(ResidualNorm, NormalisesAfterTheSumOrBeforeTheSubLayer) {
  const at::Tensor x = cosines({3, 5}, 1);
  const auto twice = [](const at::Tensor& y) { return y * 2; };
  const Built<Norm> norm({.width = 5});
  const Built<ResidualNorm> after({.width = 5}), before({.width = 5, .first = true});
  EXPECT_TRUE(close(after.layer(x, twice, {}, {}), norm.layer(x * 3)));
  EXPECT_TRUE(close(before.layer(x, twice, {}, {}), x + norm.layer(x) * 2));
}

TEST(LearnedPositions, AreRowsAndTheLastOneServesBeyondTheTable) {
  const Built<LearnedPositions> positions({.length = 4, .width = 3});
  const at::Tensor table = positions.store.slots()[0]->value;
  EXPECT_TRUE(identical(positions.layer.rows(1, 3), table.narrow(0, 1, 3)));
  EXPECT_TRUE(
      identical(positions.layer.rows(2, 4),
                at::cat({table.narrow(0, 2, 2), table.narrow(0, 3, 1), table.narrow(0, 3, 1)})));
  EXPECT_TRUE(identical(positions.layer.rows(9, 1), table.narrow(0, 3, 1)));
  EXPECT_EQ(positions.layer.rows(0, 0).size(0), 0);
  EXPECT_TRUE(
      check_gradients([&](const std::vector<at::Tensor>&) { return positions.layer.rows(2, 4); },
                      positions.store.tensors()));
  EXPECT_THROW(positions.layer.rows(-1, 2), InvalidArgument);
  EXPECT_THAT(message_of([] { Built<LearnedPositions>({.length = 0, .width = 3}); }),
              HasSubstr("sizes of at least 1"));
}

}  // namespace
}  // namespace attend
