#include "attend/render/terminal_header.h"

#include <algorithm>

namespace attend::render {
namespace {

/// The line of each label, 1 is the lowest.
std::vector<int> label_lines(const std::vector<HeaderLabel>& labels) {
  std::vector<int> line(labels.size(), 1);
  for (size_t i = labels.size(); i-- > 0;) {
    const int end = labels[i].x + display_width(labels[i].text);
    for (size_t k = i + 1; k < labels.size() && labels[k].x <= end; ++k)
      line[i] = std::max(line[i], line[k] + 1);
  }
  return line;
}

}  // namespace

int header_height(const std::vector<HeaderLabel>& labels) {
  const std::vector<int> lines = label_lines(labels);
  return lines.empty() ? 0 : *std::max_element(lines.begin(), lines.end());
}

std::vector<TerminalLine> header_lines(const std::vector<HeaderLabel>& labels,
                                       TerminalColour mode) {
  const std::vector<int> line = label_lines(labels);
  const std::string leader = mode == TerminalColour::kAscii ? "|" : "│";
  std::vector<TerminalLine> out;
  for (int height = header_height(labels); height >= 1; --height) {
    TerminalLine text(mode);
    for (size_t i = 0; i < labels.size(); ++i) {
      if (line[i] < height) continue;
      text.fill_to(labels[i].x).add(line[i] == height ? labels[i].text : leader);
    }
    out.push_back(text);
  }
  return out;
}

std::vector<TerminalLine> number_lines(const std::vector<HeaderLabel>& labels, int64_t first,
                                       TerminalColour mode) {
  const size_t digits = std::to_string(first + static_cast<int64_t>(labels.size()) - 1).size();
  std::vector<TerminalLine> out(digits, TerminalLine(mode));
  for (size_t i = 0; i < labels.size(); ++i) {
    const std::string number = std::to_string(first + static_cast<int64_t>(i));
    for (size_t d = 0; d < number.size(); ++d)
      out[digits - number.size() + d].fill_to(labels[i].x).add(number.substr(d, 1));
  }
  return out;
}

}  // namespace attend::render
