// The few elements that our pictures are made of, as SVG text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "attend/render/colour.h"

namespace attend::render {

/// Whose colours a picture has: the reader's (a light and a dark set, chosen by
/// prefers-color-scheme), or one fixed set, for paper and for programs that know no media queries.
enum class Theme { kAuto, kLight, kDark };

/// A number for an attribute: at most two decimals.
std::string svg_number(double value);

struct TextStyle {
  double size = 12;
  const char* css = "ink";       ///< class: "ink", "dim", ...
  const char* anchor = "start";  ///< "start", "middle" or "end"
  double rotate = 0;             ///< degrees, clockwise, about the anchor
  bool bold = false;
};

/// Collects elements and style rules; document() puts them together.
class SvgWriter {
 public:
  explicit SvgWriter(Theme theme) : theme_(theme) {}

  void text(double x, double y, std::string_view text, const TextStyle& style);
  void line(double x1, double y1, double x2, double y2, const char* css);
  /// Anything else, escaped by the caller.
  void raw(std::string_view markup) { body_ += markup; }
  /// `.am SELECTOR{RULE}`, each for its background.
  void style(const std::string& selector, const std::string& light, const std::string& dark);
  void style(const std::string& selector, const std::string& both) { style(selector, both, both); }

  /// The whole document on a ground of the theme's colour. `title` is read out and shown on hover.
  std::string document(double width, double height, std::string_view title) const;

 private:
  Theme theme_;
  std::string body_;
  std::string light_;
  std::string dark_;
};

/// wrap() into lines of at most `width` pixels at a font size.
std::vector<std::string> wrap_text(std::string_view text, double size, double width);

}  // namespace attend::render
