// Heads by name, and models without some of them.
#include "attend/models/heads.h"

#include <c10/core/GradMode.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "attend/core/errors.h"
#include "tests/support/compare.h"

namespace attend {
namespace {

using ::testing::HasSubstr;
using testing::identical;
using testing::message_of;

std::unique_ptr<Seq2Seq> make(ModelKind kind) {
  ModelConfig config;
  config.kind = kind;
  config.embedding = 6;
  config.hidden = 12;
  config.heads = 3;
  config.feed_forward = 16;
  config.attention_bias = kind == ModelKind::kTransformer;
  config.source_vocabulary = 11;
  config.target_vocabulary = 13;
  auto model = make_model(config, {.seed = 3, .dtype = at::kDouble});
  c10::NoGradGuard no_grad;
  for (const auto& slot : model->parameters().slots())
    if (slot->name.ends_with(".bias")) slot->value.fill_(0.25);
  return model;
}

const data::Batch kBatch =
    data::make_batch({{{5, 9, 4, 8, 3}, {4, 5, 6, 7, 8, 3}}, {{7, 3}, {11, 12, 3}}});

double loss_of(const Seq2Seq& model) { return model.loss(kBatch, {}).sum.item<double>(); }

const at::Tensor& parameter(const Seq2Seq& model, const std::string& name) {
  for (const auto& slot : model.parameters().slots())
    if (slot->name == name) return slot->value;
  throw InternalError("no parameter " + name);
}

TEST(Heads, AreListedByKindLayerAndHead) {
  const std::vector<HeadId> heads = attention_heads(*make(ModelKind::kTransformer));
  ASSERT_EQ(heads.size(), 3u * 2u * 3u);
  EXPECT_EQ(to_text(heads.front()), "cross.1:1");
  EXPECT_EQ(to_text(heads[8]), "encoder-self.1:3");
  EXPECT_EQ(to_text(heads.back()), "decoder-self.2:3");
}

TEST(Heads, NamesAreReadAsTheyAreWritten) {
  const auto model = make(ModelKind::kTransformer);
  for (const HeadId& head : attention_heads(*model))
    EXPECT_EQ(parse_head(to_text(head), *model), head);
  for (const char* bad : {"", "cross", "cross.1", "cross.1:0", "cross.0:1", "cross.3:1",
                          "cross.1:4", "cross.1:1 ", "cross.01:1", "encoder-slef.1:1"}) {
    const std::string message = message_of([&] { parse_head(bad, *model); });
    EXPECT_THAT(message, HasSubstr("found \"" + std::string(bad) + "\"")) << bad;
    EXPECT_THAT(message, HasSubstr("there are cross.1:1 to cross.2:3, encoder-self.1:1 to "
                                   "encoder-self.2:3, decoder-self.1:1 to decoder-self.2:3"));
  }
  EXPECT_THAT(message_of([&] { parse_head("encoder-slef.1:1", *model); }),
              HasSubstr("did you mean 'encoder-self.1:1'"));
}

// A head's output is zero when its values are: rows of the value projection, and its bias.
TEST(WithoutHeads, EqualsAModelWhoseHeadPutsOutZero) {
  const std::pair<const char*, const char*> heads[] = {
      {"encoder-self.2:1", "encoder.layers.1.self_attention.value."},
      {"decoder-self.1:3", "decoder.layers.0.self_attention.value."},
      {"cross.2:2", "decoder.layers.1.cross_attention.value."}};
  for (const auto& [name, prefix] : heads) {
    const auto model = make(ModelKind::kTransformer), by_hand = make(ModelKind::kTransformer);
    const HeadId head = parse_head(name, *model);
    {
      c10::NoGradGuard no_grad;
      for (const char* what : {"weight", "bias"})
        parameter(*by_hand, std::string(prefix) + what).narrow(0, 4 * head.head, 4).zero_();
    }
    const double whole = loss_of(*model), expected = loss_of(*by_hand);
    const WithoutHeads without(*model, {head});
    EXPECT_NEAR(loss_of(*model), expected, 1e-12 * expected) << name;
    EXPECT_GT(std::abs(loss_of(*model) - whole), 1e-6) << name;
  }
}

TEST(WithoutHeads, SeveralGoTogetherAndTheSameBitsComeBack) {
  const auto model = make(ModelKind::kTransformer), by_hand = make(ModelKind::kTransformer);
  const at::Tensor before = model->parameters().flat().clone();
  {
    c10::NoGradGuard no_grad;
    parameter(*by_hand, "decoder.layers.0.cross_attention.output.weight").zero_();
  }
  {
    // One twice: that too comes back.
    const WithoutHeads without(*model, {{AttentionKind::kCross, 0, 0},
                                        {AttentionKind::kCross, 0, 1},
                                        {AttentionKind::kCross, 0, 2},
                                        {AttentionKind::kCross, 0, 1}});
    EXPECT_TRUE(identical(model->parameters().flat(), by_hand->parameters().flat()));
    const WithoutHeads inner(*model, {{AttentionKind::kCross, 0, 0}});
  }
  EXPECT_TRUE(identical(model->parameters().flat(), before));
  {
    const WithoutHeads none(*model, {});
  }
  EXPECT_TRUE(identical(model->parameters().flat(), before));
}

TEST(WithoutHeads, RefusesHeadsAndModelsThatHaveNone) {
  const auto model = make(ModelKind::kTransformer);
  const at::Tensor before = model->parameters().flat().clone();
  EXPECT_THAT(message_of([&] {
                const WithoutHeads without(
                    *model, {{AttentionKind::kCross, 0, 0}, {AttentionKind::kCross, 2, 0}});
              }),
              HasSubstr("found cross.3:1"));
  EXPECT_TRUE(identical(model->parameters().flat(), before));
  for (const ModelKind kind : {ModelKind::kGru, ModelKind::kBahdanau}) {
    const auto other = make(kind);
    EXPECT_THAT(message_of([&] { attention_heads(*other); }),
                HasSubstr("a model of several heads"));
    EXPECT_THAT(message_of([&] { parse_head("cross.1:1", *other); }),
                HasSubstr("a model of several heads"));
    const WithoutHeads none(*other, {});  // nothing asked for
  }
}

}  // namespace
}  // namespace attend
