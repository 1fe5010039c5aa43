// attend map: what a model attends to, or any matrix, as a picture.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "attend/core/errors.h"
#include "attend/data/corpus.h"
#include "attend/models/model_files.h"
#include "attend/render/save.h"
#include "attend/render/text_metrics.h"
#include "attend/text/clean.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/map_choice.h"
#include "cli/model_options.h"
#include "cli/numbers.h"
#include "cli/option_guard.h"
#include "cli/output.h"
#include "cli/source_warnings.h"
#include "cli/terminal_look.h"

namespace attend::cli {
namespace {

struct MapFlags {
  ModelOptions model;
  std::vector<std::string> text;
  std::string force, out, from;
  MapChoice choice;
  std::string colour = "auto", background = "auto";
  DecodingFlags decoding;
  int width = 0;
  bool stretch = false;
};

std::string sentence(const MapFlags& flags) {
  std::string text;
  for (const auto& word : flags.text) text += (text.empty() ? "" : " ") + word;
  if (text::is_blank_line(text))
    throw InvalidArgument(
        "which sentence? Give one in quotes: attend map --model DIR \"I'm home.\"");
  return text;
}

// A sentence as a line of the terminal may hold it: control characters visible, a long one cut.
std::string shown(const std::string& text) { return render::cut_to_width(text, 400); }

render::AttentionMap map_of_model(const MapFlags& flags, Console& console) {
  const std::string text = sentence(flags);
  const auto model = load(flags.model);
  require_attention(*model, flags.model.folder);
  const Translator translator = Translator::share(model, flags.model.threads);
  TranslateOptions options = flags.decoding.options();
  options.attention = true;
  const Translation translation = flags.force.empty()
                                      ? translator.translate(text, options)
                                      : translator.force(text, flags.force, options);
  SourceWarnings warnings(console);
  warnings.mended(data::parse_text_lines(text, "the sentence").mended);
  if (!flags.force.empty())
    warnings.mended(data::parse_text_lines(flags.force, "--force").mended, "--force");
  warnings.add(1, translation);
  warnings.finish();
  console.note(fmt::format("{} → {}   (log-probability {:.6f})", shown(translation.map.source),
                           shown(translation.text), translation.score));
  return translation.map;
}

int draw(const MapFlags& flags) {
  Console console;
  if (!flags.out.empty()) {
    render::check_map_ending(flags.out);
    check_writable(flags.out);
  }
  const auto colour = terminal_colour(flags.colour);
  const auto background = terminal_background(flags.background);
  render::AttentionMap map =
      flags.from.empty() ? map_of_model(flags, console) : render::load_map(flags.from);
  // A matrix from elsewhere is drawn whole unless told otherwise.
  const bool whole = !flags.from.empty() && flags.choice.kind.empty() && flags.choice.layer == 0 &&
                     flags.choice.head.empty();
  if (!whole) map = choose_panels(map, flags.choice, flags.out);
  const auto scaling = flags.stretch ? render::Scaling::kMaximum : render::Scaling::kUnit;
  if (!flags.out.empty()) {
    render::save_map(map, flags.out, {scaling});
    console.note("map written to " + flags.out);
    return 0;
  }
  Output output;
  output.write(render::map_to_terminal(
      map, {flags.width > 0 ? flags.width : terminal_width(), colour, background, scaling}));
  output.finish();
  return 0;
}

// Files that hold numbers and no colours.
bool is_data(const std::string& path) {
  std::string ending = std::filesystem::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return ending == ".json" || ending == ".npz" || ending == ".csv";
}

void check(const CLI::App& command, const MapFlags& flags) {
  if (command.count("--force") > 0 && flags.force.empty())
    throw InvalidArgument(
        "--force: there is nothing to write; leave --force out to see what the "
        "model writes by itself");
  if (!flags.force.empty())
    refuse_given(command, {"--max-steps", "--replace-unknown", "--keep-unknown"},
                 "what --force says is written whole");
  if (!flags.out.empty()) {
    refuse_given(command, {"--colour", "--background", "--width"},
                 "it is of the terminal, and --out writes a file");
    if (is_data(flags.out))
      refuse_given(command, {"--stretch"}, "it is of colours, and " + flags.out + " holds numbers");
  }
  if (flags.from.empty()) return;
  if (!flags.model.folder.empty() || !flags.text.empty() || !flags.force.empty())
    throw InvalidArgument("--from draws a file: it excludes --model, a sentence and --force");
  refuse_given(command,
               {"--max-steps", "--replace-unknown", "--keep-unknown", "--device", "--threads"},
               "it is of a model, and --from draws a file");
}

void add_choice(CLI::App& command, MapChoice& choice) {
  command
      .add_option("--kind", choice.kind,
                  "cross, encoder-self, decoder-self or all (a recurrent model has cross alone)")
      ->type_name("KIND");
  command.add_option("--layer", choice.layer, "Layer, from 1")
      ->check(whole_number(1, 1000))
      ->type_name("N");
  command.add_option("--head", choice.head, "Head, from 1; or mean; or all")
      ->type_name("N|mean|all");
}

}  // namespace

void add_map(CLI::App& app, Action& action) {
  auto flags = std::make_shared<MapFlags>();
  CLI::App* command = app.add_subcommand("map", "Draw what a model attends to, or any matrix.");
  add_model_options(*command, flags->model);
  command->add_option("text", flags->text, "The sentence to translate, in quotes")
      ->type_name("SENTENCE");
  command
      ->add_option("--force", flags->force,
                   "Make the model write this, and see what it attends to meanwhile")
      ->type_name("TEXT");
  add_choice(*command, flags->choice);
  command
      ->add_option("--out", flags->out,
                   "Picture or data, by the ending: .svg, .png, .html, .json, .npz or .csv; "
                   "without it the map is drawn in the terminal")
      ->type_name("FILE");
  command
      ->add_option("--from", flags->from,
                   "Draw this in place of a model's map: .json, .npz, .npy, .csv or .tsv")
      ->type_name("FILE");
  command->add_option("--colour,--color", flags->colour, "auto, truecolor, 256 or ascii")
      ->capture_default_str();
  command->add_option("--background", flags->background, "Of the terminal: auto, dark or light")
      ->capture_default_str();
  command->add_option("--width", flags->width, "Columns of the terminal (0: as it is)")
      ->check(whole_number(0, 10000));
  command->add_flag("--stretch", flags->stretch,
                    "Colours from 0 to the largest weight, not to 1: for flat maps");
  add_decoding_options(*command, flags->decoding, false);
  command->footer(
      "Examples:\n"
      "  attend map --model my-model \"I'm home.\"\n"
      "  attend map --model my-model \"I'm home.\" --force \"je suis chez moi .\" --out home.html\n"
      "  attend map --from weights.npz --out weights.svg\n"
      "A row is a word that is written, a column a word that is looked at. Without --kind, "
      "--layer\n"
      "and --head: .html, .json and .npz hold everything, other pictures the cross-attention, and\n"
      "the terminal the mean over each layer's heads.");
  command->callback([flags, command, &action] {
    check(*command, *flags);
    action = [flags] { return draw(*flags); };
  });
}

}  // namespace attend::cli
