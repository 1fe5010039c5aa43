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
    for (const std::string& isa : all) EXPECT_THAT(error.what(), ::testing::HasSubstr(isa));
    EXPECT_THAT(error.what(), ::testing::HasSubstr("[ATTEND_FORCE_ISA]"));
    EXPECT_THAT(error.what(), ::testing::HasSubstr("found ABACUS"));
  }
  EXPECT_EQ(active_isa(), all.back()) << "the one before stays";
  force_isa("");
  EXPECT_EQ(supported_isas(), all);
}

TEST(Isa, FusedIsOneOrZero) {
  for (const char* value : {"", "1"}) EXPECT_TRUE(asks_for_kernels(value)) << value;
  EXPECT_FALSE(asks_for_kernels("0"));
  for (const char* value : {"no", "false", "2", "00", " 0", "yes"}) {
    try {
      asks_for_kernels(value);
      ADD_FAILURE() << "taken: " << value;
    } catch (const InvalidArgument& error) {
      EXPECT_STREQ(error.what(),
                   (std::string("[ATTEND_FUSED] expected 1 for kernels or 0 for composed "
                                "operations, found ") +
                    value)
                       .c_str());
    }
  }
}

}  // namespace
}  // namespace attend::kernels
