#include "attend/core/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "attend/core/errors.h"
#include "tests/core/damage.h"
#include "tests/core/golden.h"

namespace attend::core {
namespace {

using ::testing::HasSubstr;

std::string with_header(const std::string& header, const std::string& data) {
  std::string file;
  for (int i = 0; i < 8; ++i) file += static_cast<char>((header.size() >> (8 * i)) & 0xFF);
  return file + header + data;
}

std::string hex(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    text += "0123456789abcdef"[static_cast<unsigned char>(c) >> 4];
    text += "0123456789abcdef"[static_cast<unsigned char>(c) & 15];
  }
  return text;
}

TEST(Safetensors, ReadsWhatThePackageWrote) {
  const std::map<std::string, std::string> dtypes = {
      {"float32", "F32"}, {"float64", "F64"},   {"int64", "I64"}, {"int32", "I32"},
      {"float16", "F16"}, {"bfloat16", "BF16"}, {"uint8", "U8"},  {"bool", "BOOL"}};
  const auto golden = testing::golden_json()["safetensors"];
  const std::string bytes = testing::golden_bytes("golden.safetensors");
  const Safetensors file = parse_safetensors(bytes, "golden");
  EXPECT_EQ(file.metadata, (golden["metadata"].get<std::map<std::string, std::string>>()));
  ASSERT_EQ(file.tensors.size(), golden["tensors"].size());
  for (const auto& [name, expected] : golden["tensors"].items()) {
    const TensorView* tensor = file.find(name);
    ASSERT_TRUE(tensor) << name;
    EXPECT_EQ(tensor->dtype, dtypes.at(expected["dtype"].get<std::string>())) << name;
    EXPECT_EQ(tensor->shape, expected["shape"].get<std::vector<int64_t>>()) << name;
    EXPECT_EQ(hex(tensor->bytes), expected["hex"].get<std::string>()) << name;
  }
  EXPECT_EQ(file.find("none"), nullptr);
  for (size_t i = 1; i < file.tensors.size(); ++i) {
    EXPECT_GE(file.tensors[i].bytes.data(), file.tensors[i - 1].bytes.data());
  }
}

TEST(Safetensors, WritesWhatItReads) {
  const std::vector<TensorView> tensors = {{"b", "F32", {2, 1}, "12345678"},
                                           {"a\"\n\xC3\xA9", "U8", {3}, "xyz"},
                                           {"scalar", "I64", {}, "abcdefgh"},
                                           {"empty", "F16", {0, 7}, ""}};
  const std::map<std::string, std::string> metadata = {{"format_version", "1"},
                                                       {"x", "\"\xC3\xA9"}};
  const std::string bytes = serialize_safetensors(tensors, metadata);
  const Safetensors file = parse_safetensors(bytes, "written");
  EXPECT_EQ(file.metadata, metadata);
  ASSERT_EQ(file.tensors.size(), tensors.size());
  for (size_t i = 0; i < tensors.size(); ++i) {
    EXPECT_EQ(file.tensors[i].name, tensors[i].name);
    EXPECT_EQ(file.tensors[i].dtype, tensors[i].dtype);
    EXPECT_EQ(file.tensors[i].shape, tensors[i].shape);
    EXPECT_EQ(file.tensors[i].bytes, tensors[i].bytes);
  }
  EXPECT_EQ((file.tensors[0].bytes.data() - bytes.data()) % 8, 0);
}

TEST(Safetensors, AFileWithoutTensorsIsOne) {
  const std::string bytes = serialize_safetensors({}, {});
  EXPECT_EQ(bytes, with_header("{}      ", ""));
  EXPECT_TRUE(parse_safetensors(bytes, "none").tensors.empty());
}

TEST(Safetensors, RefusesToWriteWhatNoOneCouldRead) {
  const auto write = [](TensorView a, TensorView b) { serialize_safetensors({a, b}, {}); };
  const TensorView good = {"a", "F32", {1}, "1234"};
  EXPECT_THROW(write(good, good), InvalidArgument);
  EXPECT_THROW(write(good, {"__metadata__", "F32", {1}, "1234"}), InvalidArgument);
  EXPECT_THROW(write(good, {"b", "F32", {2}, "1234"}), InvalidArgument);
  EXPECT_THROW(write(good, {"b", "F31", {1}, "1234"}), InvalidArgument);
  EXPECT_THROW(write(good, {"b", "F32", {-1}, "1234"}), InvalidArgument);
  EXPECT_THROW(write(good, {"b", "F32", {int64_t{1} << 62, 4}, ""}), InvalidArgument);
  EXPECT_THROW(write(good, {"\xFF", "F32", {1}, "1234"}), InvalidArgument);
  EXPECT_THROW(serialize_safetensors({}, {{"a", "\xFF"}}), InvalidArgument);
}

struct Refused {
  std::string header, data, says;
};

std::string tensor(const std::string& name, const std::string& dtype, const std::string& shape,
                   const std::string& offsets) {
  return "\"" + name + "\":{\"dtype\":\"" + dtype + "\",\"shape\":" + shape +
         ",\"data_offsets\":" + offsets + "}";
}

TEST(Safetensors, RefusesWhatThePackageRefuses) {
  const std::string a = tensor("a", "F32", "[1]", "[0,4]"),
                    twice = tensor("a", "F32", "[1]", "[4,8]");
  const std::vector<Refused> cases = {
      {"", "", "not a JSON object"},
      {" {}", "", "not a JSON object"},
      {"[]", "", "not a JSON object"},
      {"{", "", "no JSON at byte"},
      {"{}x", "", "no JSON at byte"},
      {"{\"\xFF\":1}", "", "no JSON at byte"},
      {"{" + a + "}", "123", "cut short"},
      {"{" + a + "}", "12345", "1 byte after the last tensor"},
      {"{" + a + "," + twice + "}", "12345678", "'a' is there twice"},
      {"{" + a + "," + tensor("b", "F32", "[1]", "[5,9]") + "}", "123456789", "from byte 4"},
      {"{" + a + "," + tensor("b", "F32", "[1]", "[3,7]") + "}", "1234567", "from byte 4"},
      {"{" + a + "," + tensor("b", "F32", "[1]", "[0,4]") + "}", "1234", "from byte 4"},
      {"{" + tensor("a", "F32", "[1]", "[4,0]") + "}", "1234", "from byte 0"},
      {"{" + tensor("a", "F32", "[1]", "[0,5]") + "}", "12345", "expected 4 bytes for F32 (1)"},
      {"{" + tensor("a", "F32", "[2]", "[0,4]") + "}", "1234", "expected 8 bytes"},
      {"{" + tensor("a", "F33", "[1]", "[0,4]") + "}", "1234", "unknown dtype 'F33'"},
      {"{" + tensor("a", "F32", "[-1]", "[0,4]") + "}", "1234", "negative"},
      {"{" + tensor("a", "F32", "[1.0]", "[0,4]") + "}", "1234", "no whole number"},
      {"{" + tensor("a", "F32", "[4611686018427387904,4]", "[0,0]") + "}", "", "countless"},
      {"{" + tensor("a", "F32", "[4611686018427387905]", "[0,4]") + "}", "1234", "countless"},
      {"{" + tensor("a", "F32", "[18446744073709551615]", "[0,4]") + "}", "1234", "2^63"},
      {"{" + tensor("a", "F32", "[18446744073709551616]", "[0,4]") + "}", "1234", "2^64"},
      {"{" + tensor("a", "F32", "[1]", "[0]") + "}", "1234", "two data_offsets"},
      {"{" + tensor("a", "F32", "[1]", "[0,4,8]") + "}", "1234", "two data_offsets"},
      {"{" + tensor("a", "F32", "[[1]]", "[0,4]") + "}", "1234", "array"},
      {"{" + tensor("a", "F32", "{}", "[0,4]") + "}", "1234", "object"},
      {"{" + tensor("a", "F32", "1", "[0,4]") + "}", "1234", "number"},
      {"{" + tensor("a", "F32", "null", "[0,4]") + "}", "1234", "null"},
      {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1]}}", "", "missing"},
      {"{\"a\":{\"dtype\":\"F32\",\"dtype\":\"F32\"}}", "", "twice"},
      {"{\"a\":{\"dtype\":[\"F32\"]}}", "", "array"},
      {"{\"a\":{\"colour\":\"red\"}}", "", "unknown key 'colour'"},
      {"{\"a\":1}", "", "number"},
      {"{\"__metadata__\":{\"a\":1}}", "", "number"},
      {"{\"__metadata__\":{\"a\":\"1\",\"a\":\"2\"}}", "", "twice"},
      {"{\"__metadata__\":{},\"__metadata__\":{}}", "", "twice"},
      {"{\"__metadata__\":[]}", "", "array"},
  };
  for (const auto& c : cases) {
    try {
      parse_safetensors(with_header(c.header, c.data), "dir/model.safetensors");
      ADD_FAILURE() << "accepted: " << c.header;
    } catch (const DataError& error) {
      EXPECT_THAT(error.what(), HasSubstr(c.says)) << c.header;
      EXPECT_EQ(error.path(), "dir/model.safetensors");
    }
  }
}

TEST(Safetensors, RefusesAHeaderThatIsTooLong) {
  const auto parse = [](uint64_t length, std::string rest) {
    std::string file;
    for (int i = 0; i < 8; ++i) file += static_cast<char>((length >> (8 * i)) & 0xFF);
    file += rest;
    parse_safetensors(file, "f");
  };
  EXPECT_THROW(parse(100'000'001, std::string(100'000'001, ' ')), DataError);
  EXPECT_THROW(parse(~uint64_t{0}, "{}"), DataError);
  EXPECT_THROW(parse(3, "{}"), DataError);
  EXPECT_NO_THROW(parse(2, "{}"));
}

TEST(Safetensors, DeepNestingIsAnErrorAndNoCrash) {
  EXPECT_THROW(parse_safetensors(with_header("{\"a\":" + std::string(1000000, '['), ""), "f"),
               DataError);
}

TEST(Safetensors, DamageNeverCrashes) {
  const std::string bytes = testing::golden_bytes("golden.safetensors");
  const auto read = [](std::string_view damaged) { parse_safetensors(damaged, "damaged"); };
  testing::expect_every_truncation_refused(bytes, read);
  EXPECT_GT(testing::refused_bit_flips(bytes, read), 1000);
}

}  // namespace
}  // namespace attend::core
