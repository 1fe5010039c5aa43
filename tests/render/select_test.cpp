#include "attend/render/select.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "attend/core/errors.h"
#include "tests/render/maps.h"

namespace attend::render {
namespace {

using testing::HasSubstr;
using namespace test;

TEST(Select, ByLayerHeadAndKind) {
  const AttentionMap map = grid_map(3, 2);
  EXPECT_EQ(select(map, {}).panels.size(), 6u);
  EXPECT_EQ(select(map, {1, {}, {}}).panels.size(), 2u);
  EXPECT_EQ(select(map, {{}, 1, {}}).panels.size(), 3u);
  const AttentionMap one = select(map, {2, 1, "cross"});
  ASSERT_EQ(one.panels.size(), 1u);
  EXPECT_EQ(one.panels[0].layer, 2);
  EXPECT_EQ(one.panels[0].head, 1);
  EXPECT_EQ(one.title, "grid");
}

TEST(Select, WhatIsNotThereIsRefusedWithWhatIs) {
  try {
    select(grid_map(1, 2), {0, 7, {}});
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), HasSubstr("layer 1, head 8"));
    EXPECT_THAT(error.what(), HasSubstr("cross, layer 1, head 1; cross, layer 1, head 2"));
  }
}

TEST(Select, LongListsAreCut) {
  EXPECT_THAT(list_panels(grid_map(10, 10)), HasSubstr("and 68 more"));
  EXPECT_EQ(list_panels(AttentionMap()), "no panels");
}

TEST(Select, ListsShowNamesAsATerminalMayHoldThem) {
  AttentionMap map = grid_map(1, 1);
  map.panels[0].kind = "go\x1b[31m" + std::string(10'000, 'x');
  EXPECT_THAT(list_panels(map), HasSubstr("go␛[31mxxx"));
  EXPECT_LT(list_panels(map).size(), 100u);
}

TEST(Select, MeanOverHeads) {
  AttentionMap map = grid_map(2, 3);
  map.panels[0].weights[8] = std::numeric_limits<float>::quiet_NaN();
  map.panels.insert(map.panels.begin() + 3, make_panel({"a"}, {"b"}));  // no head: stays
  const AttentionMap mean = mean_over_heads(map);
  ASSERT_EQ(mean.panels.size(), 3u);
  EXPECT_FLOAT_EQ(mean.panels[0].weights[0], (0.25f + 0.5f + 0.75f) / 3);
  EXPECT_TRUE(std::isnan(mean.panels[0].weights[8]));
  EXPECT_EQ(mean.panels[0].head, -1);
  EXPECT_EQ(mean.panels[0].title, "cross, layer 1, mean over 3 heads");
  EXPECT_EQ(mean.panels[1].rows[0], "a");
  EXPECT_EQ(mean.panels[2].layer, 1);
}

TEST(Select, HeadsWithOtherLabelsAreAnotherGroup) {
  AttentionMap map = grid_map(1, 2);
  map.panels[1].rows[0] = "la";
  EXPECT_EQ(mean_over_heads(map).panels.size(), 2u);
}

}  // namespace
}  // namespace attend::render
