#include "bench/memory.h"

#include <c10/core/CPUAllocator.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <string>

namespace attend::bench {
namespace {

// LibTorch's own allocator, with the sum of what it has given out.
class CountingAllocator : public c10::Allocator {
 public:
  c10::DataPtr allocate(size_t bytes) override {
    c10::DataPtr memory = base_->allocate(bytes);
    if (memory.get() == nullptr) return memory;
    const auto size = static_cast<int64_t>(bytes);
    live += size;
    peak = std::max<int64_t>(peak, live);
    const c10::Device device = memory.device();
    void* data = memory.get();
    return {data, new Block{std::move(memory), size}, &release, device};
  }
  void copy_data(void* to, const void* from, size_t bytes) const override {
    base_->copy_data(to, from, bytes);
  }

  inline static std::atomic<int64_t> live = 0;
  inline static std::atomic<int64_t> peak = 0;

 private:
  struct Block {
    c10::DataPtr memory;
    int64_t bytes;
  };
  static void release(void* block) {
    live -= static_cast<Block*>(block)->bytes;
    delete static_cast<Block*>(block);
  }
  c10::Allocator* base_ = c10::GetCPUAllocator();
};

// A line of /proc/self/status such as "VmHWM:   1234 kB", in bytes.
std::optional<int64_t> status_bytes(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(key + ":")) return std::stoll(line.substr(key.size() + 1)) * 1024;
  return std::nullopt;
}

// From here on the peak is that of what comes.
bool reset_peak() {
  std::ofstream file("/proc/self/clear_refs");
  return static_cast<bool>(file << "5" << std::flush);
}

}  // namespace

std::optional<int64_t> peak_resident() { return status_bytes("VmHWM"); }
std::optional<int64_t> resident() { return status_bytes("VmRSS"); }

PeakMemory peak_memory(const std::function<void()>& work) {
  static CountingAllocator counting;
  c10::Allocator* usual = c10::GetCPUAllocator();
  c10::SetCPUAllocator(&counting, 255);
  const int64_t live = CountingAllocator::live;
  CountingAllocator::peak = live;
  const bool resets = reset_peak();
  const std::optional<int64_t> before = resident();
  work();
  const std::optional<int64_t> most = peak_resident();
  c10::SetCPUAllocator(usual, 255);
  PeakMemory peak{CountingAllocator::peak - live, std::nullopt};
  if (resets && before && most) peak.resident = std::max<int64_t>(0, *most - *before);
  return peak;
}

}  // namespace attend::bench
