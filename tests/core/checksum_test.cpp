#include "attend/core/checksum.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace attend::core {
namespace {

std::string checksum_of(std::string_view bytes) {
  Checksum checksum;
  checksum.add(bytes);
  return checksum.text();
}

// Byte i is (7 i + i / 3) % 256.
std::string counted(int n) {
  std::string bytes;
  for (int i = 0; i < n; ++i) bytes += static_cast<char>(7 * i + i / 3);
  return bytes;
}

// By xxh64() of Python's xxhash, which wraps the reference implementation.
TEST(Checksum, IsXxh64) {
  EXPECT_EQ(checksum_of("abc"), "44bc2cf5ad770999");
  EXPECT_EQ(checksum_of("Nobody inspects the spammish repetition"), "fbcea83c8a378bf1");
  const std::map<int, std::string> golden = {
      {0, "ef46db3751d8e999"},   {1, "e934a84adb052768"},  {3, "9ff70a635a6209ab"},
      {4, "1be12520c57882a9"},   {7, "3627d4d10550bb0b"},  {8, "4bf2f848ae61d86e"},
      {12, "a1c51498f9bd718f"},  {31, "c39b239cc3908b47"}, {32, "fcde531da24a08bb"},
      {33, "87aa75789ca3ee82"},  {63, "04ff6cb654a1c750"}, {64, "bbee50984cd3a30b"},
      {100, "ff079688753b8203"}, {200, "7e3552ad4286f1d3"}};
  for (const auto& [n, expected] : golden) EXPECT_EQ(checksum_of(counted(n)), expected) << n;
}

TEST(Checksum, DoesNotHangOnThePieces) {
  const std::string bytes = counted(200);
  for (size_t first = 0; first <= bytes.size(); ++first) {
    for (const size_t second : {size_t{0}, size_t{1}, size_t{31}, size_t{33}}) {
      Checksum checksum;
      const std::string_view rest = std::string_view(bytes).substr(first);
      checksum.add(std::string_view(bytes).substr(0, first));
      checksum.add(rest.substr(0, second));
      checksum.add(rest.substr(std::min(second, rest.size())));
      EXPECT_EQ(checksum.text(), "7e3552ad4286f1d3") << first << " + " << second;
    }
  }
}

TEST(Checksum, NoticesEveryFlippedBit) {
  std::string bytes = counted(100);
  const std::string whole = checksum_of(bytes);
  for (size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_NE(checksum_of(bytes), whole) << bit;
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
  }
}

}  // namespace
}  // namespace attend::core
