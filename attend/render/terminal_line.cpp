#include "attend/render/terminal_line.h"

#include <algorithm>

namespace attend::render {
namespace {

constexpr int kGap = 3;
constexpr const char* kReset = "\x1b[0m";

}  // namespace

std::string TerminalLine::code(Rgb colour, int plane) const {
  const std::string start = "\x1b[" + std::to_string(plane);
  if (mode_ == TerminalColour::k256)
    return start + ";5;" + std::to_string(nearest_xterm(colour)) + "m";
  return start + ";2;" + std::to_string(colour.red) + ";" + std::to_string(colour.green) + ";" +
         std::to_string(colour.blue) + "m";
}

TerminalLine& TerminalLine::add_on(Rgb ground, std::string_view text) {
  if (mode_ == TerminalColour::kAscii) return add(text);
  text_ += code(ground, 48) + code(text_colour_on(ground), 38);
  add(text);
  text_ += kReset;
  return *this;
}

TerminalLine& TerminalLine::add_in(Rgb ink, std::string_view text) {
  if (mode_ == TerminalColour::kAscii) return add(text);
  text_ += code(ink, 38);
  add(text);
  text_ += kReset;
  return *this;
}

int TerminalBlock::width() const {
  int widest = 0;
  for (const TerminalLine& line : lines) widest = std::max(widest, line.width());
  return widest;
}

std::vector<TerminalLine> flow(const std::vector<TerminalBlock>& blocks, int width,
                               TerminalColour mode) {
  std::vector<TerminalLine> out;
  for (size_t first = 0; first < blocks.size();) {
    size_t end = first + 1;
    int used = blocks[first].width();
    size_t height = blocks[first].lines.size();
    while (end < blocks.size() && used + kGap + blocks[end].width() <= width) {
      used += kGap + blocks[end].width();
      height = std::max(height, blocks[end].lines.size());
      ++end;
    }
    if (!out.empty()) out.emplace_back(mode);
    const size_t top = out.size();
    out.resize(top + height, TerminalLine(mode));
    int left = 0;
    for (size_t b = first; b < end; ++b) {
      // Blocks stand on a common base line, since their heads differ in height.
      const size_t lead = height - blocks[b].lines.size();
      for (size_t i = 0; i < blocks[b].lines.size(); ++i) {
        const TerminalLine& from = blocks[b].lines[i];
        TerminalLine& to = out[top + lead + i];
        to.fill_to(left);
        to.append(from);
      }
      left += blocks[b].width() + kGap;
    }
    first = end;
  }
  return out;
}

std::vector<TerminalLine> wrapped(std::string_view text, int width, TerminalColour mode) {
  std::vector<TerminalLine> lines;
  for (const std::string& line : wrap(text, width, display_width))
    lines.push_back(TerminalLine(mode).add(line));
  return lines;
}

std::string join(const std::vector<TerminalLine>& lines) {
  std::string out;
  for (const TerminalLine& line : lines) {
    std::string_view text = line.text();
    while (text.ends_with(' ')) text.remove_suffix(1);
    out.append(text).append("\n");
  }
  return out;
}

}  // namespace attend::render
