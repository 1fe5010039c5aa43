// toml++ 3.3 meets undefined behaviour at letters that stand where none may, which a sanitizer
// would see in these cases without the guard.
#include "attend/core/toml_guard.h"

#include <gtest/gtest.h>

#include "attend/core/config.h"

namespace attend::core {
namespace {

class TomlGuard : public ::testing::Test {
 protected:
  // "line:column" of the refusal, or "accepted".
  std::string read(const std::string& toml) {
    std::vector<ConfigTable> tables = {ConfigTable("data", "").add("pairs", pairs_, "")};
    try {
      read_config(toml, "c.toml", tables);
    } catch (const DataError& error) {
      return std::to_string(error.line()) + ":" + std::to_string(error.column());
    }
    return "accepted";
  }

  std::string pairs_;
};

TEST_F(TomlGuard, LettersStandInStringsAndComments) {
  EXPECT_EQ(read("# é\n[data] # ҔЯ\npairs = \"é\" # é"), "accepted");
  EXPECT_EQ(pairs_, "é");
  EXPECT_EQ(read("\xEF\xBB\xBF[data]\n"), "accepted");
}

TEST_F(TomlGuard, RefusesThemElsewhereWithTheirPlace) {
  EXPECT_EQ(read("[data]\nclé = 1\n"), "2:3");
  EXPECT_EQ(read("[data]\npairs = é\n"), "2:9");
  EXPECT_EQ(read("# é\n[data]\n\xC2\xA0pairs = ''\n"), "3:1");
  EXPECT_EQ(read("[data]\npairs = 'éé'é\n"), "2:13");
  EXPECT_EQ(read("[data]\npairs = \"\"\"\\é\"\"\"\n"), "2:13");
  EXPECT_EQ(read("[data]\npairs = 'é\xFF'\n"), "2:11");
}

TEST_F(TomlGuard, AnErrorBeforeThemComesFirst) {
  EXPECT_EQ(read("[data]\npairs = \"open\né = 1\n").substr(0, 2), "2:");
  EXPECT_EQ(read("[data]\npairs = 'open\né = 1\n").substr(0, 2), "2:");
  EXPECT_NE(read("[data]\npairs = \"\"\"open\né\n"), "accepted");
  EXPECT_NE(read("[data]\npairs = \"open\\"), "accepted");
  EXPECT_NE(read("[data]\npairs = \"\"\"open\\"), "accepted");
}

TEST_F(TomlGuard, AQuoteOrControlCharacterInTheWrongPlaceIsRefusedThere) {
  EXPECT_EQ(read("[data]\npairs = 1x\"é\"\n"), "2:11");
  EXPECT_EQ(read("[data]\npairs = 1\x0F\"\xD2\x94\n"), "2:10");
  EXPECT_EQ(read("[data]\nlimit = 1\x7F\n"), "2:10");
  EXPECT_EQ(read("\xEF\xBB\xBF\"data\".'pairs' = \"é\"\n"), "accepted");
}

TEST_F(TomlGuard, EveryKindOfStringKeepsItsValue) {
  const std::vector<std::pair<std::string, std::string>> strings = {
      {R"("""\
           §x""")",
       "§x"},
      {"\"\"\"\\ \n\r\n\té \\\n Я\"\"\"", "é Я"},
      {"\"\"\"\\\n\xF0\x9F\x98\x80\"\"\"", "\xF0\x9F\x98\x80"},
      {R"("""a""""")", "a\"\""},
      {R"("""é"\"""")", "é\"\""},
      {R"("""\\é""")", "\\é"},
      {R"('''\é''\''')", "\\é''\\"},
      {R"("\"é")", "\"é"},
      {R"("\\")", "\\"},
      {R"('é\')", "é\\"},
      {R"("" # '''é)", ""},
      {R"('' # "é)", ""}};
  for (const auto& [toml, value] : strings) {
    EXPECT_EQ(read("[data]\npairs = " + toml + "\n"), "accepted") << toml;
    EXPECT_EQ(pairs_, value) << toml;
  }
}

TEST_F(TomlGuard, ChangesOnlyWhatItMust) {
  const std::string plain = "\xEF\xBB\xBF# é\n[a]\nb = \"\"\"é\\n\"\"\" # x\nc = 'é'\r\n";
  EXPECT_EQ(detail::guard_toml(plain, ""), plain);
  EXPECT_EQ(detail::guard_toml("a = \"\"\"\\\n é\"\"\"", ""), "a = \"\"\"\\\n \\U000000E9\"\"\"");
}

}  // namespace
}  // namespace attend::core
