// Configuration from TOML text and from --set. All is checked before the first field changes.
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "attend/core/config.h"
#include "attend/core/config_hints.h"
#include "attend/core/nearest.h"
#include "attend/core/toml_guard.h"
#include "attend/core/utf8.h"

namespace attend::core {
namespace {

using Kind = ConfigField::Kind;
using Tables = std::vector<ConfigTable>;

struct Problem {
  int64_t line;
  int64_t column;
  std::string message;
};

std::string kind_name(Kind kind) {
  switch (kind) {
    case Kind::kBool:
      return "true or false";
    case Kind::kInteger:
      return "a whole number";
    case Kind::kReal:
      return "a number";
    case Kind::kString:
      return "a string";
    case Kind::kChoice:
      return "a string";
  }
  throw InternalError("[config] a kind without a name");
}

std::string found_name(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::boolean:
      return "true or false";
    case toml::node_type::integer:
      return "the whole number " + std::to_string(**node.as_integer());
    case toml::node_type::floating_point:
      return "a number with a fraction";
    case toml::node_type::string:
      return "a string";
    case toml::node_type::array:
      return "an array";
    case toml::node_type::table:
      return "a table";
    default:
      return "a date or time";
  }
}

// What is wrong with the value for the field, or how to set it.
struct Checked {
  std::string problem;
  std::function<void()> apply;
};

Checked refuse(const ConfigField& field, const std::string& found) {
  const std::string accepted = accepted_values(field);
  const bool choice = field.kind == Kind::kChoice;
  std::string expected = choice ? accepted : kind_name(field.kind);
  if (!choice && !accepted.empty()) expected += ", " + accepted;
  return {"'" + field.key + "': expected " + expected + ", found " + found, {}};
}

// `show` is how a value out of range was written, as far as that can be told.
Checked check_number(const ConfigField& field, double value, const std::string& show,
                     std::function<void()> apply) {
  // Written so that nan is refused.
  if (!(value >= field.minimum && value <= field.maximum)) return refuse(field, show);
  return {"", std::move(apply)};
}

Checked check_string(const ConfigField& field, const std::string& value) {
  if (field.kind == Kind::kChoice) {
    const auto& choices = field.choices;
    if (std::find(choices.begin(), choices.end(), value) == choices.end()) {
      return refuse(field, "\"" + detail::short_value(value) + "\"" + did_you_mean(value, choices));
    }
  }
  return {"", [&field, value] { field.set_string(value); }};
}

std::string short_text(double value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

Checked check_value(const ConfigField& field, const toml::node& node) {
  if (field.kind == Kind::kBool && node.is_boolean()) {
    return {"", [&field, v = **node.as_boolean()] { field.set_bool(v); }};
  }
  if (field.kind == Kind::kInteger && node.is_integer()) {
    const int64_t v = **node.as_integer();
    return check_number(field, static_cast<double>(v), std::to_string(v),
                        [&field, v] { field.set_integer(v); });
  }
  if (field.kind == Kind::kReal && node.is_number()) {
    const double v =
        node.is_integer() ? static_cast<double>(**node.as_integer()) : **node.as_floating_point();
    return check_number(field, v, short_text(v), [&field, v] { field.set_real(v); });
  }
  const bool text = field.kind == Kind::kString || field.kind == Kind::kChoice;
  if (text && node.is_string()) return check_string(field, **node.as_string());
  return refuse(field, found_name(node));
}

const ConfigField* find_field(const ConfigTable& table, std::string_view key) {
  for (const auto& field : table.fields()) {
    if (field.key == key) return &field;
  }
  return nullptr;
}

const ConfigTable* find_table(const Tables& tables, std::string_view name) {
  for (const auto& table : tables) {
    if (table.name() == name) return &table;
  }
  return nullptr;
}

std::vector<std::string> table_names(const Tables& tables) {
  std::vector<std::string> names;
  for (const auto& table : tables) names.push_back(table.name());
  return names;
}

std::vector<std::string> keys_of(const ConfigTable& table) {
  std::vector<std::string> keys;
  for (const auto& field : table.fields()) keys.push_back(field.key);
  return keys;
}

std::vector<const ConfigTable*> tables_with(const Tables& tables, std::string_view key) {
  std::vector<const ConfigTable*> found;
  for (const auto& table : tables) {
    if (find_field(table, key)) found.push_back(&table);
  }
  return found;
}

// "[training] unknown key 'beem_size'; did you mean 'beam_size'?", or the table where it belongs.
std::string unknown_key(const Tables& tables, const ConfigTable& table, const std::string& key) {
  std::string text = "[" + table.name() + "] unknown key '" + key + "'";
  const auto elsewhere = tables_with(tables, key);
  if (!elsewhere.empty()) return text + "; it belongs in [" + elsewhere.front()->name() + "]";
  return text + did_you_mean(key, keys_of(table));
}

std::string unknown_table(const Tables& tables, const std::string& name) {
  std::string text = "unknown table [" + name + "]";
  const std::string hint = did_you_mean(name, table_names(tables));
  if (!hint.empty()) return text + hint;
  text += "; the tables are";
  for (const auto& table : tables) text += " [" + table.name() + "]";
  return text;
}

std::string not_a_table(const Tables& tables, const std::string& key) {
  const auto homes = tables_with(tables, key);
  if (!homes.empty()) return "'" + key + "' belongs in [" + homes.front()->name() + "]";
  if (find_table(tables, key))
    return "'" + key + "': expected the table [" + key + "], found a value";
  std::vector<std::string> names = table_names(tables);
  for (const auto& table : tables) {
    for (const auto& field : table.fields()) names.push_back(field.key);
  }
  return "unknown key '" + key + "' outside the tables" + did_you_mean(key, names);
}

// Goes over the parsed text; what is wrong and what is to be set.
class Reader {
 public:
  Reader(const Tables& tables, UnknownTables unknown) : tables_(tables), unknown_(unknown) {}

  void read(const toml::table& root) {
    for (auto&& [key, node] : root) {
      const std::string name(key.str());
      const ConfigTable* table = find_table(tables_, name);
      if (!node.is_table()) {
        report(key.source(), not_a_table(tables_, name));
      } else if (table) {
        read_table(*table, *node.as_table());
      } else if (unknown_ == UnknownTables::kRefuse) {
        report(key.source(), unknown_table(tables_, name));
      }
    }
  }

  const std::vector<Problem>& problems() const { return problems_; }
  void apply() const {
    for (const auto& setter : setters_) setter();
  }

 private:
  void read_table(const ConfigTable& table, const toml::table& values) {
    for (auto&& [key, node] : values) {
      const std::string name(key.str());
      const ConfigField* field = find_field(table, name);
      if (!field) {
        report(key.source(), unknown_key(tables_, table, name));
        continue;
      }
      Checked checked = check_value(*field, node);
      if (checked.problem.empty()) {
        setters_.push_back(std::move(checked.apply));
      } else {
        report(node.source(), "[" + table.name() + "] " + checked.problem);
      }
    }
  }

  void report(const toml::source_region& where, std::string message) {
    problems_.push_back({static_cast<int64_t>(where.begin.line),
                         static_cast<int64_t>(where.begin.column), std::move(message)});
  }

  const Tables& tables_;
  UnknownTables unknown_;
  std::vector<Problem> problems_;
  std::vector<std::function<void()>> setters_;
};

std::string trim(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(" \t") - first + 1));
}

// The field that "table.key", or a key that only one table has, stands for.
const ConfigField& resolve(const Tables& tables, const std::string& name, std::string& table_name) {
  const size_t dot = name.find('.');
  if (dot == std::string::npos) {
    const auto homes = tables_with(tables, name);
    if (homes.empty()) throw InvalidArgument("[config] " + not_a_table(tables, name));
    if (homes.size() > 1) {
      throw InvalidArgument("[config] '" + name + "' is in [" + homes[0]->name() + "] and in [" +
                            homes[1]->name() + "]: write " + homes[0]->name() + "." + name +
                            "=...");
    }
    table_name = homes[0]->name();
    return *find_field(*homes[0], name);
  }
  table_name = name.substr(0, dot);
  const std::string key = name.substr(dot + 1);
  const ConfigTable* table = find_table(tables, table_name);
  if (!table) throw InvalidArgument("[config] " + unknown_table(tables, table_name));
  const ConfigField* field = find_field(*table, key);
  if (!field) throw InvalidArgument("[config] " + unknown_key(tables, *table, key));
  return *field;
}

Checked check_assigned(const ConfigField& field, const std::string& value) {
  const bool text = field.kind == Kind::kString || field.kind == Kind::kChoice;
  const bool quoted = !value.empty() && (value.front() == '"' || value.front() == '\'');
  if (text && !quoted) return check_string(field, value);
  const Checked unreadable = refuse(field, "'" + detail::short_value(value) + "'");
  if (value.find_first_of("\n\r") != std::string::npos) return unreadable;
  const std::string plain = detail::plain_number(value);  // .001 is no TOML, but what people type
  try {
    const toml::table parsed =
        toml::parse(detail::guard_toml("value = " + (plain.empty() ? value : plain), ""));
    const toml::node* node = parsed.get("value");
    return node && parsed.size() == 1 ? check_value(field, *node) : unreadable;
  } catch (const toml::parse_error&) {
    return unreadable;
  } catch (const DataError&) {
    return unreadable;
  }
}

}  // namespace

void read_config(const std::string& toml, const std::string& path, Tables& tables,
                 UnknownTables unknown) {
  toml::table root;
  try {
    root = toml::parse(detail::guard_toml(toml, path));
  } catch (const toml::parse_error& error) {
    const auto& begin = error.source().begin;
    throw DataError(path, begin.line, begin.column,
                    detail::explain_line(toml, begin.line, error.description()));
  }
  Reader reader(tables, unknown);
  reader.read(root);
  const auto& problems = reader.problems();
  const auto first = std::min_element(problems.begin(), problems.end(), [](auto& a, auto& b) {
    return std::pair(a.line, a.column) < std::pair(b.line, b.column);
  });
  if (first != problems.end()) throw DataError(path, first->line, first->column, first->message);
  reader.apply();
}

void set_config(const std::string& assignment, Tables& tables) {
  if (find_invalid_utf8(assignment) != std::string::npos) {
    throw InvalidArgument("[config] expected UTF-8, found '" + mend_utf8(assignment) + "'");
  }
  const size_t equals = assignment.find('=');
  if (equals == std::string::npos) {
    throw InvalidArgument("[config] expected table.key=value, found '" + assignment + "'");
  }
  std::string table_name;
  const std::string name = trim(std::string_view(assignment).substr(0, equals));
  const ConfigField& field = resolve(tables, name, table_name);
  const Checked checked =
      check_assigned(field, trim(std::string_view(assignment).substr(equals + 1)));
  if (!checked.problem.empty()) {
    throw InvalidArgument("[" + table_name + "] " + checked.problem);
  }
  checked.apply();
}

}  // namespace attend::core
