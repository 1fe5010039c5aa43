#include "attend/core/checksum.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>

namespace attend::core {
namespace {

constexpr uint64_t kPrime1 = 0x9E3779B185EBCA87ull;
constexpr uint64_t kPrime2 = 0xC2B2AE3D27D4EB4Full;
constexpr uint64_t kPrime3 = 0x165667B19E3779F9ull;
constexpr uint64_t kPrime4 = 0x85EBCA77C2B2AE63ull;
constexpr uint64_t kPrime5 = 0x27D4EB2F165667C5ull;

// One load, where a processor keeps its numbers little-endian, as all that LibTorch runs on do.
static_assert(std::endian::native == std::endian::little);
template <class T>
uint64_t load(const char* data) {
  T value;
  std::memcpy(&value, data, sizeof value);
  return value;
}

uint64_t round(uint64_t lane, uint64_t input) {
  return std::rotl(lane + input * kPrime2, 31) * kPrime1;
}

uint64_t merge(uint64_t hash, uint64_t lane) { return (hash ^ round(0, lane)) * kPrime1 + kPrime4; }

// The bytes that fill no block, and the last mixing.
uint64_t finish(uint64_t hash, const char* data, size_t size) {
  for (; size >= 8; data += 8, size -= 8)
    hash = std::rotl(hash ^ round(0, load<uint64_t>(data)), 27) * kPrime1 + kPrime4;
  for (; size >= 4; data += 4, size -= 4)
    hash = std::rotl(hash ^ (load<uint32_t>(data) * kPrime1), 23) * kPrime2 + kPrime3;
  for (; size > 0; ++data, --size)
    hash = std::rotl(hash ^ (load<uint8_t>(data) * kPrime5), 11) * kPrime1;
  hash = (hash ^ (hash >> 33)) * kPrime2;
  hash = (hash ^ (hash >> 29)) * kPrime3;
  return hash ^ (hash >> 32);
}

}  // namespace

void Checksum::add_blocks(const char* data, size_t blocks) {
  std::array<uint64_t, 4> lanes = lanes_;
  for (size_t i = 0; i < blocks; ++i, data += kBlock)
    for (size_t lane = 0; lane < lanes.size(); ++lane)
      lanes[lane] = round(lanes[lane], load<uint64_t>(data + 8 * lane));
  lanes_ = lanes;
}

void Checksum::add(std::string_view bytes) {
  const size_t filled = length_ % kBlock;
  length_ += bytes.size();
  if (filled > 0) {
    const size_t taken = std::min(kBlock - filled, bytes.size());
    std::copy_n(bytes.data(), taken, rest_.data() + filled);
    bytes.remove_prefix(taken);
    if (filled + taken < kBlock) return;
    add_blocks(rest_.data(), 1);
  }
  add_blocks(bytes.data(), bytes.size() / kBlock);
  bytes.remove_prefix(bytes.size() - bytes.size() % kBlock);
  std::copy_n(bytes.data(), bytes.size(), rest_.data());
}

uint64_t Checksum::value() const {
  uint64_t hash = kPrime5;
  if (length_ >= kBlock) {
    hash = std::rotl(lanes_[0], 1) + std::rotl(lanes_[1], 7) + std::rotl(lanes_[2], 12) +
           std::rotl(lanes_[3], 18);
    for (const uint64_t lane : lanes_) hash = merge(hash, lane);
  }
  return finish(hash + length_, rest_.data(), length_ % kBlock);
}

std::string Checksum::text() const {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value()));
  return text;
}

}  // namespace attend::core
