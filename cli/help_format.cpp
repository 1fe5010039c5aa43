#include "cli/help_format.h"

#include <sstream>

namespace attend::cli {
namespace {

// CLI11 writes "INT:INT in [0 - 10]", and "FILE" where a name was given.
std::string short_type(const std::string& type) {
  const std::string name = type.substr(0, type.find(':'));
  if (name == "INT" || name == "UINT") return "N";
  return name == "FLOAT" ? "X" : name;
}

}  // namespace

HelpFormat::HelpFormat() { column_width(kNames); }

std::string HelpFormat::make_option_opts(const CLI::Option* option) const {
  std::string text;
  if (option->get_type_size() != 0) {
    text += " " + short_type(option->get_type_name());
    if (!option->get_default_str().empty()) text += "=" + option->get_default_str();
    if (option->get_positional()) text += "...";
  }
  return text;
}

std::string HelpFormat::make_option_desc(const CLI::Option* option) const {
  return wrapped(option->get_description() + (option->get_required() ? " (required)" : ""),
                 kDescription);
}

std::string wrapped(const std::string& text, size_t width) {
  std::istringstream words(text);
  std::string result, line, word;
  while (words >> word) {
    if (!line.empty() && line.size() + 1 + word.size() > width) {
      result += line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return result + line;
}

}  // namespace attend::cli
