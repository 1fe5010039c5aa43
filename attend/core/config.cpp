// Tables and their fields, and how they are printed. Reading them is in config_read.cpp.
#include "attend/core/config.h"

#include <charconv>
#include <cmath>
#include <sstream>

#include "attend/core/utf8.h"

namespace attend::core {
namespace {

constexpr double kInteger64End = 9223372036854775808.0;  // 2^63

// A basic string of TOML. Throws when no reader would take it back.
std::string quote(const std::string& text) {
  if (find_invalid_utf8(text) != std::string::npos) {
    throw InvalidArgument("[config] expected UTF-8 in a string, found '" + mend_utf8(text) + "'");
  }
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += {'\\', c};
    } else if (c == '\n') {
      quoted += "\\n";
    } else if (c == '\t') {
      quoted += "\\t";
    } else if (c == '\r') {
      quoted += "\\r";
    } else if (byte < 0x20 || byte == 0x7F) {
      constexpr char kHex[] = "0123456789abcdef";
      quoted += {'\\', 'u', '0', '0', kHex[byte >> 4], kHex[byte & 15]};
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

// The shortest text that reads back as the same double, with the point that TOML asks for.
std::string real_text(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  std::string text(buffer, end);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string integer_bound_text(double bound) {
  return std::to_string(bound >= kInteger64End ? std::numeric_limits<int64_t>::max()
                                               : static_cast<int64_t>(bound));
}

void print_comment(std::ostream& out, const std::string& text) {
  for (const auto& line : split_lines(text)) out << (line.empty() ? "#" : "# ") << line << '\n';
}

void check_new_key(const std::vector<ConfigField>& fields, const std::string& key) {
  for (const auto& field : fields) {
    if (field.key == key) throw InternalError("[config] the key '" + key + "' is there twice");
  }
}

}  // namespace

std::string accepted_values(const ConfigField& field) {
  if (field.kind == ConfigField::Kind::kChoice) {
    std::string text = "one of ";
    for (size_t i = 0; i < field.choices.size(); ++i) {
      text += (i ? ", " : "") + quote(field.choices[i]);
    }
    return text;
  }
  const bool integer = field.kind == ConfigField::Kind::kInteger;
  if (!integer && field.kind != ConfigField::Kind::kReal) return "";
  const double infinity = std::numeric_limits<double>::infinity();
  const bool bounded_below = field.minimum > (integer ? -kInteger64End : -infinity);
  const bool bounded_above = field.maximum < (integer ? kInteger64End : infinity);
  const auto text = [&](double bound) {
    return integer ? integer_bound_text(bound) : real_text(bound);
  };
  if (bounded_below && bounded_above) return text(field.minimum) + " to " + text(field.maximum);
  if (bounded_below) return "at least " + text(field.minimum);
  if (bounded_above) return "at most " + text(field.maximum);
  return "";
}

ConfigTable& ConfigTable::add(std::string key, bool& value, std::string help) {
  check_new_key(fields_, key);
  ConfigField field;
  field.key = std::move(key);
  field.help = std::move(help);
  field.kind = ConfigField::Kind::kBool;
  field.print = [&value] { return std::string(value ? "true" : "false"); };
  field.set_bool = [&value](bool v) { value = v; };
  fields_.push_back(std::move(field));
  return *this;
}

ConfigTable& ConfigTable::add(std::string key, int64_t& value, std::string help, int64_t minimum,
                              int64_t maximum) {
  check_new_key(fields_, key);
  ConfigField field;
  field.key = std::move(key);
  field.help = std::move(help);
  field.kind = ConfigField::Kind::kInteger;
  field.minimum = static_cast<double>(minimum);
  field.maximum = static_cast<double>(maximum);
  field.print = [&value] { return std::to_string(value); };
  field.set_integer = [&value](int64_t v) { value = v; };
  fields_.push_back(std::move(field));
  return *this;
}

ConfigTable& ConfigTable::add(std::string key, double& value, std::string help, double minimum,
                              double maximum) {
  check_new_key(fields_, key);
  ConfigField field;
  field.key = std::move(key);
  field.help = std::move(help);
  field.kind = ConfigField::Kind::kReal;
  field.minimum = minimum;
  field.maximum = maximum;
  field.print = [&value] { return real_text(value); };
  field.set_real = [&value](double v) { value = v; };
  fields_.push_back(std::move(field));
  return *this;
}

ConfigTable& ConfigTable::add(std::string key, std::string& value, std::string help) {
  check_new_key(fields_, key);
  ConfigField field;
  field.key = std::move(key);
  field.help = std::move(help);
  field.kind = ConfigField::Kind::kString;
  field.print = [&value] { return quote(value); };
  field.set_string = [&value](const std::string& v) { value = v; };
  fields_.push_back(std::move(field));
  return *this;
}

ConfigTable& ConfigTable::add_choice_by_name(std::string key, std::string help,
                                             std::vector<std::string> names,
                                             std::function<std::string()> get,
                                             std::function<void(const std::string&)> set) {
  check_new_key(fields_, key);
  ConfigField field;
  field.key = std::move(key);
  field.help = std::move(help);
  field.kind = ConfigField::Kind::kChoice;
  field.choices = std::move(names);
  field.print = [get = std::move(get)] { return quote(get()); };
  field.set_string = std::move(set);
  fields_.push_back(std::move(field));
  return *this;
}

std::string print_config(const std::vector<ConfigTable>& tables) {
  std::ostringstream out;
  bool first = true;
  for (const auto& table : tables) {
    if (!std::exchange(first, false)) out << '\n';
    print_comment(out, table.summary());
    out << '[' << table.name() << "]\n";
    for (const auto& field : table.fields()) {
      out << '\n';
      print_comment(out, field.help);
      print_comment(out, accepted_values(field));
      out << field.key << " = " << field.print() << '\n';
    }
  }
  return out.str();
}

}  // namespace attend::core
