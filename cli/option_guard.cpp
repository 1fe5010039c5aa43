#include "cli/option_guard.h"

#include <string_view>

#include "attend/core/errors.h"
#include "attend/render/text_metrics.h"
#include "cli/console.h"

namespace attend::cli {
namespace {

constexpr int kWidestSentence = 40;

bool names_folder(const CLI::Option& option) {
  return option.get_type_name().find("DIR") != std::string::npos;
}

bool names_file(const CLI::Option& option) {
  return option.get_type_name().find("FILE") != std::string::npos;
}

// A lesson's text may be empty: it then makes its own.
bool may_be_empty(const CLI::Option& option) { return option.get_type_name() == "TEXT"; }

[[noreturn]] void refuse_empty(const std::string& name, const std::string& what) {
  throw InvalidArgument(name + ": the value is empty, as an unset shell variable leaves it; give " +
                        what + ", or leave the option out");
}

void check_values(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional() || option->get_type_size() == 0 || option->count() == 0) continue;
    const std::string name = option->get_name();
    const bool is_path = names_file(*option) || names_folder(*option);
    if (!may_be_empty(*option))
      for (const std::string& value : option->results())
        if (value.empty())
          refuse_empty(name, names_file(*option)     ? "a file's name"
                             : names_folder(*option) ? "a folder's name"
                                                     : "a value");
    if (is_path && option->count() > 1 &&
        option->get_multi_option_policy() != CLI::MultiOptionPolicy::TakeAll)
      throw InvalidArgument(
          name + " was given " + std::to_string(option->count()) + " times, and takes one " +
          (names_file(*option) ? "file (join several into one first)" : "folder"));
  }
}

std::string sentence_behind_dashes(const std::string& command, const std::string& word) {
  return "a sentence that begins with - goes behind --: attend " + command + " --model DIR -- " +
         shell_quoted(render::cut_to_width(word, kWidestSentence));
}

}  // namespace

void check_arguments(int count, char** arguments) {
  for (int i = 1; i < count; ++i) {
    const std::string_view word = arguments[i];
    if (word == "--") return;
    if (word.starts_with("--") && word.size() > 3 && word.ends_with('=') &&
        word.find('=') == word.size() - 1)
      refuse_empty(std::string(word.substr(0, word.size() - 1)), "a value");
    const bool may_be_value = std::string_view(arguments[i - 1]).starts_with("--");
    const std::string_view command = arguments[1];
    if (word.starts_with("-h") && word.size() > 2 && !may_be_value &&
        (command == "translate" || command == "map"))
      throw InvalidArgument("there is no option " + render::cut_to_width(word, kWidestSentence) +
                            "; " + sentence_behind_dashes(std::string(command), std::string(word)));
  }
}

void guard_values(CLI::App& app) {
  for (CLI::App* command : app.get_subcommands({})) {
    command->parse_complete_callback([command] { check_values(*command); });
    guard_values(*command);
  }
}

void refuse_given(const CLI::App& command, std::initializer_list<const char*> names,
                  const std::string& why) {
  for (const char* name : names)
    if (command.count(name) > 0)
      throw InvalidArgument(std::string(name) + " has no effect here: " + why);
}

std::string sentence_hint(const CLI::App& command) {
  bool takes_text = false;
  for (const CLI::Option* option : command.get_options())
    takes_text = takes_text || option->get_positional();
  if (!takes_text) return "";
  for (const std::string& word : command.remaining())
    if (word.size() > 1 && word.front() == '-')
      return "; " + sentence_behind_dashes(command.get_name(), word);
  return "";
}

}  // namespace attend::cli
