#include "attend/kernels/isa.h"

#include <gmock/gmock.h>

#include "attend/core/errors.h"

namespace attend::kernels {
namespace {

TEST(Isa, ForcesOneOrNamesThoseThereAre) {
  const auto all = supported_isas();
  ASSERT_FALSE(all.empty());
  force_isa(all.back());
  EXPECT_EQ(active_isa(), all.back());
  force_isa("");
  EXPECT_EQ(active_isa(), all.front());
  force_isa(all.back());
  try {
    force_isa("ABACUS");
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr(all.front()));
    EXPECT_THAT(error.what(), ::testing::HasSubstr("found ABACUS"));
  }
  EXPECT_EQ(active_isa(), all.back()) << "the one before stays";
  force_isa("");
  EXPECT_EQ(supported_isas(), all);
}

}  // namespace
}  // namespace attend::kernels
