// Private to core: an open file, and what reading and writing say of a path that can't be used.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "attend/core/errors.h"

namespace attend::core::detail {

[[noreturn]] inline void fail(const std::string& path, const std::string& what, int error) {
  throw DataError(path, what + ": " + std::generic_category().message(error));
}

// What the C calls would cut at a zero byte, or take for the present folder, is refused.
inline void check_path(const std::string& path) {
  if (path.empty()) throw DataError(path, "expected a path, found an empty one");
  if (path.find('\0') != std::string::npos) {
    throw DataError(path.substr(0, path.find('\0')), "expected a path, found one with a zero byte");
  }
}

class Descriptor {
 public:
  Descriptor(const std::string& path, int flags, mode_t mode = 0666) {
    do {
      fd_ = ::open(path.c_str(), flags | O_CLOEXEC, mode);
    } while (fd_ < 0 && errno == EINTR);
    error_ = fd_ < 0 ? errno : 0;
  }
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  bool is_open() const { return fd_ >= 0; }
  int get() const { return fd_; }
  int error() const { return error_; }  // why it is not open

  // 0 or an errno. Network file systems report a full disk only here.
  int close() {
    const int status = ::close(std::exchange(fd_, -1));
    return status == 0 || errno == EINTR ? 0 : errno;
  }

 private:
  int fd_ = -1;
  int error_ = 0;
};

}  // namespace attend::core::detail
