// attend doctor: what is odd about data, or about the installation.
#include "attend/data/doctor.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "attend/core/errors.h"
#include "cli/commands.h"
#include "cli/numbers.h"
#include "cli/option_guard.h"
#include "cli/output.h"
#include "cli/system_report.h"

namespace attend::cli {
namespace {

struct DoctorFlags {
  std::string data, columns, source, target;
  int64_t examples = 3;
  bool json = false;
};

int examine(const DoctorFlags& flags) {
  const data::ExamineOptions options{.examples = flags.examples,
                                     .columns = data::parse_columns(flags.columns)};
  const data::Findings findings = flags.data.empty()
                                      ? data::examine_parallel(flags.source, flags.target, options)
                                      : data::examine_pairs(flags.data, options);
  Output output;
  std::string text = flags.json ? data::to_json(findings) : data::to_text(findings);
  if (text.empty() || text.back() != '\n') text += '\n';
  output.write(text);
  output.finish();
  return findings.need_care() ? 1 : 0;
}

int examine_installation(const DoctorFlags& flags) {
  const std::vector<Check> checks = check_installation();
  bool good = true;
  std::string text;
  auto list = nlohmann::ordered_json::array();
  for (const auto& check : checks) {
    good = good && check.good;
    text += fmt::format("{:<5} {:<9} {}\n", check.good ? "ok" : "care", check.name, check.detail);
    list.push_back({{"name", check.name}, {"good", check.good}, {"detail", check.detail}});
  }
  text += good ? "All is well. `attend doctor --data FILE` looks at your sentence pairs.\n"
               : "What is marked \"care\" should be mended.\n";
  const nlohmann::ordered_json json = {{"version", 1}, {"needs_care", !good}, {"checks", list}};
  Output output;
  output.write(
      flags.json ? json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n"
                 : text);
  output.finish();
  return good ? 0 : 1;
}

int doctor(const DoctorFlags& flags) {
  if (!flags.data.empty() && (!flags.source.empty() || !flags.target.empty()))
    throw InvalidArgument("give either --data FILE or --source A --target B, not both");
  if (flags.source.empty() != flags.target.empty())
    throw InvalidArgument("--source and --target go together");
  if (!flags.columns.empty() && flags.data.empty())
    throw InvalidArgument("--columns are those of --data FILE");
  return flags.data.empty() && flags.source.empty() ? examine_installation(flags) : examine(flags);
}

}  // namespace

void add_doctor(CLI::App& app, Action& action) {
  auto flags = std::make_shared<DoctorFlags>();
  CLI::App* command = app.add_subcommand(
      "doctor", "Tell what is odd about sentence pairs, by line; alone: about the installation.");
  command
      ->add_option("--data", flags->data, "Pairs in columns; plain, .gz or .zip; -: standard input")
      ->type_name("FILE");
  command
      ->add_option(
          "--columns", flags->columns,
          "Columns of source and target in --data, from 1, as in 2,4; without it the first "
          "two")
      ->type_name("N,N");
  command->add_option("--source", flags->source, "One sentence a line; with --target")
      ->type_name("FILE");
  command->add_option("--target", flags->target, "Its translations, line by line")
      ->type_name("FILE");
  command->add_option("--examples", flags->examples, "Lines shown of each kind of finding")
      ->check(whole_number(0, 1000000))
      ->capture_default_str();
  command->add_flag("--json", flags->json, "One JSON object");
  command->footer(
      "Example:\n"
      "  attend doctor --data fra.txt\n"
      "The exit status is 1 when something needs care, so that a script can stop.");
  command->callback([flags, command, &action] {
    if (flags->data.empty() && flags->source.empty())
      refuse_given(*command, {"--examples"}, "it is of sentence pairs, from --data FILE");
    action = [flags] { return doctor(*flags); };
  });
}

}  // namespace attend::cli
