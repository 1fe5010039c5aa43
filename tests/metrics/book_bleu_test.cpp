#include "attend/metrics/book_bleu.h"

#include <gmock/gmock.h>

#include <cmath>

#include "attend/core/errors.h"
#include "goldens.h"

namespace attend::metrics {
namespace {

using testing::close;
using testing::golden;
using ::testing::HasSubstr;
using testing::message_of;

TEST(BookBleu, EqualsTheFormula) {
  const auto cases = golden("book_bleu", "cases");
  ASSERT_GT(cases.size(), 200u);
  for (const auto& expected : cases) {
    const auto prediction = expected.at("prediction").get<std::string>();
    const auto label = expected.at("label").get<std::string>();
    const int k = expected.at("k");
    const double found = book_bleu(prediction, label, k);
    EXPECT_TRUE(close(found, expected.at("score"))) << prediction << " | " << label << " | " << k;
  }
}

TEST(BookBleu, ByHand) {
  EXPECT_EQ(book_bleu("va !", "va !", 2), 1.0);
  // One word of four wrong, in the middle: p1 = 3/4, p2 = 1/3.
  EXPECT_NEAR(book_bleu("il est mort .", "il est calme .", 2),
              std::sqrt(3.0 / 4.0) * std::pow(1.0 / 3.0, 0.25), 1e-15);
  // Half the length: exp(1 - 4/2).
  EXPECT_NEAR(book_bleu("il est", "il est calme .", 2), std::exp(-1.0), 1e-15);
}

TEST(BookBleu, EmptyAndShortText) {
  EXPECT_EQ(book_bleu("", "va !", 2), 0.0);
  EXPECT_EQ(book_bleu("", "", 2), 0.0);
  EXPECT_EQ(book_bleu("va", "", 2), 0.0);
  EXPECT_EQ(book_bleu("va", "va", 4), 1.0);    // orders 2 to 4 do not exist
  EXPECT_EQ(book_bleu("va !", "va", 2), 0.0);  // the label has no pair
  EXPECT_EQ(book_bleu("  va   ! ", "va !", 2), 1.0);
}

TEST(BookBleu, MeanOverSentences) {
  EXPECT_DOUBLE_EQ(mean_book_bleu({"va !", ""}, {"va !", "j'ai perdu ."}, 2), 0.5);
  EXPECT_THAT(message_of<InvalidArgument>([] { mean_book_bleu({"a", "b"}, {"a"}); }),
              HasSubstr("[book_bleu] expected a reference for each hypothesis, found 2 hypotheses "
                        "and 1 references"));
  EXPECT_THROW(mean_book_bleu({}, {}), InvalidArgument);
  EXPECT_THAT(message_of<InvalidArgument>([] { book_bleu("a", "a", 0); }),
              HasSubstr("k >= 1, found 0"));
}

}  // namespace
}  // namespace attend::metrics
