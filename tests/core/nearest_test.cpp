#include "attend/core/nearest.h"

#include <gtest/gtest.h>

namespace attend::core {
namespace {

TEST(EditDistance, CountsEdits) {
  EXPECT_EQ(edit_distance("", ""), 0);
  EXPECT_EQ(edit_distance("", "abc"), 3);
  EXPECT_EQ(edit_distance("abc", ""), 3);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
  EXPECT_EQ(edit_distance("ab", "ba"), 1);   // a swap
  EXPECT_EQ(edit_distance("ca", "abc"), 3);  // not 2: no edits within a swap
  EXPECT_EQ(edit_distance("heads", "haeds"), 1);
}

TEST(NearestName, FindsTheNameThatWasMeant) {
  const std::vector<std::string> keys = {"beam_size", "batch", "learning_rate", "lr"};
  EXPECT_EQ(nearest_name("beem_size", keys), "beam_size");
  EXPECT_EQ(nearest_name("beam-size", keys), "beam_size");
  EXPECT_EQ(nearest_name("bacth", keys), "batch");
  EXPECT_EQ(nearest_name("Batch", keys), "batch");
  EXPECT_EQ(nearest_name("learning", keys), "learning_rate");  // begins with it
  EXPECT_EQ(nearest_name("rl", keys), "lr");
  EXPECT_EQ(nearest_name("heads", keys), "");
  EXPECT_EQ(nearest_name("", keys), "");
  EXPECT_EQ(nearest_name("b", keys), "");
  EXPECT_EQ(nearest_name("x", {}), "");
  EXPECT_EQ(nearest_name(std::string(100000, 'b'), keys), "");
}

TEST(NearestName, TheEarlierOfEqualsAndNoAmbiguousBeginning) {
  EXPECT_EQ(nearest_name("cat", {"bat", "hat"}), "bat");
  EXPECT_EQ(nearest_name("valid", {"valid_share_of_all", "valid_source_file"}), "");
}

TEST(DidYouMean, EndsAMessage) {
  EXPECT_EQ(did_you_mean("beem_size", {"beam_size"}), "; did you mean 'beam_size'?");
  EXPECT_EQ(did_you_mean("qqq", {"beam_size"}), "");
}

}  // namespace
}  // namespace attend::core
