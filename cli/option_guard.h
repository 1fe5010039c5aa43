// What holds for the options of every command, whatever they are called.
#pragma once

#include <CLI/CLI.hpp>
#include <initializer_list>
#include <string>

namespace attend::cli {

/// Throws InvalidArgument for `--name=` with nothing behind it, which would take the next argument
/// for its value, and for a sentence that begins as -h does, which would ask for help.
void check_arguments(int count, char** arguments);

/// Makes `app` and every subcommand below it refuse, by InvalidArgument and before anything else is
/// looked at: an empty value, which is what an unset shell variable leaves, and a second file or
/// folder where the option takes one. Numbers and flags may be given twice, as scripts do: the last
/// counts. Call it when all options are there.
void guard_values(CLI::App& app);

/// Throws InvalidArgument when one of `names` was given, as in "--max-steps has no effect here:
/// WHY".
void refuse_given(const CLI::App& command, std::initializer_list<const char*> names,
                  const std::string& why);

/// What to do about an argument that was taken for an option, where the command takes a sentence:
/// "; a sentence that ..."; "" where that is not the case.
std::string sentence_hint(const CLI::App& command);

}  // namespace attend::cli
