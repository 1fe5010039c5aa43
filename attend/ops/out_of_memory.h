// Memory that is not there, told in numbers that a person can act on.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <string>

#include "attend/core/errors.h"

namespace attend::ops {

/// Memory was asked for that the system does not give.
class OutOfMemory : public Error {
 public:
  using Error::Error;
};

/// "34.4 GB (34359738368 bytes)".
std::string bytes_text(int64_t bytes);

/// Whether LibTorch or the standard library threw this for want of memory.
bool is_out_of_memory(const std::exception& error);

/// Calls `allocate`. Where it finds no memory, throws OutOfMemory: "WHAT need 34.4 GB (34359738368
/// bytes) of memory, more than this process can have".
void allocate_or_say(const std::string& what, int64_t bytes, const std::function<void()>& allocate);

}  // namespace attend::ops
