#include "attend/fused/workspace.h"

#include <algorithm>
#include <new>

namespace attend::fused {
namespace {

constexpr size_t kAlignment = 64;
constexpr size_t kLeastChunk = size_t{1} << 18;

size_t rounded(size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

}  // namespace

void Workspace::Free::operator()(std::byte* p) const {
  ::operator delete[](p, std::align_val_t(kAlignment));
}

void Workspace::add_chunk(size_t bytes) {
  Chunk chunk;
  chunk.size = std::max(kLeastChunk, bytes);
  chunk.data.reset(
      static_cast<std::byte*>(::operator new[](chunk.size, std::align_val_t(kAlignment))));
  chunks_.push_back(std::move(chunk));
}

void* Workspace::take_bytes(size_t bytes) {
  bytes = rounded(bytes);
  if (chunks_.empty() || chunks_.back().size - chunks_.back().used < bytes)
    add_chunk(std::max(bytes, this->bytes()));  // twice as much each time
  Chunk& chunk = chunks_.back();
  void* piece = chunk.data.get() + chunk.used;
  chunk.used += bytes;
  return piece;
}

// What lies in chunks that came later is free too: they are taken from first.
void Workspace::release(size_t chunks, size_t used) {
  if (!chunks_.empty()) chunks_.back().used = chunks_.size() == chunks ? used : 0;
}

void Workspace::reset() {
  if (chunks_.size() > 1) {
    const size_t all = bytes();
    chunks_.clear();
    add_chunk(all);
  }
  for (Chunk& chunk : chunks_) chunk.used = 0;
}

size_t Workspace::bytes() const {
  size_t sum = 0;
  for (const Chunk& chunk : chunks_) sum += chunk.size;
  return sum;
}

}  // namespace attend::fused
