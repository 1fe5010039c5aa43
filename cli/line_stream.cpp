#include "cli/line_stream.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "attend/core/errors.h"

namespace attend::cli {
namespace {

constexpr const char* kName = "standard input";
// A program that writes line by line is given this long for the next one, so that lines that come
// in a row are translated together.
constexpr int kGraceMilliseconds = 2;
constexpr int kForEver = -1;

}  // namespace

// False when nothing came within the time. At the end it is true, and ended_ is set.
bool LineStream::read_some(int timeout_ms) {
  pollfd input = {STDIN_FILENO, POLLIN, 0};
  int ready = poll(&input, 1, timeout_ms);
  while (ready < 0 && errno == EINTR) ready = poll(&input, 1, timeout_ms);
  if (ready == 0) return false;
  std::array<char, 65536> bytes;
  ssize_t count = read(STDIN_FILENO, bytes.data(), bytes.size());
  while (count < 0 && errno == EINTR) count = read(STDIN_FILENO, bytes.data(), bytes.size());
  if (count < 0) throw DataError(kName, std::string("can't be read: ") + std::strerror(errno));
  ended_ = count == 0;
  waiting_.append(bytes.data(), static_cast<size_t>(count));
  waiting_lines_ += std::count(bytes.data(), bytes.data() + count, '\n');
  return true;
}

data::Lines LineStream::take(size_t bytes) {
  data::Lines lines;
  first_ = given_ + 1;
  try {
    lines = data::parse_text_lines(std::string_view(waiting_).substr(0, bytes), kName);
  } catch (const DataError& error) {
    if (given_ == 0 || error.line() == 0) throw;
    const std::string what = error.what();  // "standard input:2: why", of these lines
    throw DataError(kName, given_ + error.line(), error.column(), what.substr(what.find(": ") + 2));
  }
  for (int64_t& line : lines.mended.lines) line += given_;
  waiting_.erase(0, bytes);
  waiting_lines_ = 0;
  given_ += static_cast<int64_t>(lines.lines.size());
  return lines;
}

data::Lines LineStream::next(int64_t most) {
  while (!ended_ && waiting_lines_ < most)
    if (!read_some(waiting_lines_ > 0 ? kGraceMilliseconds : kForEver)) break;
  return take(ended_ ? waiting_.size() : waiting_.rfind('\n') + 1);
}

}  // namespace attend::cli
