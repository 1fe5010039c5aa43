// Typed configuration. One definition of a field gives its default, help, parsing and commented
// print.
//
// A folder describes its own table once:
//
//   struct TrainingConfig { int64_t epochs = 250; double learning_rate = 0.005; };
//   core::ConfigTable describe(TrainingConfig& c) {
//     return core::ConfigTable("training", "how the model is trained")
//         .add("epochs", c.epochs, "passes over the data", 1, 1000000)
//         .add("learning_rate", c.learning_rate, "Adam's step size", 0.0, 10.0);
//   }
//
// The ConfigTable holds references to the struct's fields; the struct has to outlive it.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "attend/core/errors.h"

namespace attend::core {

/// What TOML, or a --set on the command line, can hold in one field.
struct ConfigField {
  enum class Kind { kBool, kInteger, kReal, kString, kChoice };
  std::string key;
  std::string help;  ///< one or more lines, printed as comments
  Kind kind;
  std::vector<std::string> choices;  ///< kChoice: the accepted names, in order
  double minimum = -std::numeric_limits<double>::infinity();  ///< kInteger, kReal; inclusive
  double maximum = std::numeric_limits<double>::infinity();
  std::function<std::string()> print;  ///< the present value as TOML text
  std::function<void(bool)> set_bool;  ///< each kind fills in its own setter
  std::function<void(int64_t)> set_integer;
  std::function<void(double)> set_real;
  std::function<void(const std::string&)> set_string;  ///< kString, kChoice
};

/// What a field accepts, for help and messages: "1 to 100", "at least 0.0", "one of "a", "b"";
/// empty where any value of its kind will do.
std::string accepted_values(const ConfigField& field);

class ConfigTable {
 public:
  ConfigTable(std::string name, std::string summary)
      : name_(std::move(name)), summary_(std::move(summary)) {}

  ConfigTable& add(std::string key, bool& value, std::string help);
  ConfigTable& add(std::string key, int64_t& value, std::string help, int64_t minimum,
                   int64_t maximum);
  ConfigTable& add(std::string key, double& value, std::string help, double minimum,
                   double maximum);
  ConfigTable& add(std::string key, std::string& value, std::string help);

  /// An enum, written as one of the names.
  template <class Enum>
  // NOLINTNEXTLINE(performance-unnecessary-value-param): moved from, which the check does not see
  ConfigTable& add_choice(std::string key, Enum& value, std::string help,
                          std::vector<std::pair<std::string, Enum>> choices) {
    std::vector<std::string> names;
    for (const auto& choice : choices) names.push_back(choice.first);
    return add_choice_by_name(
        std::move(key), std::move(help), std::move(names),
        [&value, choices] {
          for (const auto& choice : choices)
            if (choice.second == value) return choice.first;
          throw InternalError("[config] a choice without a name");
        },
        [&value, choices](const std::string& name) {
          for (const auto& choice : choices)
            if (choice.first == name) value = choice.second;
        });
  }

  const std::string& name() const { return name_; }
  const std::string& summary() const { return summary_; }
  const std::vector<ConfigField>& fields() const { return fields_; }

 private:
  ConfigTable& add_choice_by_name(std::string key, std::string help, std::vector<std::string> names,
                                  std::function<std::string()> get,
                                  std::function<void(const std::string&)> set);
  std::string name_;
  std::string summary_;
  std::vector<ConfigField> fields_;
};

/// What read_config does with a table that is none of those asked for: a folder that reads only its
/// own part of a whole config.toml skips the others'. Keys outside of any table are refused anyway.
enum class UnknownTables { kRefuse, kSkip };

/// Fills the tables from TOML text. Refuses, with `path`, line and column: a syntax error, an
/// unknown table or key (naming the nearest), a wrong type, a value out of range or no choice. Keys
/// that are absent keep their present value. Throws DataError; on an error no field has been
/// changed.
void read_config(const std::string& toml, const std::string& path, std::vector<ConfigTable>& tables,
                 UnknownTables unknown = UnknownTables::kRefuse);

/// Applies one "table.key=value", as given to --set; "key=value" will do where only one table has
/// the key. A bare word is accepted for strings and choices. Throws InvalidArgument, naming the
/// nearest key; nothing has changed then.
void set_config(const std::string& assignment, std::vector<ConfigTable>& tables);

/// The tables as TOML, every key under its help as a comment, with the range or the choices.
std::string print_config(const std::vector<ConfigTable>& tables);

}  // namespace attend::core
