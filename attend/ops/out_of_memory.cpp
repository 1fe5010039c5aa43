#include "attend/ops/out_of_memory.h"

#include <c10/util/Exception.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <new>

namespace attend::ops {

std::string bytes_text(int64_t bytes) {
  constexpr std::array<const char*, 5> kUnits = {"kB", "MB", "GB", "TB", "PB"};
  double value = static_cast<double>(bytes) / 1000.0;
  size_t unit = 0;
  while (value >= 999.95 && unit + 1 < kUnits.size()) {
    value /= 1000.0;
    ++unit;
  }
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.1f %s (%lld bytes)", value, kUnits[unit],
                static_cast<long long>(bytes));
  return text.data();
}

bool is_out_of_memory(const std::exception& error) {
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) return true;
  if (dynamic_cast<const c10::OutOfMemoryError*>(&error) != nullptr) return true;
  // The allocator of the CPU throws LibTorch's general error, and says in words what is missing.
  const auto* general = dynamic_cast<const c10::Error*>(&error);
  return general != nullptr && std::strstr(general->msg().c_str(), "allocate memory") != nullptr;
}

void allocate_or_say(const std::string& what, int64_t bytes,
                     const std::function<void()>& allocate) {
  try {
    allocate();
  } catch (const std::exception& error) {
    if (!is_out_of_memory(error)) throw;
    throw OutOfMemory(what + " need " + bytes_text(bytes) +
                      " of memory, more than this process can have");
  }
}

}  // namespace attend::ops
