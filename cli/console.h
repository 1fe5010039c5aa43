// Standard error as people see it: notes, and one line that is rewritten where it is a terminal.
#pragma once

#include <chrono>
#include <string>

namespace attend::cli {

/// Columns of the terminal, from COLUMNS or the terminal itself; 80 where there is none.
int terminal_width();
bool stderr_is_terminal();
bool stdout_is_terminal();

/// "2 min 05 s", "1 h 12 min".
std::string duration_text(double seconds);

/// `text` in quotes, so that a shell takes it for one word: "it's", '"no"'.
std::string shell_quoted(const std::string& text);
/// The same; without quotes where a shell needs none.
std::string shell_word(const std::string& text);

/// A message as a terminal may show it: control characters as their pictures, but line ends kept;
/// cut where it is longer than a screen.
std::string shown_message(const std::string& message);
/// Words or a sentence within a message, on one line: cut where it is wider than `width` columns.
std::string shown(const std::string& text, int width = 100);

class Console {
 public:
  explicit Console(bool quiet = false);
  ~Console();
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;

  /// A line that stays, as shown_message() has it. The live line, if any, moves below it.
  void note(const std::string& line);
  /// A warning: a line that stays, also when quiet.
  void warn(const std::string& line);
  /// Rewrites the live line, at most ten times a second; nothing where there is no terminal.
  void live(const std::string& line);
  /// Ends the live line.
  void settle();

  bool is_terminal() const { return terminal_; }
  bool quiet() const { return quiet_; }

 private:
  void clear();
  bool quiet_;
  bool terminal_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace attend::cli
