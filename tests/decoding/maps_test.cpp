// From a batch's attention to the matrices of one sentence, with their labels.
#include "attend/decoding/maps.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <gmock/gmock.h>

#include "attend/core/errors.h"
#include "attend/decoding/attention_recorder.h"

namespace attend::decoding {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

at::Tensor counted(std::vector<int64_t> shape, int64_t first = 0) {
  int64_t numel = 1;
  for (const int64_t n : shape) numel *= n;
  return at::arange(first, first + numel, at::kFloat).view(shape);
}

TEST(AttentionRecorder, CutsEncoderMapsToEachSentence) {
  AttentionRecorder recorder({2, 1});
  recorder.encoder({{AttentionKind::kEncoderSelf, 1, counted({2, 2, 3, 3})}});
  const auto first = recorder.take(0), second = recorder.take(1);
  ASSERT_EQ(first.size(), 1u);
  EXPECT_EQ(first[0].layer, 1);
  EXPECT_EQ(first[0].heads, 2);
  EXPECT_THAT(first[0].weights, ElementsAre(0, 1, 3, 4, 9, 10, 12, 13));
  EXPECT_EQ(second[0].queries, 1);
  EXPECT_THAT(second[0].weights, ElementsAre(18, 27));
}

TEST(AttentionRecorder, FollowsSentencesThroughTheRows) {
  AttentionRecorder recorder({2, 3});
  const auto cross = [](at::Tensor weights) {
    return std::vector<AttentionWeights>{{AttentionKind::kCross, 0, std::move(weights)}};
  };
  recorder.step(cross(counted({2, 1, 1, 3})), {0, 1});
  recorder.step(cross(counted({2, 1, 1, 3}, 10)), {1, 0});  // rows changed places
  recorder.step(cross(counted({1, 1, 1, 3}, 20)), {1});     // sentence 0 has left
  const auto first = recorder.take(0), second = recorder.take(1);
  EXPECT_THAT(first[0].weights, ElementsAre(0, 1, 13, 14));
  EXPECT_EQ(second[0].queries, 3);
  EXPECT_THAT(second[0].weights, ElementsAre(3, 4, 5, 10, 11, 12, 20, 21, 22));
}

TEST(AttentionRecorder, ReadsTensorsInAnyMemoryOrder) {
  AttentionRecorder recorder({2});
  const at::Tensor turned = counted({1, 2, 1, 3}).transpose(1, 3).contiguous().transpose(1, 3);
  recorder.step({{AttentionKind::kCross, 0, turned}}, {0});
  EXPECT_THAT(recorder.take(0)[0].weights, ElementsAre(0, 1, 3, 4));
}

TEST(AttentionRecorder, DecoderMapsAreSquare) {
  AttentionRecorder recorder({1});
  for (int64_t t = 1; t <= 3; ++t)
    recorder.step({{AttentionKind::kDecoderSelf, 0, counted({1, 1, 1, t}, 10 * t)}}, {0});
  const auto found = recorder.take(0);
  EXPECT_EQ(found[0].keys, 3);
  EXPECT_THAT(found[0].weights, ElementsAre(10, 0, 0, 20, 21, 0, 30, 31, 32));
  EXPECT_THAT(recorder.take(0), IsEmpty());  // given away
}

SentenceAttention attention(AttentionKind kind, int64_t layer, int64_t heads, int64_t queries,
                            int64_t keys) {
  SentenceAttention a{kind, layer, heads, queries, keys, {}};
  for (int64_t i = 0; i < heads * queries * keys; ++i)
    a.weights.push_back(static_cast<float>(i + 100 * layer));
  return a;
}

const MapLabels kLabels = {{"go", ".", "<eos>"}, {"va", "!", "<eos>"}, {"<bos>", "va", "!"}};

TEST(AttentionMaps, LabelEachKindByWhatLookedAndWhatWasSeen) {
  const auto map = attention_map({attention(AttentionKind::kEncoderSelf, 0, 1, 3, 3),
                                  attention(AttentionKind::kDecoderSelf, 0, 1, 3, 3),
                                  attention(AttentionKind::kCross, 0, 1, 3, 3)},
                                 kLabels);
  ASSERT_EQ(map.panels.size(), 3u);
  EXPECT_EQ(map.panels[0].kind, "cross");
  EXPECT_EQ(map.panels[0].title, "cross-attention, layer 1");
  EXPECT_EQ(map.panels[0].rows, kLabels.written);
  EXPECT_EQ(map.panels[0].columns, kLabels.source);
  EXPECT_EQ(map.panels[1].kind, "encoder-self");
  EXPECT_EQ(map.panels[1].rows, kLabels.source);
  EXPECT_EQ(map.panels[1].columns, kLabels.source);
  EXPECT_EQ(map.panels[2].kind, "decoder-self");
  EXPECT_EQ(map.panels[2].rows, kLabels.written);
  EXPECT_EQ(map.panels[2].columns, kLabels.fed);
}

TEST(AttentionMaps, APanelForEachLayerAndHead) {
  const MapLabels labels = {{"a", "b"}, {"c"}, {"<bos>"}};
  const auto map = attention_map(
      {attention(AttentionKind::kCross, 0, 2, 1, 2), attention(AttentionKind::kCross, 1, 2, 1, 2)},
      labels);
  ASSERT_EQ(map.panels.size(), 4u);
  EXPECT_EQ(map.panels[1].title, "cross-attention, layer 1, head 2");
  EXPECT_EQ(map.panels[3].layer, 1);
  EXPECT_EQ(map.panels[3].head, 1);
  EXPECT_THAT(map.panels[1].weights, ElementsAre(2, 3));
  EXPECT_THAT(map.panels[2].weights, ElementsAre(100, 101));
}

TEST(AttentionMaps, LabelsThatDoNotFitAreOurFault) {
  EXPECT_THROW(attention_map({attention(AttentionKind::kCross, 0, 1, 2, 3)}, kLabels),
               InternalError);
  EXPECT_THROW(attention_map({attention(AttentionKind::kDecoderSelf, 0, 1, 3, 4)}, kLabels),
               InternalError);
  EXPECT_THAT(attention_map({}, kLabels).panels, IsEmpty());
}

}  // namespace
}  // namespace attend::decoding
