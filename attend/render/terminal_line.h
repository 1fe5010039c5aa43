// Lines of a terminal picture, with their width counted apart from escape sequences.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "attend/render/colour.h"
#include "attend/render/terminal.h"
#include "attend/render/text_metrics.h"

namespace attend::render {

class TerminalLine {
 public:
  explicit TerminalLine(TerminalColour mode) : mode_(mode) {}

  TerminalLine& add(std::string_view printable_text) {
    text_ += printable_text;
    width_ += display_width(printable_text);
    return *this;
  }
  /// Black or white text on a coloured ground; ASCII: the text alone.
  TerminalLine& add_on(Rgb ground, std::string_view text);
  /// Coloured text; ASCII: the text alone.
  TerminalLine& add_in(Rgb ink, std::string_view text);
  TerminalLine& fill_to(int width) {
    return add(std::string(static_cast<size_t>(width > width_ ? width - width_ : 0), ' '));
  }

  TerminalLine& append(const TerminalLine& other) {
    text_ += other.text_;
    width_ += other.width_;
    return *this;
  }

  int width() const { return width_; }
  const std::string& text() const { return text_; }

 private:
  std::string code(Rgb colour, int plane) const;

  TerminalColour mode_;
  std::string text_;
  int width_ = 0;
};

/// Lines that stand together.
struct TerminalBlock {
  std::vector<TerminalLine> lines;
  int width() const;
};

/// Blocks side by side, a new row of them where the width is used up; blank lines between the rows.
std::vector<TerminalLine> flow(const std::vector<TerminalBlock>& blocks, int width,
                               TerminalColour mode);

/// Plain text wrapped to the width.
std::vector<TerminalLine> wrapped(std::string_view text, int width, TerminalColour mode);

/// The lines without trailing spaces, each ended by LF.
std::string join(const std::vector<TerminalLine>& lines);

}  // namespace attend::render
