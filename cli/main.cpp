// attend: learn, train, look at and serve models built on attention.
#include <c10/util/Exception.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <string>

#include "attend/core/errors.h"
#include "attend/core/nearest.h"
#include "attend/ops/out_of_memory.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/help_format.h"
#include "cli/option_guard.h"

namespace attend::cli {
namespace {

constexpr int kUsage = 2;
constexpr int kFailure = 1;

int complain(const std::string& message, int status) {
  std::fprintf(stderr, "attend: %s\n", shown_message(message).c_str());
  return status;
}

// CLI11 names what it does not know; we name what was probably meant.
std::string suggestion(const CLI::App& app, int count, char** arguments) {
  const CLI::App* command = &app;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
  std::vector<std::string> known;
  for (const CLI::App* sub : command->get_subcommands({})) known.push_back(sub->get_name());
  for (const CLI::Option* option : command->get_options())
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  for (int i = 1; i < count; ++i) {
    const std::string word =
        std::string(arguments[i]).substr(0, std::string(arguments[i]).find('='));
    bool is_known = word == command->get_name();
    for (const std::string& name : known) is_known = is_known || name == word;
    if (is_known) continue;
    if (word.rfind("--", 0) != 0 && command != &app) continue;
    const std::string hint = core::did_you_mean(word, known);
    if (!hint.empty()) return hint;
  }
  return sentence_hint(*command);
}

int run(int count, char** arguments) {
  CLI::App app{
      "Attention: train a translator on your own sentence pairs, use it, and see what it looks at.",
      "attend"};
  app.set_version_flag("--version", std::string("attend ") + ATTEND_VERSION);
  app.require_subcommand(0, 1);
  app.option_defaults()->take_last();             // of a number that is given twice, as scripts do
  app.formatter(std::make_shared<HelpFormat>());  // before the subcommands, which inherit it
  app.footer(
      "First steps:\n"
      "  attend train --config demo --data pairs.txt --out my-model\n"
      "  attend translate --model my-model \"I am at home.\"\n"
      "  attend map --model my-model \"I am at home.\"\n"
      "`attend COMMAND --help` explains each command, with an example.");
  Action action;
  add_train(app, action);
  add_translate(app, action);
  add_evaluate(app, action);
  add_map(app, action);
  add_doctor(app, action);
  add_info(app, action);
  add_learn(app, action);
  guard_values(app);
  check_arguments(count, arguments);
  try {
    app.parse(count, arguments);
  } catch (const CLI::Success& success) {
    return app.exit(success);  // --help, --version
  } catch (const CLI::ParseError& error) {
    const std::string hint = suggestion(app, count, arguments);
    return complain(
        shown(error.what(), 300) + hint + "\nRun `attend --help`, or `attend COMMAND --help`.",
        kUsage);
  }
  if (!action) {
    std::fputs(app.help().c_str(), stdout);
    return 0;
  }
  return action();
}

}  // namespace
}  // namespace attend::cli

int main(int count, char** arguments) {
  using namespace attend::cli;
  std::signal(SIGPIPE, SIG_DFL);  // `attend translate ... | head` ends quietly
  std::signal(SIGXFSZ, SIG_IGN);  // a file size limit is an error to report, not a death
  try {
    return run(count, arguments);
  } catch (const attend::InvalidArgument& error) {
    return complain(error.what(), kUsage);
  } catch (const attend::Error& error) {
    return complain(error.what(), kFailure);
  } catch (const c10::Error& error) {
    if (attend::ops::is_out_of_memory(error))
      return complain(std::string("out of memory, which a smaller --batch-size may spare: ") +
                          error.what_without_backtrace(),
                      kFailure);
    return complain(std::string("LibTorch: ") + error.what_without_backtrace(), kFailure);
  } catch (const std::bad_alloc&) {
    return complain("out of memory", kFailure);
  } catch (const std::exception& error) {
    return complain(error.what(), kFailure);
  }
}
