#include "attend/ops/parameter_store.h"

#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>

#include "attend/core/errors.h"
#include "tests/support/compare.h"
#include "tests/support/gradcheck.h"

namespace attend {
namespace {

using namespace ::attend::testing;  // NOLINT(google-build-using-namespace)
using ::testing::HasSubstr;

TEST(ParameterStore, ParametersViewOneFlatBuffer) {
  ParameterStore store;
  const Parameter a = store.scope("one").add("weight", {2, 3}, Init::kOnes);
  const Parameter b = store.scope("one").scope("two").add("bias", {4}, Init::kZeros);
  store.allocate({.dtype = at::kDouble});
  EXPECT_EQ(store.numel(), 10);
  EXPECT_EQ(store.slots()[1]->name, "one.two.bias");
  EXPECT_TRUE(identical(*a, at::ones({2, 3}, at::kDouble)));
  {
    c10::NoGradGuard no_grad;
    store.flat().fill_(7.0);
  }
  EXPECT_TRUE(identical(*b, at::ones({4}, at::kDouble).mul(7.0)));
  EXPECT_TRUE(a->is_leaf() && a->requires_grad());
}

TEST(ParameterStore, ALayerElsewhereChangesNoOther) {
  const auto made = [](bool other) {
    ParameterStore store;
    if (other) store.scope("a").add("weight", {5, 5}, Init::kNormal);
    const Parameter b = store.scope("b").add("weight", {3, 4}, Init::kXavierUniform);
    store.allocate({.seed = 3});
    return b->detach().clone();
  };
  EXPECT_TRUE(identical(made(true), made(false)));
}

TEST(ParameterStore, InitialisersHaveTheirBoundsAndSpread) {
  ParameterStore store;
  const Parameter x = store.scope().add("xavier", {200, 100}, Init::kXavierUniform);
  const Parameter f = store.scope().add("fan_in", {200, 100}, Init::kUniformFanIn);
  const Parameter n = store.scope().add("normal", {200, 100}, Init::kNormal);
  store.allocate({.seed = 1, .dtype = at::kDouble});
  const double bound = std::sqrt(6.0 / 300.0);
  EXPECT_LE(x->abs().max().item<double>(), bound);
  EXPECT_NEAR(x->square().mean().item<double>(), bound * bound / 3.0, 2e-4);
  EXPECT_LE(f->abs().max().item<double>(), 0.1);
  EXPECT_GT(f->abs().max().item<double>(), 0.099);
  EXPECT_NEAR(n->mean().item<double>(), 0.0, 0.03);
  EXPECT_NEAR(n->square().mean().item<double>(), 1.0, 0.05);
}

TEST(ParameterStore, GathersGradientsInOrder) {
  ParameterStore store;
  const Parameter a = store.scope().add("a", {2}, Init::kOnes);
  const Parameter b = store.scope().add("b", {3}, Init::kOnes);
  store.allocate({});
  at::Tensor flat = at::ones({5});
  store.gather({at::Tensor(), at::ones({3}).mul(2.0)}, flat);
  EXPECT_TRUE(identical(flat.slice(0, 0, 2), at::zeros({2})));
  EXPECT_TRUE(identical(flat.slice(0, 2), at::ones({3}).mul(2.0)));
  EXPECT_THROW(store.gather({at::Tensor()}, flat), InvalidArgument);
}

TEST(ParameterStore, DrawsHangOnSeedAndName) {
  const auto made = [](uint64_t seed, const char* name) {
    ParameterStore store;
    const Parameter a = store.scope("layer").add(name, {4, 4}, Init::kNormal);
    store.allocate({.seed = seed});
    return a->detach().clone();
  };
  EXPECT_TRUE(identical(made(1, "a"), made(1, "a")));
  EXPECT_FALSE(close(made(1, "a"), made(2, "a")));
  EXPECT_FALSE(close(made(1, "a"), made(1, "b")));
}

TEST(ParameterStore, SitesHangOnTheirNamesAlone) {
  ParameterStore store, other;
  other.scope("elsewhere").add("weight", {1}, Init::kOnes);
  const uint32_t site = store.scope("a").scope("b").site("weights");
  EXPECT_EQ(site, other.scope("a.b").site("weights"));
  EXPECT_NE(site, store.scope("a").site("weights"));
  EXPECT_NE(site, store.scope("a").scope("b").site("input"));
}

TEST(ParameterStore, MisuseIsRefused) {
  ParameterStore store;
  const Parameter a = store.scope().add("a", {2}, Init::kOnes);
  EXPECT_THROW(*a, InternalError);
  EXPECT_THAT(message_of([&] { store.scope().add("a", {2}, Init::kOnes); }), HasSubstr("named a"));
  EXPECT_THAT(message_of([&] { store.scope().add("b", {2, 0}, Init::kOnes); }),
              HasSubstr("(2, 0)"));
  store.allocate({});
  EXPECT_THROW(store.allocate({}), InvalidArgument);
  EXPECT_THROW(store.scope().add("c", {2}, Init::kOnes), InvalidArgument);
}

}  // namespace
}  // namespace attend
