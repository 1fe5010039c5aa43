#include "attend/core/config_lines.h"

#include <map>
#include <utility>

namespace attend::core {
namespace {

constexpr std::string_view kSeparator = " = ";

std::vector<std::pair<std::string, std::string>> split_lines(const std::string& text) {
  std::vector<std::pair<std::string, std::string>> lines;
  size_t begin = 0;
  while (begin < text.size()) {
    size_t end = text.find('\n', begin);
    if (end == std::string::npos) end = text.size();
    const std::string line = text.substr(begin, end - begin);
    const size_t at = line.find(kSeparator);
    if (at != std::string::npos)
      lines.emplace_back(line.substr(0, at), line.substr(at + kSeparator.size()));
    begin = end + 1;
  }
  return lines;
}

}  // namespace

std::string config_lines(const std::vector<ConfigTable>& tables) {
  std::string text;
  for (const ConfigTable& table : tables)
    for (const ConfigField& field : table.fields())
      text += table.name() + "." + field.key + std::string(kSeparator) + field.print() + "\n";
  return text;
}

std::vector<ConfigDifference> config_differences(const std::string& stored,
                                                 const std::string& present) {
  std::map<std::string, std::string> values;
  for (auto& [key, value] : split_lines(present)) values[key] = value;
  std::vector<ConfigDifference> differences;
  for (const auto& [key, value] : split_lines(stored))
    if (values[key] != value) differences.push_back({key, value, values[key]});
  return differences;
}

}  // namespace attend::core
