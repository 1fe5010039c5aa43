// How --help looks: short names for what a flag takes, and lines that fit the terminal.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace attend::cli {

class HelpFormat : public CLI::Formatter {
 public:
  HelpFormat();
  /// " N", " FILE", " TEXT=auto": without the ranges that are checked, which the messages name.
  std::string make_option_opts(const CLI::Option* option) const override;
  /// The description in lines of at most kDescription characters.
  std::string make_option_desc(const CLI::Option* option) const override;

 private:
  static constexpr size_t kNames = 30;
  static constexpr size_t kDescription = 66;
};

/// Breaks text at blanks, so that no line has more than `width` bytes where words allow it.
std::string wrapped(const std::string& text, size_t width);

}  // namespace attend::cli
