#include "attend/core/npz.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "attend/core/errors.h"
#include "attend/core/zip.h"
#include "tests/core/damage.h"
#include "tests/core/golden.h"

namespace attend::core {
namespace {

using ::testing::HasSubstr;

void expect_golden(const NpyArray& array, const nlohmann::json& expected) {
  EXPECT_EQ(array.shape, expected["shape"].get<std::vector<int64_t>>()) << array.name;
  const auto values = expected["values"].get<std::vector<std::string>>();
  ASSERT_EQ(array.values.size(), values.size()) << array.name;
  for (size_t i = 0; i < values.size(); ++i) {
    const auto value = static_cast<float>(std::strtod(values[i].c_str(), nullptr));
    EXPECT_EQ(array.values[i], value) << array.name << " " << i;
    EXPECT_EQ(std::signbit(array.values[i]), std::signbit(value)) << array.name << " " << i;
  }
}

TEST(ReadNpz, ReadsEveryTypeAndOrderThatNumPyWrote) {
  const auto golden = testing::golden_json()["arrays"];
  for (const std::string name : {"stored.npz", "deflated.npz"}) {
    const auto arrays = read_npz(testing::golden_bytes(name), name);
    ASSERT_EQ(arrays.size(), golden.size());
    for (const auto& array : arrays) {
      ASSERT_TRUE(golden.contains(array.name)) << array.name;
      expect_golden(array, golden[array.name]);
    }
  }
}

TEST(ReadNpy, ReadsAllVersionsOfTheFormat) {
  const auto golden = testing::golden_json()["arrays"]["f4"];
  for (const std::string version : {"1", "2", "3"}) {
    expect_golden(read_npy(testing::golden_bytes("version" + version + ".npy"), ""), golden);
  }
}

std::string refusal(const std::string& bytes) {
  try {
    read_npy(bytes, "dir/x.npy");
  } catch (const DataError& error) {
    EXPECT_EQ(error.path(), "dir/x.npy");
    return error.what();
  }
  return "accepted";
}

TEST(ReadNpy, RefusesWhatIsNoArrayOfNumbers) {
  const auto golden = [](const std::string& name) {
    return refusal(testing::golden_bytes("refused_" + name + ".npy"));
  };
  EXPECT_THAT(golden("object"), HasSubstr("pickled and never read"));
  EXPECT_THAT(golden("big_endian"), HasSubstr("big-endian ('>f4')"));
  EXPECT_THAT(golden("complex"), HasSubstr("'<c8'"));
  EXPECT_THAT(golden("text"), HasSubstr("'<U2'"));
  EXPECT_THAT(golden("record"), HasSubstr("records"));
}

std::string array_file(const std::string& header, const std::string& data, char version = 1) {
  std::string file = "\x93NUMPY";
  file += {version, '\0'};
  file += {static_cast<char>(header.size() & 0xFF), static_cast<char>(header.size() >> 8)};
  if (version > 1) file += std::string(2, '\0');
  return file + header + data;
}

// A file of doubles, which a float may not hold.
std::string file_of(const std::vector<double>& values, const std::string& order) {
  std::string data(values.size() * sizeof(double), '\0');
  std::memcpy(data.data(), values.data(), data.size());
  return array_file("{'descr':'<f8','fortran_order':" + order + ",'shape':(2,3)}\n", data);
}

TEST(ReadNpy, RefusesAFiniteNumberThatAFloatDoesNotHold) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_THAT(refusal(file_of({0, 1, 2, 3, -1e300, infinity}, "False")),
              HasSubstr("the number -1e+300 at [1, 1] is too large; the largest is 3.4e38"));
  EXPECT_THAT(refusal(file_of({0, 1, 2, 3, 3.5e38, 5}, "True")), HasSubstr("3.5e+38 at [0, 2]"));
  const auto kept =
      read_npy(file_of({0, 1e-300, 3.4028234e38, std::nan(""), -infinity, 1}, "False"), "x.npy");
  EXPECT_EQ(kept.values[1], 0);
  EXPECT_TRUE(std::isnan(kept.values[3]));
  EXPECT_EQ(kept.values[4], -std::numeric_limits<float>::infinity());
}

TEST(ReadNpy, RefusesADamagedHeader) {
  const std::string descr = "'descr':'<f4'", order = "'fortran_order':False",
                    shape = "'shape':(1,)";
  const auto header = [](const std::string& text) { return refusal(array_file(text, "1234")); };
  EXPECT_EQ(header("{" + descr + "," + order + "," + shape + "}"), "accepted");
  EXPECT_EQ(header("{ " + shape + " , " + order + " , " + descr + ", } \n"), "accepted");
  EXPECT_EQ(header("{" + descr + "," + order + ",'shape':(1L,)}"), "accepted");
  EXPECT_THAT(header(""), HasSubstr("expected '{'"));
  EXPECT_THAT(header("{}"), HasSubstr("missing"));
  EXPECT_THAT(header("{" + descr + "," + shape + "}"), HasSubstr("missing"));
  EXPECT_THAT(header("{" + descr + "," + descr), HasSubstr("twice"));
  EXPECT_THAT(header("{" + descr + " " + order), HasSubstr("expected ','"));
  EXPECT_THAT(header("{'descr':'<f4}"), HasSubstr("without an end"));
  EXPECT_THAT(header("{'descr':'\\x3cf4'}"), HasSubstr("backslash"));
  EXPECT_THAT(header("{'colour':'red'}"), HasSubstr("unknown key 'colour'"));
  EXPECT_THAT(header("{'fortran_order':1}"), HasSubstr("True or False"));
  EXPECT_THAT(header("{'shape':1}"), HasSubstr("expected '('"));
  EXPECT_THAT(header("{'shape':(-1,)}"), HasSubstr("expected a size"));
  EXPECT_THAT(header("{'shape':(1.5,)}"), HasSubstr("expected ','"));
  EXPECT_THAT(header("{'shape':(9223372036854775808,)}"), HasSubstr("2^63"));
  EXPECT_THAT(header("{" + descr + "," + order + "," + shape + "} x"), HasSubstr("other text"));
  const auto sized = [&](const std::string& text) {
    return header("{" + descr + "," + order + ",'shape':" + text + "}");
  };
  EXPECT_EQ(sized("()"), "accepted");
  EXPECT_THAT(sized("(2,)"), HasSubstr("expected 8 bytes for '<f4' (2), found 4"));
  EXPECT_THAT(sized("(0,)"), HasSubstr("expected 0 bytes"));
  EXPECT_THAT(sized("(4611686018427387904,8)"), HasSubstr("countless"));
  EXPECT_THAT(sized("(4611686018427387905,)"), HasSubstr("countless"));
  std::string dimensions;
  for (int i = 0; i < 65; ++i) dimensions += "1,";
  EXPECT_THAT(sized("(" + dimensions + ")"), HasSubstr("64 dimensions"));
  EXPECT_THAT(refusal("\x93NUMPY\x04"), HasSubstr("cut short"));
  EXPECT_THAT(refusal(array_file("{}", "", 4)), HasSubstr("version 1, 2 or 3"));
  EXPECT_THAT(refusal("PK"), HasSubstr("no NumPy array"));
}

TEST(ReadNpy, AnEmptyArrayMayHaveAnyOtherSizes) {
  const NpyArray array = read_npy(
      array_file("{'descr':'<f4','fortran_order':True,'shape':(0,4611686018427387904,9)}", ""), "");
  EXPECT_TRUE(array.values.empty());
}

TEST(WriteNpy, ComesBack) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<NpyArray> arrays = {{"scalar", {}, {2.5f}},
                                        {"one", {3}, {1, -2, 1e-45f}},
                                        {"grid", {2, 3}, {1, 2, 3, 4, 5, nan}},
                                        {"empty", {0, 4}, {}},
                                        {"é", {1, 1, 1, 1}, {7}}};
  const auto read = read_npz(write_npz(arrays), "");
  ASSERT_EQ(read.size(), arrays.size());
  for (size_t i = 0; i < arrays.size(); ++i) {
    EXPECT_EQ(read[i].name, arrays[i].name);
    EXPECT_EQ(read[i].shape, arrays[i].shape);
    EXPECT_THAT(read[i].values,
                ::testing::Pointwise(::testing::NanSensitiveFloatEq(), arrays[i].values));
  }
}

// Byte for byte what NumPy writes.
TEST(WriteNpy, IsNumPysOwnForm) {
  const std::string bytes = testing::golden_bytes("version1.npy");
  EXPECT_EQ(write_npy(read_npy(bytes, "")), bytes);
  const auto entries = read_zip(testing::golden_bytes("stored.npz"), "");
  for (const auto& entry : entries) {
    if (entry.name == "scalar.npy" || entry.name == "one.npy" || entry.name == "empty.npy") {
      EXPECT_EQ(write_npy(read_npy(entry.bytes, "")), entry.bytes) << entry.name;
    }
  }
}

TEST(WriteNpy, RefusesValuesThatDoNotFillTheShape) {
  EXPECT_THROW(write_npy({"a", {2}, {1}}), InvalidArgument);
  EXPECT_THROW(write_npy({"a", {-1}, {}}), InvalidArgument);
}

TEST(ReadNpz, RefusesOtherFilesInIt) {
  EXPECT_THROW(read_npz(write_zip({{"a.txt", "hello"}}), "x.npz"), DataError);
  try {
    read_npz(write_zip({{"a.npy", "hello"}}), "x.npz");
    FAIL();
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), HasSubstr("x.npz/a.npy: no NumPy array"));
  }
}

TEST(Npz, DamageNeverCrashes) {
  const auto npz = [](std::string_view damaged) { read_npz(damaged, "damaged"); };
  const auto npy = [](std::string_view damaged) { read_npy(damaged, "damaged"); };
  const std::string archive = testing::golden_bytes("deflated.npz");
  testing::expect_every_truncation_refused(archive, npz);
  EXPECT_GT(testing::refused_bit_flips(archive, npz), 1000);
  const std::string array = testing::golden_bytes("version1.npy");
  testing::expect_every_truncation_refused(array, npy);
  EXPECT_GT(testing::refused_bit_flips(array, npy), 300);
}

}  // namespace
}  // namespace attend::core
