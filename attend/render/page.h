// One self-contained HTML page: no script, style, font or picture from elsewhere, so that it opens
// from a file, without a network, for years. What the library shows in a browser is built on this.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace attend::render {

/// Builds up a page. Titles, headings and notes are plain text and are escaped here; markup, style
/// and script are the caller's to have escaped.
class Page {
 public:
  explicit Page(std::string title, std::string language = "en")
      : title_(std::move(title)), language_(std::move(language)) {}

  /// A line under the page's title.
  Page& subtitle(std::string text);
  /// What stands at the top in place of the title and the subtitle, such as an `<h1>` in several
  /// languages. The title still names the window.
  Page& header(std::string markup);
  /// More CSS. The page defines the variables --ground, --panel, --ink, --dim, --rule and --accent,
  /// for light and dark;
  /// what is in a `class="scroll"` scrolls where it is wider than the screen.
  Page& style(std::string_view css);
  /// JSON for scripts: `attendData(id)` gives it parsed. Any text may be in it. `id`: letters and
  /// '-'.
  Page& data(std::string_view id, std::string_view json);
  /// JavaScript, run at the end of the page, each in a function of its own.
  Page& script(std::string_view javascript);
  /// `<section id="...">` with a heading (left out when empty).
  Page& section(std::string_view id, std::string_view heading, std::string_view markup);

  /// The page. A content security policy in it forbids to load anything from elsewhere.
  std::string html() const;

 private:
  std::string title_;
  std::string language_;
  std::string subtitle_;
  std::string header_;
  std::string style_;
  std::string data_;
  std::string script_;
  std::string body_;
};

}  // namespace attend::render
