#include "attend/render/page.h"

#include <utility>

#include "attend/render/escape.h"

namespace attend::render {
namespace {

constexpr const char* kPolicy =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:";

constexpr const char* kStyle = R"css(
:root { color-scheme: light dark;
  --ground: #ffffff; --panel: #f5f6f8; --ink: #1b1e23; --dim: #59616b; --rule: #c9ced4;
  --accent: #b0441a; }
@media (prefers-color-scheme: dark) { :root {
  --ground: #14171c; --panel: #1d2127; --ink: #e8eaed; --dim: #a3abb5; --rule: #3c434c;
  --accent: #ffa066; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem; max-width: 84rem; background: var(--ground);
  color: var(--ink); font: 16px/1.5 system-ui, -apple-system, "Segoe UI", "Noto Sans",
  "DejaVu Sans", "Noto Sans CJK SC", sans-serif; }
h1 { font-size: 1.4rem; margin: 0; } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
.subtitle { color: var(--dim); margin: .2rem 0 1rem; overflow-wrap: anywhere; }
button, select { font: inherit; color: inherit; background: var(--panel);
  border: 1px solid var(--rule); border-radius: .3rem; padding: .2rem .6rem; max-width: 100%; }
a { color: var(--accent); }
code { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: .92em; }
p code, figcaption code, td code { background: var(--panel); border-radius: .25rem;
  padding: .05rem .3rem; overflow-wrap: anywhere; }
/* What is wider than the screen scrolls; a shadow at the side says that there is more. */
.scroll { overflow: auto; max-width: 100%; --shade: rgb(0 0 0 / .3); background:
  linear-gradient(to right, var(--ground) 30%, transparent) left / 3rem 100% no-repeat local,
  linear-gradient(to left, var(--ground) 30%, transparent) right / 3rem 100% no-repeat local,
  linear-gradient(to right, var(--shade), transparent) left / .9rem 100% no-repeat scroll,
  linear-gradient(to left, var(--shade), transparent) right / .9rem 100% no-repeat scroll; }
@media (prefers-color-scheme: dark) { .scroll { --shade: rgb(255 255 255 / .3); } }
.scroll .am .bg { fill: none; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
)css";

constexpr const char* kDataScript =
    "const attendData = id => JSON.parse(document.getElementById(id).textContent);\n";

}  // namespace

Page& Page::subtitle(std::string text) {
  subtitle_ = std::move(text);
  return *this;
}

Page& Page::header(std::string markup) {
  header_ = std::move(markup);
  return *this;
}

Page& Page::style(std::string_view css) {
  style_ += css;
  return *this;
}

Page& Page::data(std::string_view id, std::string_view json) {
  data_ += "<script type=\"application/json\" id=\"" + escape_xml(id) + "\">" +
           script_safe_json(json) + "</script>\n";
  return *this;
}

Page& Page::script(std::string_view javascript) {
  script_.append("(() => {\n").append(javascript).append("\n})();\n");
  return *this;
}

Page& Page::section(std::string_view id, std::string_view heading, std::string_view markup) {
  body_ += "<section id=\"" + escape_xml(id) + "\">\n";
  if (!heading.empty()) body_ += "<h2>" + escape_xml(heading) + "</h2>\n";
  body_.append(markup).append("\n</section>\n");
  return *this;
}

std::string Page::html() const {
  std::string out = "<!doctype html>\n<html lang=\"" + escape_xml(language_) + "\">\n<head>\n";
  out += "<meta charset=\"utf-8\">\n";
  out += std::string("<meta http-equiv=\"Content-Security-Policy\" content=\"") + kPolicy + "\">\n";
  out += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
  out += "<title>" + escape_xml(title_) + "</title>\n<style>" + kStyle + style_ + "</style>\n";
  std::string header = header_.empty() ? "<h1>" + escape_xml(title_) + "</h1>\n" : header_;
  if (header_.empty() && !subtitle_.empty())
    header += "<p class=\"subtitle\">" + escape_xml(subtitle_) + "</p>\n";
  out += "</head>\n<body>\n<header>" + header + "</header>\n<main>\n" + body_ + "</main>\n" + data_;
  if (!script_.empty()) out += std::string("<script>\n") + kDataScript + script_ + "</script>\n";
  return out + "</body>\n</html>\n";
}

}  // namespace attend::render
