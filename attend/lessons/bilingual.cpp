#include "attend/lessons/bilingual.h"

#include <sstream>

namespace attend::lessons {
namespace {

// Where Chinese begins: ideographs and their punctuation, U+3000 to U+9FFF, or full-width forms.
size_t chinese_in(const std::string& line) {
  for (size_t i = 0; i + 1 < line.size(); ++i) {
    const auto lead = static_cast<unsigned char>(line[i]);
    const auto next = static_cast<unsigned char>(line[i + 1]);
    if ((lead >= 0xE3 && lead <= 0xE9) || (lead == 0xEF && next >= 0xBC)) return i;
  }
  return std::string::npos;
}

}  // namespace

std::string label_for(const std::string& label, Language language) {
  if (shows_chinese(language)) return label;
  std::string out;
  std::istringstream lines(label);
  for (std::string line; std::getline(lines, line);) {
    const size_t chinese = chinese_in(line);
    if (chinese != std::string::npos) {
      line.erase(line.find_last_not_of(' ', chinese == 0 ? 0 : chinese - 1) + 1);
      if (chinese == 0) continue;
    }
    out += (out.empty() ? "" : "\n") + line;
  }
  return out;
}

Bilingual label_parts(const std::string& label) {
  const size_t chinese = chinese_in(label);
  if (chinese == std::string::npos) return {label, ""};
  const size_t end = label.find_last_not_of(' ', chinese == 0 ? std::string::npos : chinese - 1);
  return {chinese == 0 ? "" : label.substr(0, end + 1), label.substr(chinese)};
}

}  // namespace attend::lessons
