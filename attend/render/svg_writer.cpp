#include "attend/render/svg_writer.h"

#include <cmath>
#include <cstdio>

#include "attend/render/escape.h"
#include "attend/render/text_metrics.h"

namespace attend::render {
namespace {

constexpr const char* kFonts =
    "system-ui,-apple-system,'Segoe UI','Noto Sans','DejaVu Sans','Noto Sans CJK SC',sans-serif";

void append_rule(std::string& rules, const std::string& selector, const std::string& rule) {
  rules += ".am " + selector + "{" + rule + "}\n";
}

}  // namespace

std::string svg_number(double value) {
  char text[48];
  std::snprintf(text, sizeof text, "%.2f", std::isfinite(value) ? value : 0.0);
  std::string out = text;
  while (out.back() == '0') out.pop_back();
  if (out.back() == '.') out.pop_back();
  return out == "-0" ? "0" : out;
}

void SvgWriter::text(double x, double y, std::string_view text, const TextStyle& style) {
  body_ += "<text x=\"" + svg_number(x) + "\" y=\"" + svg_number(y) + "\" font-size=\"" +
           svg_number(style.size) + "\" class=\"" + style.css + "\"";
  if (std::string_view(style.anchor) != "start")
    body_ += std::string(" text-anchor=\"") + style.anchor + "\"";
  if (style.bold) body_ += " font-weight=\"600\"";
  if (style.rotate != 0)
    body_ += " transform=\"rotate(" + svg_number(style.rotate) + " " + svg_number(x) + " " +
             svg_number(y) + ")\"";
  body_ += ">" + escape_xml(text) + "</text>\n";
}

void SvgWriter::line(double x1, double y1, double x2, double y2, const char* css) {
  body_ += "<line x1=\"" + svg_number(x1) + "\" y1=\"" + svg_number(y1) + "\" x2=\"" +
           svg_number(x2) + "\" y2=\"" + svg_number(y2) + "\" class=\"" + css + "\"/>\n";
}

void SvgWriter::style(const std::string& selector, const std::string& light,
                      const std::string& dark) {
  append_rule(light_, selector, theme_ == Theme::kDark ? dark : light);
  if (theme_ == Theme::kAuto && light != dark) append_rule(dark_, selector, dark);
}

std::string SvgWriter::document(double width, double height, std::string_view title) const {
  SvgWriter page(*this);
  page.style("text", std::string("font-family:") + kFonts);
  page.style(".bg", "fill:#ffffff", "fill:#14171c");
  page.style(".ink", "fill:#1b1e23", "fill:#e8eaed");
  page.style(".dim", "fill:#59616b", "fill:#a3abb5");
  page.style(".rule", "stroke:#c9ced4;stroke-width:1", "stroke:#3c434c;stroke-width:1");
  const std::string size =
      svg_number(std::ceil(width)) + "\" height=\"" + svg_number(std::ceil(height));
  std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"am\" role=\"img\" width=\"" +
                    size + "\" viewBox=\"0 0 " + svg_number(std::ceil(width)) + " " +
                    svg_number(std::ceil(height)) + "\">\n";
  out += "<title>" + escape_xml(title) + "</title>\n<style>\n" + page.light_;
  if (!page.dark_.empty()) out += "@media (prefers-color-scheme:dark){\n" + page.dark_ + "}\n";
  out += "</style>\n<rect class=\"bg\" width=\"" + size + "\"/>\n";
  return out + body_ + "</svg>\n";
}

std::vector<std::string> wrap_text(std::string_view text, double size, double width) {
  return wrap(text, width,
              [size](std::string_view cluster) { return size * text_width_em(cluster); });
}

}  // namespace attend::render
