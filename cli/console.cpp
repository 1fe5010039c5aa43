#include "cli/console.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "attend/render/text_metrics.h"

namespace attend::cli {
namespace {

constexpr size_t kLongestMessage = 4000;  // bytes: about a screen

// The longest beginning of at most `bytes` that splits no character.
std::string beginning(const std::string& text, size_t bytes) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xC0) == 0x80) --bytes;
  return text.substr(0, bytes);
}

// As many characters as fit, so that the line is never wrapped.
std::string fit(const std::string& line, int columns) {
  return line.size() <= static_cast<size_t>(columns) ? line
                                                     : line.substr(0, static_cast<size_t>(columns));
}

}  // namespace

int terminal_width() {
  if (const char* columns = std::getenv("COLUMNS"))
    if (const int n = std::atoi(columns); n >= 20) return std::min(n, 1000);
  for (const int file : {STDOUT_FILENO, STDERR_FILENO}) {
    winsize size{};
    if (ioctl(file, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20) return size.ws_col;
  }
  return 80;
}

bool stderr_is_terminal() { return isatty(STDERR_FILENO) != 0; }
bool stdout_is_terminal() { return isatty(STDOUT_FILENO) != 0; }

std::string duration_text(double seconds) {
  const auto total = static_cast<long long>(std::max(seconds, 0.0) + 0.5);
  if (total < 60) return fmt::format("{} s", total);
  if (total < 3600) return fmt::format("{} min {:02} s", total / 60, total % 60);
  return fmt::format("{} h {:02} min", total / 3600, total % 3600 / 60);
}

std::string shell_quoted(const std::string& text) {
  if (text.find_first_of("\"$`\\!") == std::string::npos) return '"' + text + '"';
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + '\'';
}

std::string shell_word(const std::string& text) {
  const bool plain = std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) || c >= 0x80 || std::strchr("/._-+:@%,", c) != nullptr;
  });
  return plain && !text.empty() ? text : shell_quoted(text);
}

std::string shown_message(const std::string& message) {
  const std::string whole = beginning(message, kLongestMessage);
  std::string text;
  for (size_t begin = 0; begin <= whole.size();) {
    const size_t end = std::min(whole.find('\n', begin), whole.size());
    text += (begin == 0 ? "" : "\n") + render::printable(whole.substr(begin, end - begin));
    begin = end + 1;
  }
  return whole.size() < message.size() ? text + "…" : text;
}

std::string shown(const std::string& text, int width) { return render::cut_to_width(text, width); }

Console::Console(bool quiet) : quiet_(quiet), terminal_(stderr_is_terminal()) {}

Console::~Console() { settle(); }

void Console::clear() {
  if (shown_) std::fputs("\r\x1b[K", stderr);
  shown_ = false;
}

void Console::note(const std::string& line) {
  if (!quiet_) warn(line);
}

void Console::warn(const std::string& line) {
  clear();
  std::fputs((shown_message(line) + "\n").c_str(), stderr);
}

void Console::live(const std::string& line) {
  if (quiet_ || !terminal_) return;
  const auto now = std::chrono::steady_clock::now();
  if (shown_ && now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  std::fputs(("\r" + fit(render::printable(line), terminal_width() - 1) + "\x1b[K").c_str(),
             stderr);
  std::fflush(stderr);
  shown_ = true;
}

void Console::settle() {
  if (shown_) std::fputs("\n", stderr);
  shown_ = false;
}

}  // namespace attend::cli
