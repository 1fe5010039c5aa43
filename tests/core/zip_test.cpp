#include "attend/core/zip.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "attend/core/errors.h"
#include "tests/core/damage.h"
#include "tests/core/golden.h"

namespace attend::core {
namespace {

using ::testing::HasSubstr;

std::string pairs() {
  std::string text;
  for (int i = 0; i < 500; ++i) text += "Go.\tVa !\n";
  return text;
}

std::string refusal(const std::string& archive, size_t limit = size_t{4} << 30) {
  try {
    read_zip(archive, "dir/a.zip", limit);
  } catch (const DataError& error) {
    EXPECT_EQ(error.path(), "dir/a.zip");
    return error.what();
  }
  return "accepted";
}

// Offset of the nth (from 0) signature "PK" + two bytes.
size_t find_signature(const std::string& archive, const std::string& tail) {
  const size_t at = archive.find("PK" + tail);
  EXPECT_NE(at, std::string::npos);
  return at;
}

TEST(ReadZip, ReadsStoredAndDeflatedEntries) {
  const auto entries = read_zip(testing::golden_bytes("pairs.zip"), "pairs.zip");
  ASSERT_EQ(entries.size(), 3u);
  EXPECT_EQ(entries[0].name, "_about.txt");
  EXPECT_EQ(entries[0].bytes, "à propos\n");
  EXPECT_EQ(entries[1].name, "fra.txt");
  EXPECT_EQ(entries[1].bytes, pairs());
  EXPECT_EQ(entries[2].bytes, "");
}

TEST(ReadZip, ReadsAStreamedArchiveWithSomethingBeforeIt) {
  const auto entries = read_zip(testing::golden_bytes("streamed.zip"), "streamed.zip");
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].bytes, pairs());
}

TEST(ReadZip, KeepsToTheLimit) {
  const std::string archive = testing::golden_bytes("pairs.zip");
  const size_t total = pairs().size() + 10;
  EXPECT_EQ(read_zip(archive, "", total).size(), 3u);
  EXPECT_THAT(refusal(archive, total - 1), HasSubstr("limit"));
  EXPECT_THAT(refusal(archive, 0), HasSubstr("limit"));
}

TEST(ReadZip, SaysWhatIsWrong) {
  const std::string good = testing::golden_bytes("pairs.zip");
  const size_t central = find_signature(good, "\x01\x02");
  const auto changed = [&](size_t at, char value) {
    std::string bytes = good;
    bytes[at] = value;
    return bytes;
  };
  EXPECT_THAT(refusal(""), HasSubstr("at least 22 bytes"));
  EXPECT_THAT(refusal(std::string(100, 'x')), HasSubstr("no ZIP file"));
  EXPECT_THAT(refusal(good + "x"), HasSubstr("no directory"));
  EXPECT_THAT(refusal(changed(central + 8, 1)), HasSubstr("'_about.txt' is encrypted"));
  EXPECT_THAT(refusal(changed(central + 10, 12)), HasSubstr("method 12"));
  EXPECT_THAT(refusal(changed(central + 16, 0)), HasSubstr("CRC"));
  EXPECT_THAT(refusal(changed(central + 24, 9)), HasSubstr("its directory says 9"));
  EXPECT_THAT(refusal(changed(central + 42, 1)), HasSubstr("not where the directory says"));
  EXPECT_THAT(refusal(changed(central + 45, 1)), HasSubstr("not where the directory says"));
  EXPECT_THAT(refusal(changed(40, '!')), HasSubstr("CRC"));
  const size_t end = find_signature(good, "\x05\x06");
  EXPECT_THAT(refusal(changed(end + 10, 2)), HasSubstr("more entries"));
  EXPECT_THAT(refusal(changed(end + 10, 4)), HasSubstr("damaged"));
  EXPECT_THAT(refusal(changed(end + 4, 1)), HasSubstr("disks"));
  EXPECT_THAT(refusal(changed(end + 19, 1)), HasSubstr("outside"));
  EXPECT_THAT(refusal(changed(end + 15, 1)), HasSubstr("larger than the file"));
}

// An archive whose sizes and offsets stand in ZIP64 fields alone.
TEST(ReadZip, ReadsZip64) {
  const auto little = [](uint64_t value, int width) {
    std::string text;
    for (int i = 0; i < width; ++i) text += static_cast<char>((value >> (8 * i)) & 0xFF);
    return text;
  };
  const std::string none(4, '\xFF'), plain = write_zip({{"a", "hello"}});
  const size_t central = plain.find("PK\x01\x02");
  std::string extra = little(1, 2) + little(24, 2) + little(5, 8) + little(5, 8) + little(0, 8);
  extra = little(0x5455, 2) + little(1, 2) + "x" + extra;  // another field before it
  std::string header = plain.substr(central, 46);
  header.replace(20, 8, none + none);
  header.replace(30, 2, little(extra.size(), 2));
  header.replace(42, 4, none);
  const std::string directory = header + "a" + extra;
  const std::string end64 = "PK\x06\x06" + little(44, 8) + little(45, 2) + little(45, 2) +
                            little(0, 8) + little(1, 8) + little(1, 8) +
                            little(directory.size(), 8) + little(central, 8);
  const std::string locator =
      "PK\x06\x07" + little(0, 4) + little(central + directory.size(), 8) + little(1, 4);
  const std::string end = "PK\x05\x06" + little(0, 4) + none + none + none + little(0, 2);
  const std::string archive = plain.substr(0, central) + directory + end64 + locator + end;
  const auto entries = read_zip(archive, "");
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].bytes, "hello");
  testing::expect_every_truncation_refused(
      archive, [](std::string_view damaged) { read_zip(damaged, "", 1 << 20); });
  testing::refused_bit_flips(archive,
                             [](std::string_view damaged) { read_zip(damaged, "", 1 << 20); });
}

TEST(WriteZip, ComesBackAndIsTheSameEachTime) {
  const std::vector<ZipEntry> entries = {
      {"a.npy", "12"}, {"é", ""}, {"b", std::string(1000, '\0')}};
  const std::string archive = write_zip(entries);
  EXPECT_EQ(write_zip(entries), archive);
  const auto read = read_zip(archive, "");
  ASSERT_EQ(read.size(), entries.size());
  for (size_t i = 0; i < read.size(); ++i) {
    EXPECT_EQ(read[i].name, entries[i].name);
    EXPECT_EQ(read[i].bytes, entries[i].bytes);
  }
  EXPECT_TRUE(read_zip(write_zip({}), "").empty());
  EXPECT_THROW(write_zip({{std::string(65536, 'n'), ""}}), InvalidArgument);
  EXPECT_THROW(write_zip(std::vector<ZipEntry>(65535)), InvalidArgument);
}

TEST(Zip, DamageNeverCrashes) {
  const auto read = [](std::string_view damaged) { read_zip(damaged, "damaged", 1 << 20); };
  for (const std::string name : {"pairs.zip", "streamed.zip"}) {
    const std::string bytes = testing::golden_bytes(name);
    testing::expect_every_truncation_refused(bytes, read);
    EXPECT_GT(testing::refused_bit_flips(bytes, read), 300);
  }
}

TEST(Gunzip, ReadsAllMembers) {
  const std::string bytes = testing::golden_bytes("members.gz");
  EXPECT_EQ(gunzip(bytes, "m.gz"), "one\ntwo\n");
  EXPECT_EQ(gunzip(bytes + std::string(512, '\0'), "m.gz"), "one\ntwo\n");
  EXPECT_EQ(gunzip(bytes, "m.gz", 8), "one\ntwo\n");
  EXPECT_THROW(gunzip(bytes, "m.gz", 7), DataError);
}

TEST(Gunzip, RefusesDamage) {
  const std::string bytes = testing::golden_bytes("members.gz");
  EXPECT_THROW(gunzip("", "m.gz"), DataError);
  EXPECT_THROW(gunzip("plain text", "m.gz"), DataError);
  EXPECT_THROW(gunzip(bytes + "x", "m.gz"), DataError);
  EXPECT_THROW(gunzip(bytes + std::string("\0x", 2), "m.gz"), DataError);
  const auto read = [](std::string_view damaged) { gunzip(damaged, "m.gz", 1 << 20); };
  // A cut between members leaves a whole file.
  const std::string last = bytes.substr(bytes.rfind("\x1F\x8B"));
  EXPECT_EQ(gunzip(last, "m.gz"), "two\n");
  testing::expect_every_truncation_refused(last, read);
  EXPECT_GT(testing::refused_bit_flips(bytes, read), 200);
}

}  // namespace
}  // namespace attend::core
