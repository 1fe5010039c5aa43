#include "attend/core/config_hints.h"

#include <algorithm>

#include "attend/core/utf8.h"

namespace attend::core::detail {
namespace {

constexpr size_t kShown = 40;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::string_view take_digits(std::string_view& text) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_digit);
  const std::string_view digits = text.substr(0, static_cast<size_t>(end - text.begin()));
  text.remove_prefix(digits.size());
  return digits;
}

std::string_view line_of(std::string_view toml, int64_t line) {
  for (; line > 1; --line) {
    const size_t end = toml.find('\n');
    if (end == toml.npos) return "";
    toml.remove_prefix(end + 1);
  }
  return toml.substr(0, toml.find('\n'));
}

// Up to a comment; what is in quotes is no comment.
std::string_view without_comment(std::string_view line) {
  char quote = 0;
  for (size_t i = 0; i < line.size(); ++i) {
    if (quote != 0) {
      if (line[i] == quote) quote = 0;
    } else if (line[i] == '"' || line[i] == '\'') {
      quote = line[i];
    } else if (line[i] == '#') {
      return line.substr(0, i);
    }
  }
  return line;
}

bool is_number(std::string_view value) {
  const bool sign = value.starts_with('+') || value.starts_with('-');
  return !plain_number("0" + std::string(value.substr(sign ? 1 : 0))).empty();
}

// Empty where nothing better is known than the parser's own word.
std::string explain_value(std::string_view value) {
  if (value.empty()) return "expected a value after =";
  const std::string found = ", found " + short_value(value);
  if (const std::string plain = plain_number(value); !plain.empty())
    return "TOML writes this number " + short_value(plain) + found;
  if (is_number(value)) return "expected a number that 64 bits can hold" + found;
  const char first = value.front();
  const bool bare = first != '"' && first != '\'' && first != '[' && first != '{' && first != '+' &&
                    first != '-' && !is_digit(first);
  if (!bare) return "";
  if (value.find_first_of("\"'\\") != value.npos) return "expected a value" + found;
  return "expected a number, true, false or a string in quotes" + found + "; as a string it is \"" +
         short_value(value) + "\"";
}

}  // namespace

std::string plain_number(std::string_view value) {
  std::string plain;
  std::string_view rest = value;
  if (!rest.empty() && (rest.front() == '+' || rest.front() == '-')) {
    plain += rest.front();
    rest.remove_prefix(1);
  }
  std::string_view whole = take_digits(rest);
  while (whole.size() > 1 && whole.front() == '0') whole.remove_prefix(1);
  std::string_view fraction;
  const bool point = !rest.empty() && rest.front() == '.';
  if (point) {
    rest.remove_prefix(1);
    fraction = take_digits(rest);
  }
  if (whole.empty() && fraction.empty()) return "";
  plain.append(whole.empty() ? "0" : whole);
  if (point) plain.append(".").append(fraction.empty() ? "0" : fraction);
  if (!rest.empty() && (rest.front() == 'e' || rest.front() == 'E')) {
    std::string_view exponent = rest.substr(1);
    if (!exponent.empty() && (exponent.front() == '+' || exponent.front() == '-'))
      exponent.remove_prefix(1);
    if (take_digits(exponent).empty() || !exponent.empty()) return "";
    plain.append(rest);
    rest = {};
  }
  return rest.empty() && plain != value ? plain : "";
}

std::string short_value(std::string_view value) {
  if (value.size() <= kShown) return mend_utf8(value);
  const std::vector<char32_t> characters = decode_utf8(value);
  if (characters.size() <= kShown) return mend_utf8(value);
  std::string out;
  for (size_t i = 0; i < kShown; ++i) append_utf8(out, characters[i]);
  return out + "... (" + std::to_string(characters.size()) + " characters)";
}

std::string explain_line(std::string_view toml, int64_t line, std::string_view description) {
  const std::string_view text = trim(without_comment(line_of(toml, line)));
  const size_t equals = text.find('=');
  if (equals != text.npos && !text.starts_with('[')) {
    const std::string key(trim(text.substr(0, equals)));
    const std::string problem = explain_value(trim(text.substr(equals + 1)));
    if (description.find("redefine") != description.npos)
      return "'" + short_value(key) + "' has a value already";
    if (!problem.empty()) return "'" + short_value(key) + "': " + problem;
  } else if (!text.empty() && !text.starts_with('[')) {
    return "expected key = value, found " + short_value(text);
  } else if (description.find("redefine") != description.npos) {
    return "the table " + short_value(text) + " begins a second time";
  }
  return "this is no TOML: " + std::string(description);
}

}  // namespace attend::core::detail
