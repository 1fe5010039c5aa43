#include "attend/core/errors.h"

#include <gtest/gtest.h>

#include "attend/core/shape.h"

namespace attend {
namespace {

TEST(DataError, BeginsWithThePlaceAsFarAsKnown) {
  EXPECT_STREQ(DataError("a.txt", 3, 7, "bad").what(), "a.txt:3:7: bad");
  EXPECT_STREQ(DataError("a.txt", 3, 0, "bad").what(), "a.txt:3: bad");
  EXPECT_STREQ(DataError("a.txt", 0, 7, "bad").what(), "a.txt: bad");
  EXPECT_STREQ(DataError("a.txt", "bad").what(), "a.txt: bad");
  EXPECT_STREQ(DataError("", "bad").what(), "bad");
  const DataError error("a.txt", 3, 7, "bad");
  EXPECT_EQ(error.path(), "a.txt");
  EXPECT_EQ(error.line(), 3);
  EXPECT_EQ(error.column(), 7);
}

TEST(Errors, AreOneFamily) {
  EXPECT_THROW(throw InvalidArgument("x"), Error);
  EXPECT_THROW(throw DataError("p", "x"), Error);
  EXPECT_THROW(throw InternalError("x"), Error);
}

TEST(ShapeText, IsATuple) {
  EXPECT_EQ(core::shape_text(std::vector<int64_t>{}), "()");
  EXPECT_EQ(core::shape_text(std::vector<int64_t>{3}), "(3)");
  EXPECT_EQ(core::shape_text(std::vector<int64_t>{2, 0, -1}), "(2, 0, -1)");
}

}  // namespace
}  // namespace attend
