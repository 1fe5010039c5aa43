// How much memory a piece of work needs beside what was there before, by two measures.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

namespace attend::bench {

struct PeakMemory {
  /// Most bytes of tensors that lived at once: what the allocator of LibTorch gave out. Exact, the
  /// same each time, blind to what libraries take elsewhere.
  int64_t tensors = 0;
  /// Most bytes of the process that were resident: all there is, as any program can be measured.
  /// Takes what the heap held free beforehand for nothing, so it is for large sizes. Linux alone.
  std::optional<int64_t> resident;
};

/// Runs `work` and says by how much each measure rose above where it stood.
PeakMemory peak_memory(const std::function<void()>& work);

/// Most bytes of this process that were resident since it began, and those that are. Linux alone.
std::optional<int64_t> peak_resident();
std::optional<int64_t> resident();

}  // namespace attend::bench
