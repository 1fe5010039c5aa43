#include "attend/core/file_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "attend/core/errors.h"
#include "attend/core/safetensors.h"
#include "attend/core/zip.h"
#include "tests/core/temporary_folder.h"

namespace attend::core {
namespace {

using ::testing::HasSubstr;
using testing::TemporaryFolder;
using std::literals::string_view_literals::operator""sv;

template <class Call>
std::string refusal(const Call& call) {
  try {
    call();
  } catch (const DataError& error) {
    return error.what();
  }
  return "accepted";
}

// First bytes as file(1) and the formats' own pages have them.
TEST(FindFormat, NamesFormatsByTheirFirstBytes) {
  const std::string tar = std::string(257, '\0') + "ustar  ";
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"\x1f\x8b\x08\0"sv, "a gzip file"},
      {"BZh91AY&SY"sv, "a bzip2 file"},
      {"\xfd"
       "7zXZ\0\0"sv,
       "an xz file"},
      {"\x28\xb5\x2f\xfd\x04"sv, "a Zstandard file"},
      {"PK\x03\x04\x14"sv, "a ZIP archive"},
      {"7z\xbc\xaf\x27\x1c\0"sv, "a 7z archive"},
      {tar, "a tar archive"},
      {"%PDF-1.7"sv, "a PDF document"},
      {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"sv, "an old Office file (.xls, .doc)"},
      {"\x89PNG\r\n\x1a\n"sv, "a PNG picture"},
      {"SQLite format 3\0"sv, "an SQLite database"},
      {"PAR1\x15"sv, "a Parquet table"},
      {"\x89HDF\r\n\x1a\n"sv, "an HDF5 file"},
      {"\x93NUMPY\x01"sv, "a NumPy array"},
      {"GGUF\x03"sv, "a GGUF model"},
      {"\x80\x02}q"sv, "a Python pickle"},
      {"\x80\x04\x95\x10"sv, "a Python pickle"},
      {"\x7f"
       "ELF\x02"sv,
       "a program"},
      {"version https://git-lfs.github.com/spec/v1\noid sha256:0"sv,
       "a pointer of Git LFS, not the file itself"},
      {"<!DOCTYPE html>\n"sv, "an HTML page"},
      {"\xef\xbb\xbf \n<HTML lang=en>"sv, "an HTML page"},
  };
  for (const auto& [head, name] : cases) {
    ASSERT_TRUE(find_format(head)) << name;
    EXPECT_EQ(find_format(head)->name, name);
    EXPECT_EQ(format_text(head), "this is " + std::string(name));
  }
}

TEST(FindFormat, LeavesTextAlone) {
  for (const std::string_view text :
       {""sv, "Go.\tVa !\n"sv, "P"sv, "PK"sv, "BZ"sv, "<p>a</p>"sv, "html"sv,
        "\xff\xfe"
        "a\0"sv,
        "\xef\xbb\xbfGo."sv, "{\"a\": 1}"sv, "MZ is a name"sv, "\x1f"sv})
    EXPECT_FALSE(find_format(text)) << text;
}

TEST(CheckTextHead, RefusesWhatIsNoText) {
  const auto check = [](std::string_view head) {
    return refusal([&] { check_text_head(head, "f"); });
  };
  EXPECT_THAT(check("%PDF-1.4"), HasSubstr("f: this is a PDF document"));
  EXPECT_THAT(check(std::string(65536, '\0')), HasSubstr("nothing but zero bytes"));
  EXPECT_EQ(check("Go.\tVa !"), "accepted");
  EXPECT_EQ(check(""), "accepted");
}

TEST(ReadTextFile, RefusesByTheStart) {
  const TemporaryFolder folder;
  const auto read = [&](std::string_view bytes) {
    std::ofstream(folder / "f", std::ios::binary) << bytes;
    return refusal([&] { read_text_file(folder / "f"); });
  };
  EXPECT_EQ(read("epochs = 3\n"), "accepted");
  EXPECT_THAT(read("epochs\0= 3\n"sv), HasSubstr("a binary file"));
  EXPECT_THAT(read("\xff\xfe"
                   "e\0"sv),
              HasSubstr("UTF-16"));
  EXPECT_THAT(read("<html><head>"), HasSubstr("an HTML page"));
  ASSERT_EQ(::truncate((folder / "f").c_str(), off_t{1} << 36), 0);
  EXPECT_THAT(refusal([&] { read_text_file(folder / "f"); }), HasSubstr("HTML"));
  std::ofstream(folder / "f") << "";
  ASSERT_EQ(::truncate((folder / "f").c_str(), off_t{1} << 36), 0);
  EXPECT_THAT(refusal([&] { read_text_file(folder / "f"); }), HasSubstr("zero bytes"));
}

TEST(ReadSafetensorsBytes, NamesWhatItIsInstead) {
  const TemporaryFolder folder;
  const auto read = [&](std::string_view bytes) {
    std::ofstream(folder / "f", std::ios::binary) << bytes;
    return refusal([&] { read_safetensors_bytes(folder / "f"); });
  };
  EXPECT_THAT(read("<!DOCTYPE html>\n<html><body>404</body></html>\n"),
              HasSubstr("f: this is an HTML page, and a safetensors file was expected"));
  EXPECT_THAT(read(write_zip({{"archive/data.pkl", "x"}})), HasSubstr("a ZIP archive"));
  EXPECT_THAT(read("version https://git-lfs.github.com/spec/v1\n"),
              HasSubstr("a pointer of Git LFS"));
  EXPECT_THAT(read("GGUF\x03\0\0\0\0\0\0\0"sv), HasSubstr("a GGUF model"));
  EXPECT_THAT(read(""), HasSubstr("expected at least 8 bytes, found 0"));
  EXPECT_THAT(read("abc"), HasSubstr("expected at least 8 bytes, found 3"));
  EXPECT_EQ(read(serialize_safetensors({}, {})), "accepted");
}

// 4 GB of nothing behind the length of a header: known by the first bytes.
TEST(ReadSafetensorsBytes, RefusesASparseFileAtOnce) {
  const TemporaryFolder folder;
  const std::string path = folder / "f";
  for (const uint64_t length : {uint64_t{3} << 30, uint64_t{0}}) {
    std::string head;
    for (int i = 0; i < 8; ++i) head += static_cast<char>((length >> (8 * i)) & 0xFF);
    std::ofstream(path, std::ios::binary) << head;
    ASSERT_EQ(::truncate(path.c_str(), off_t{1} << 36), 0);
    EXPECT_THAT(refusal([&] { read_safetensors_bytes(path); }), HasSubstr("no safetensors file"));
  }
}

}  // namespace
}  // namespace attend::core
