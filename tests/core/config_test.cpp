#include "attend/core/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "attend/core/random.h"
#include "attend/core/utf8.h"

namespace attend::core {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

enum class Search { kGreedy, kBeam };

struct Settings {
  bool shuffle = true;
  int64_t epochs = 250;
  int64_t any = 0;
  double rate = 0.005;
  double free = 0.0;
  std::string pairs = "fra.txt";
  Search search = Search::kGreedy;
  int64_t beam_size = 5;

  bool operator==(const Settings&) const = default;
};

std::vector<ConfigTable> describe(Settings& s) {
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return {ConfigTable("training", "how the model\nis trained")
              .add("epochs", s.epochs, "passes over the data", 1, 1000000)
              .add("rate", s.rate, "Adam's step size", 0.0, 10.0)
              .add("shuffle", s.shuffle, "a new order each epoch")
              .add("any", s.any, "any number", kLeast, kMost)
              .add("free", s.free, "any real", -kInfinity, kInfinity),
          ConfigTable("decoding", "how it translates")
              .add("beam_size", s.beam_size, "hypotheses", 1, kMost)
              .add_choice<Search>("search", s.search, "which search",
                                  {{"greedy", Search::kGreedy}, {"beam", Search::kBeam}}),
          ConfigTable("data", "what it learns from").add("pairs", s.pairs, "a file")};
}

TEST(ConfigRead, FillsWhatIsThereAndKeepsTheRest) {
  Settings s;
  auto tables = describe(s);
  read_config(
      "\xEF\xBB\xBF# a comment\n[decoding]\nsearch = 'beam' # another\n"
      "[training]\nepochs = 1_000\nrate = 1\nshuffle = false\n",
      "c.toml", tables);
  EXPECT_EQ(s.search, Search::kBeam);
  EXPECT_EQ(s.epochs, 1000);
  EXPECT_EQ(s.rate, 1.0);
  EXPECT_FALSE(s.shuffle);
  EXPECT_EQ(s.beam_size, 5);
  EXPECT_EQ(s.pairs, "fra.txt");
}

TEST(ConfigRead, TakesAllWaysToWriteATable) {
  Settings s;
  auto tables = describe(s);
  read_config("training.epochs = 7\ndecoding = {beam_size = 9}\n[data]\n\"pairs\" = \"a\\tb\"\n",
              "c.toml", tables);
  EXPECT_EQ(s.epochs, 7);
  EXPECT_EQ(s.beam_size, 9);
  EXPECT_EQ(s.pairs, "a\tb");
  read_config("", "c.toml", tables);
  read_config("[training]\r\nepochs = 8\r\n", "c.toml", tables);
  EXPECT_EQ(s.epochs, 8);
}

constexpr int64_t kAny = -1;

struct Refused {
  std::string toml;
  int64_t line, column;
  std::string says;
};

TEST(ConfigRead, RefusesWithLineAndColumnAndChangesNothing) {
  const std::vector<Refused> cases = {
      // not TOML; the column is then the TOML library's choice, near enough
      {"[training\nepochs = 1", 1, kAny, "this is no TOML: "},
      {"[training]\nepochs = \n", 2, kAny, "'epochs': expected a value after ="},
      {"[training]\nepochs = 1\nepochs = 2\n", 3, kAny, "'epochs' has a value already"},
      {"[training]\n[training]\n", 2, kAny, "the table [training] begins a second time"},
      {"[training]\nrate = .001 # small\n", 2, kAny,
       "'rate': TOML writes this number 0.001, found .001"},
      {"[training]\nrate = -5.\n", 2, kAny, "TOML writes this number -5.0, found -5."},
      {"[training]\nrate = +.5e-3\n", 2, kAny, "TOML writes this number +0.5e-3, found +.5e-3"},
      {"[training]\nepochs = 007\n", 2, kAny, "'epochs': TOML writes this number 7, found 007"},
      {"[training]\nepochs = " + std::string(300, '9') + "\n", 2, kAny,
       "'epochs': expected a number that 64 bits can hold, found " + std::string(40, '9') +
           "... (300 characters)"},
      {"[training]\nrate = -1e999\n", 2, kAny,
       "'rate': expected a number that 64 bits can hold, found -1e999"},
      {"[data]\npairs = fra.txt\n", 2, kAny,
       "'pairs': expected a number, true, false or a string in quotes, found fra.txt; as a string "
       "it is \"fra.txt\""},
      {"[training]\nepochs: 3\n", 2, kAny, "expected key = value, found epochs: 3"},
      {"[data]\npairs = \"\xFF\"\n", 2, 10, "expected UTF-8"},
      {"[data]\npairs = \"open\n", 2, kAny, ""},
      // names
      {"[trainin]\n", 1, 2, "unknown table [trainin]; did you mean 'training'?"},
      {"\n[server]\nport = 1\n", 2, 2, "unknown table [server]; the tables are [training] [dec"},
      {"[decoding]\nbeem_size = 5\n", 2, 1,
       "[decoding] unknown key 'beem_size'; did you mean 'beam_size'?"},
      {"[decoding]\n  wholly_other = 5\n", 2, 3, "[decoding] unknown key 'wholly_other'"},
      {"[training]\nbeam_size = 5\n", 2, 1, "unknown key 'beam_size'; it belongs in [decoding]"},
      {"epochs = 5\n", 1, 1, "'epochs' belongs in [training]"},
      {"epocs = 5\n", 1, 1, "unknown key 'epocs' outside the tables; did you mean 'epochs'?"},
      {"training = 5\n", 1, 1, "expected the table [training], found a value"},
      {"[[training]]\nepochs = 1\n", 1, 3, "expected the table [training]"},
      {"[training]\n[training.epochs]\nx = 1\n", 2, 1, "'epochs': expected a whole number"},
      // types
      {"[training]\nepochs = 0.5\n", 2, 10, "expected a whole number, 1 to 1000000, found"},
      {"[training]\nepochs = 10.0\n", 2, 10, "expected a whole number"},
      {"[training]\nepochs = \"10\"\n", 2, 10, "found a string"},
      {"[training]\nepochs = true\n", 2, 10, "found true or false"},
      {"[training]\nepochs = [1]\n", 2, 10, "found an array"},
      {"[training]\nepochs = 1979-05-27\n", 2, 10, "found a date or time"},
      {"[training]\nrate = '0.1'\n", 2, 8, "expected a number, 0.0 to 10.0, found a string"},
      {"[training]\nshuffle = 1\n", 2, 11, "expected true or false, found the whole number 1"},
      {"[data]\npairs = 5\n", 2, 9, "expected a string, found the whole number 5"},
      {"[decoding]\nsearch = 1\n", 2, 10, "expected one of \"greedy\", \"beam\""},
      // values
      {"[training]\nepochs = 0\n", 2, 10, "expected a whole number, 1 to 1000000, found 0"},
      {"[training]\nepochs = 1000001\n", 2, 10, "found 1000001"},
      {"[training]\nrate = -0.1\n", 2, 8, "expected a number, 0.0 to 10.0, found -0.1"},
      {"[training]\nrate = nan\n", 2, 8, "found nan"},
      {"[training]\nrate = inf\n", 2, 8, "found inf"},
      {"[training]\nepochs = 9223372036854775808\n", 2, kAny,
       "'epochs': expected a number that 64 bits can hold, found 9223372036854775808"},
      {"[decoding]\nbeam_size = 0\n", 2, 13, "at least 1"},
      {"[decoding]\nsearch = \"beem\"\n", 2, 10, "found \"beem\"; did you mean 'beam'?"},
  };
  for (const auto& c : cases) {
    Settings s;
    auto tables = describe(s);
    // What is right before and after must not be taken over either.
    const std::string toml = c.toml + (c.toml.ends_with('\n') ? "" : "\n");
    try {
      read_config(toml, "dir/c.toml", tables);
      ADD_FAILURE() << "accepted: " << toml;
    } catch (const DataError& error) {
      EXPECT_EQ(error.path(), "dir/c.toml");
      EXPECT_EQ(error.line(), c.line) << toml << error.what();
      if (c.column == kAny) {
        EXPECT_GT(error.column(), 0) << toml << error.what();
      } else {
        EXPECT_EQ(error.column(), c.column) << toml << error.what();
      }
      EXPECT_THAT(error.what(), HasSubstr(c.says)) << toml;
      EXPECT_THAT(error.what(), StartsWith("dir/c.toml:" + std::to_string(c.line) + ":"));
    }
    EXPECT_EQ(s, Settings()) << toml;
  }
}

TEST(ConfigRead, AnErrorLateInTheFileChangesNothing) {
  Settings s;
  auto tables = describe(s);
  const std::string toml = "[data]\npairs = 'new'\n[training]\nepochs = 9\nrate = 11.0\n";
  EXPECT_THROW(read_config(toml, "c.toml", tables), DataError);
  EXPECT_EQ(s, Settings());
}

TEST(ConfigRead, NamesTheFirstOfSeveralErrors) {
  Settings s;
  auto tables = describe(s);
  try {
    // Sorted by key, [data] would come first.
    read_config("[training]\nzzz = 1\nepochs = 0\n[data]\nnope = 2\n", "c.toml", tables);
    FAIL();
  } catch (const DataError& error) {
    EXPECT_EQ(error.line(), 2);
  }
}

TEST(ConfigRead, SkipsTablesOfOthersOnlyOnRequest) {
  Settings s;
  auto tables = describe(s);
  const std::string toml = "[server]\nport = 1\n[training]\nepochs = 3\n";
  EXPECT_THROW(read_config(toml, "c.toml", tables), DataError);
  read_config(toml, "c.toml", tables, UnknownTables::kSkip);
  EXPECT_EQ(s.epochs, 3);
  EXPECT_THROW(read_config("port = 1\n", "c.toml", tables, UnknownTables::kSkip), DataError);
  EXPECT_THROW(read_config("[training]\nport = 1\n", "c.toml", tables, UnknownTables::kSkip),
               DataError);
}

TEST(ConfigRead, DeepNestingIsAnErrorAndNoCrash) {
  Settings s;
  auto tables = describe(s);
  const std::string deep = "a = " + std::string(100000, '[');
  EXPECT_THROW(read_config(deep, "c.toml", tables), DataError);
}

TEST(ConfigPrint, EveryKeyStandsUnderItsHelpInTheOrderOfItsDefinition) {
  Settings s;
  s.pairs = "a \"b\"\\\n\x01é";
  EXPECT_EQ(print_config(describe(s)),
            R"(# how the model
# is trained
[training]

# passes over the data
# 1 to 1000000
epochs = 250

# Adam's step size
# 0.0 to 10.0
rate = 0.005

# a new order each epoch
shuffle = true

# any number
any = 0

# any real
free = 0.0

# how it translates
[decoding]

# hypotheses
# at least 1
beam_size = 5

# which search
# one of "greedy", "beam"
search = "greedy"

# what it learns from
[data]

# a file
pairs = "a \"b\"\\\n\u0001é"
)");
}

Settings read_back(const Settings& settings) {
  Settings copy = settings;
  const std::string toml = print_config(describe(copy));
  Settings read;
  auto tables = describe(read);
  read_config(toml, "printed", tables);
  return read;
}

TEST(ConfigPrint, ComesBackExactly) {
  Settings s;
  s.shuffle = false;
  s.search = Search::kBeam;
  for (const int64_t any :
       {std::numeric_limits<int64_t>::min(), int64_t{-1}, std::numeric_limits<int64_t>::max()}) {
    s.any = any;
    EXPECT_EQ(read_back(s), s);
  }
  for (const double value : {0.1, 1.0 / 3.0, 5e-324, 1.7976931348623157e308, 1e22, 1e-5,
                             123456789.0, -2.5, std::numeric_limits<double>::infinity()}) {
    s.free = value;
    EXPECT_EQ(read_back(s), s) << value;
  }
  s.free = -0.0;
  EXPECT_TRUE(std::signbit(read_back(s).free));
  for (uint64_t i = 0; i < 2000; ++i) {
    const uint64_t bits = mix64(i);
    s.free = std::bit_cast<double>(bits);
    if (std::isnan(s.free)) continue;
    ASSERT_EQ(read_back(s), s) << i;
  }
}

TEST(ConfigPrint, EveryCharacterComesBack) {
  Settings s;
  s.pairs.clear();
  for (char32_t c = 0; c < 0x3000; ++c) append_utf8(s.pairs, c);
  for (const char32_t c : {0xFEFFu, 0xFFFDu, 0xFFFFu, 0x1F600u, 0x10FFFFu}) {
    append_utf8(s.pairs, c);
  }
  EXPECT_EQ(read_back(s), s);
  for (const std::string text : {"", "'", "\"\"\"", "\\u0041", "# no comment", " a ", "a = 1"}) {
    s.pairs = text;
    EXPECT_EQ(read_back(s), s);
  }
}

TEST(ConfigPrint, RefusesWhatNoReaderWouldTake) {
  Settings s;
  s.pairs = "\xFF";
  EXPECT_THROW(print_config(describe(s)), InvalidArgument);
}

TEST(ConfigTableTest, AKeyTwiceIsOurFault) {
  bool flag = false;
  ConfigTable table("t", "");
  table.add("a", flag, "");
  EXPECT_THROW(table.add("a", flag, ""), InternalError);
}

TEST(ConfigSet, SetsOneField) {
  Settings s;
  auto tables = describe(s);
  set_config("training.epochs=3", tables);
  set_config(" training.rate = 1e-3 ", tables);
  set_config("shuffle=false", tables);
  set_config("decoding.search=beam", tables);
  EXPECT_EQ(s.epochs, 3);
  EXPECT_EQ(s.rate, 1e-3);
  EXPECT_FALSE(s.shuffle);
  EXPECT_EQ(s.search, Search::kBeam);
  set_config("search=\"greedy\"", tables);
  EXPECT_EQ(s.search, Search::kGreedy);
}

TEST(ConfigSet, NumbersAsPeopleTypeThem) {
  Settings s;
  auto tables = describe(s);
  const std::vector<std::pair<std::string, double>> cases = {
      {".001", 0.001}, {"5.", 5}, {"+.5", 0.5}, {"1.e-2", 0.01}, {"007", 7}, {"00.5", 0.5}};
  for (const auto& [text, value] : cases) {
    set_config("rate=" + text, tables);
    EXPECT_EQ(s.rate, value) << text;
  }
  set_config("epochs=012", tables);
  EXPECT_EQ(s.epochs, 12);
}

TEST(ConfigSet, StringsNeedNoQuotes) {
  Settings s;
  auto tables = describe(s);
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", ""},           {"a b=c.txt", "a b=c.txt"}, {"12", "12"},       {"true", "true"},
      {"'a\\b'", "a\\b"}, {"\"a\\tb\"", "a\tb"},      {"C:\\x", "C:\\x"}, {"é", "é"}};
  for (const auto& [text, value] : cases) {
    set_config("data.pairs=" + text, tables);
    EXPECT_EQ(s.pairs, value);
  }
}

TEST(ConfigSet, RefusesAndChangesNothing) {
  Settings s;
  auto tables = describe(s);
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"epochs", "expected table.key=value, found 'epochs'"},
      {"decoding.beem_size=5", "did you mean 'beam_size'?"},
      {"decodin.beam_size=5", "did you mean 'decoding'?"},
      {"training.beam_size=5", "it belongs in [decoding]"},
      {"beem_size=5", "did you mean 'beam_size'?"},
      {"=5", "unknown key ''"},
      {"training.=5", "unknown key ''"},
      {".epochs=5", "unknown table []"},
      {"training=5", "expected the table [training]"},
      {"epochs=", "expected a whole number, 1 to 1000000, found ''"},
      {"epochs=many", "found 'many'"},
      {"epochs=0", "found 0"},
      {"epochs=1.5", "expected a whole number"},
      {"epochs=2\nshuffle=false", "expected a whole number"},
      {"epochs=2 # x\r", "expected a whole number"},
      {"shuffle=yes", "expected true or false, found 'yes'"},
      {"search=baem", "did you mean 'beam'?"},
      {"pairs='open", "expected a string, found ''open'"},
      {"pairs='a' 'b'", "expected a string"},
      {"pairs=\xFF", "UTF-8"},
      {"epochs=é", "found 'é'"},
  };
  for (const auto& [assignment, says] : cases) {
    try {
      set_config(assignment, tables);
      ADD_FAILURE() << "accepted: " << assignment;
    } catch (const InvalidArgument& error) {
      EXPECT_THAT(error.what(), HasSubstr(says));
    }
    EXPECT_EQ(s, Settings()) << assignment;
  }
}

TEST(ConfigSet, AKeyOfTwoTablesHasToNameItsOwn) {
  int64_t a = 1, b = 1;
  std::vector<ConfigTable> tables = {ConfigTable("one", "").add("size", a, "", 0, 9),
                                     ConfigTable("two", "").add("size", b, "", 0, 9)};
  EXPECT_THROW(set_config("size=2", tables), InvalidArgument);
  set_config("two.size=2", tables);
  EXPECT_EQ(a, 1);
  EXPECT_EQ(b, 2);
}

}  // namespace
}  // namespace attend::core
