// Reading a whole file, whatever stands behind its name.
#include <poll.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <new>
#include <stdexcept>

#include "attend/core/descriptor.h"
#include "attend/core/files.h"

namespace attend::core {
namespace {

using detail::fail;

// A device such as /dev/zero never ends; one with something to say, a tape's label or a key's, is
// shorter.
constexpr size_t kMostOfADevice = size_t{16} << 20;

std::string size_text(size_t bytes) {
  const bool mebi = bytes < (size_t{1} << 30);
  return std::to_string(bytes >> (mebi ? 20 : 30)) + (mebi ? " MiB" : " GiB");
}

// Of an opened file: bytes, or an errno below 0. Waits where the file is open without blocking.
ssize_t read_some(int fd, char* to, size_t size) {
  while (true) {
    const ssize_t n = ::read(fd, to, std::min(size, size_t{1} << 30));
    if (n >= 0) return n;
    if (errno == EINTR) continue;
    if (errno != EAGAIN && errno != EWOULDBLOCK) return -errno;
    pollfd waited{fd, POLLIN, 0};
    ::poll(&waited, 1, -1);
  }
}

// A named pipe that nobody has opened for writing reads as empty. One that had a writer says so by
// POLLHUP, and one whose writer is silent by EAGAIN. The byte that may be read goes to `out`.
void wait_for_writer(int fd, const std::string& path, int wait_ms, std::string& out) {
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + std::chrono::milliseconds(wait_ms);
  while (true) {
    pollfd waited{fd, POLLIN, 0};
    if (::poll(&waited, 1, 20) > 0) return;
    char byte = 0;
    const ssize_t n = ::read(fd, &byte, 1);
    if (n > 0) out += byte;
    if (n != 0) return;
    if (Clock::now() >= deadline)
      throw DataError(path, "is a pipe that nobody writes to (waited " +
                                std::to_string(wait_ms / 1000) + " s)");
  }
}

// Reads on until `bytes` has `size` bytes, or the file ends; false at the end.
bool fill(int fd, const std::string& path, std::string& bytes, size_t size) {
  size_t filled = bytes.size();
  try {
    bytes.resize(size);
  } catch (const std::exception&) {  // bad_alloc, length_error
    throw DataError(path, "needs " + size_text(size) + " of memory, more than there is");
  }
  while (filled < size) {
    const ssize_t n = read_some(fd, bytes.data() + filled, size - filled);
    if (n <= 0) bytes.resize(filled);
    if (n < 0) fail(path, "can't be read", static_cast<int>(-n));
    if (n == 0) return false;
    filled += static_cast<size_t>(n);
  }
  return true;
}

std::string read_open(int fd, const std::string& path, const ReadFileOptions& options,
                      bool may_lack_a_writer) {
  struct stat status;
  if (::fstat(fd, &status) != 0) fail(path, "can't be read", errno);
  if (S_ISDIR(status.st_mode)) throw DataError(path, "expected a file, found a folder");
  if (S_ISBLK(status.st_mode)) throw DataError(path, "expected a file, found a disk's device");
  const bool device = S_ISCHR(status.st_mode) && ::isatty(fd) == 0;
  // Files under /proc are regular and say 0.
  const bool sized = S_ISREG(status.st_mode) && status.st_size > 0;
  std::string bytes;
  if (S_ISFIFO(status.st_mode) && may_lack_a_writer)
    wait_for_writer(fd, path, options.writer_wait_ms, bytes);
  bool more = fill(fd, path, bytes, kHeadBytes);
  if (options.check_head && !device) options.check_head(bytes, sized ? status.st_size : -1);
  // The size is a hint: a log may grow.
  size_t next = sized ? static_cast<size_t>(status.st_size) + 1 : 2 * kHeadBytes;
  const size_t most = device ? kMostOfADevice : options.most_streamed;
  for (; more; next = 2 * bytes.size()) {
    if (device && bytes.size() >= most)
      throw DataError(path, "is a device that gives bytes without end; expected a file");
    if (!sized && bytes.size() >= most)
      throw DataError(path, "gives more than " + size_text(most) + ", which is as much as is read");
    more = fill(fd, path, bytes, std::max(sized ? next : std::min(next, most), bytes.size() + 1));
  }
  return bytes;
}

// Why open() refused, where the system's words don't say it all.
[[noreturn]] void fail_to_open(const std::string& path, int error) {
  std::error_code ignored;
  if (error == ENOENT && std::filesystem::is_symlink(path, ignored))
    throw DataError(path, "is a link to " + std::filesystem::read_symlink(path, ignored).string() +
                              ", which is not there");
  if (error == ENXIO && std::filesystem::is_socket(path, ignored))
    throw DataError(path, "expected a file, found a socket");
  fail(path, "can't be opened", error);
}

}  // namespace

std::string read_file(const std::string& path, const ReadFileOptions& options) {
  detail::check_path(path);
  const detail::Descriptor file(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  if (!file.is_open()) fail_to_open(path, file.error());
  return read_open(file.get(), path, options, true);
}

std::string read_standard_input(const ReadFileOptions& options) {
  return read_open(STDIN_FILENO, "standard input", options, false);
}

}  // namespace attend::core
