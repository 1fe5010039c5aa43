// attend translate: text in, text out, line by line.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

#include "attend/core/counted.h"
#include "attend/core/errors.h"
#include "attend/data/corpus.h"
#include "attend/render/save.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/line_stream.h"
#include "cli/model_options.h"
#include "cli/output.h"
#include "cli/source_warnings.h"

namespace attend::cli {
namespace {

using Clock = std::chrono::steady_clock;

struct TranslateFlags {
  ModelOptions model;
  std::vector<std::string> text;
  std::string input, output, map;
  bool tokens = false, scores = false, json = false, quiet = false;
  DecodingFlags decoding;
};

std::string joined(const std::vector<std::string>& tokens) {
  std::string text;
  for (const auto& token : tokens) text += (text.empty() ? "" : " ") + token;
  return text;
}

std::string json_line(int64_t number, const std::string& line, const Translation& t) {
  const nlohmann::ordered_json object = {
      {"line", number},         {"source", line},
      {"text", t.text},         {"source_tokens", t.source_tokens},
      {"tokens", t.tokens},     {"replaced", t.replaced},
      {"score", t.score},       {"log_probabilities", t.log_probabilities},
      {"finished", t.finished}, {"source_cut", t.source_cut},
      {"unknown", t.unknown}};
  return object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

// "out.svg" -> "out-3.svg", where there is more than one line.
std::string map_path(const std::string& path, int64_t number, bool is_only) {
  if (is_only) return path;
  const std::filesystem::path whole(path);
  return (whole.parent_path() /
          (whole.stem().string() + "-" + std::to_string(number) + whole.extension().string()))
      .string();
}

// One call of the program.
class Job {
 public:
  explicit Job(const TranslateFlags& flags)
      : flags_(flags),
        console_(flags.quiet),
        warnings_(console_),
        output_(flags.output),
        translator_(load_checked(flags)) {}

  int run() {
    if (!flags_.text.empty() || (!flags_.input.empty() && flags_.input != "-"))
      translate_all(read());
    else if (!flags_.map.empty() && !isatty(STDIN_FILENO))
      translate_all(read_to_the_end());  // the maps' names hang on how many there are
    else
      translate_stream();
    tell_time();
    warnings_.finish();
    output_.finish();
    return 0;
  }

 private:
  // What can be known to fail is known before the first line.
  static Translator load_checked(const TranslateFlags& flags) {
    if (!flags.map.empty()) {
      render::check_map_ending(flags.map);
      check_writable(flags.map);
    }
    const auto model = load(flags.model);
    if (!flags.map.empty()) require_attention(*model, flags.model.folder);
    return Translator::share(model, flags.model.threads);
  }

  data::Lines read() const {
    if (!flags_.text.empty()) {
      std::string all;  // through the same mending as a file
      for (const auto& sentence : flags_.text) {
        std::string line = sentence;
        std::replace(line.begin(), line.end(), '\n', ' ');
        all += line + "\n";
      }
      return data::parse_text_lines(all, "the arguments");
    }
    return data::read_text_lines(flags_.input);
  }

  static data::Lines read_to_the_end() {
    LineStream stream;
    return stream.next(std::numeric_limits<int64_t>::max());
  }

  // Enough batches at once to sort by length and to keep all threads busy, and few enough that
  // results come while the rest is being translated.
  int64_t chunk() const {
    const int64_t batch = flags_.decoding.batch_size;
    return std::max<int64_t>((batch > 0 ? batch : translator_.defaults().batch_size) * 64, 4096);
  }

  // Whoever waits for the answer to a line, a person or a program, gets it before the next is read.
  void translate_stream() {
    if (isatty(STDIN_FILENO)) console_.note("One sentence a line; Ctrl-D ends.");
    LineStream stream;
    for (data::Lines lines = stream.next(chunk()); !lines.lines.empty();
         lines = stream.next(chunk())) {
      warnings_.mended(lines.mended);
      translate_lines(lines.lines, stream.first_number(), 0);
    }
  }

  void translate_all(const data::Lines& input) {
    warnings_.mended(input.mended);
    const auto total = static_cast<int64_t>(input.lines.size());
    for (int64_t first = 0; first < total; first += chunk()) {
      const int64_t end = std::min(first + chunk(), total);
      translate_lines({input.lines.begin() + first, input.lines.begin() + end}, first + 1, total);
    }
  }

  // `first` is the number of the first line; `total` is how many there are in all, or 0 where
  // nobody knows yet.
  void translate_lines(const std::vector<std::string>& lines, int64_t first, int64_t total) {
    TranslateOptions chunk_options = options();
    chunk_options.progress = [&](int64_t done, int64_t) { progress(first - 1 + done, total); };
    const std::vector<Translation> results = translator_.translate(lines, chunk_options);
    for (size_t i = 0; i < lines.size(); ++i)
      emit(first + static_cast<int64_t>(i), lines[i], results[i], total == 1);
    done_ += static_cast<int64_t>(lines.size());
  }

  void tell_time() {
    const double seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
    if (console_.is_terminal() && shows_progress() && seconds >= 1.0 && done_ > 0)
      console_.note(
          fmt::format("translated {} in {}", core::counted(done_, "line"), duration_text(seconds)));
  }

  // On a terminal that the lines themselves go to, they are the progress.
  bool shows_progress() const { return output_.is_file() || !stdout_is_terminal(); }

  TranslateOptions options() const {
    TranslateOptions options = flags_.decoding.options();
    options.attention = !flags_.map.empty();
    return options;
  }

  void progress(int64_t done, int64_t total) {
    if (!shows_progress()) return;
    const double seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
    if (done == 0 || seconds < 0.5) return;
    const double rate = static_cast<double>(done) / seconds;
    if (total == 0) {
      console_.live(fmt::format("translated {} lines  {:.0f} lines/s", done, rate));
      return;
    }
    console_.live(fmt::format("translated {} of {} lines  {:.0f} lines/s  {} left", done, total,
                              rate, duration_text(static_cast<double>(total - done) / rate)));
  }

  void emit(int64_t number, const std::string& line, const Translation& translation, bool is_only) {
    warnings_.add(number, translation);
    if (flags_.json) {
      output_.write(json_line(number, line, translation));
    } else {
      std::string text = flags_.tokens ? joined(translation.tokens) : translation.text;
      if (flags_.scores) text = fmt::format("{:.6f}\t{}", translation.score, text);
      output_.write(text + "\n");
    }
    if (!flags_.map.empty() && !translation.source_tokens.empty())
      draw(number, translation, is_only);
  }

  void draw(int64_t number, const Translation& translation, bool is_only) {
    const std::string path = map_path(flags_.map, number, is_only);
    render::save_map(translation.map, path);
    console_.note("map written to " + path);
  }

  const TranslateFlags& flags_;
  Console console_;
  SourceWarnings warnings_;
  Output output_;
  Translator translator_;
  int64_t done_ = 0;
  Clock::time_point begin_ = Clock::now();
};

void check(const TranslateFlags& flags) {
  if (!flags.text.empty() && !flags.input.empty())
    throw InvalidArgument("give either sentences or --input FILE, not both");
  if (flags.json && (flags.tokens || flags.scores))
    throw InvalidArgument("--json has tokens and scores in it; leave out --tokens and --scores");
}

}  // namespace

void add_translate(CLI::App& app, Action& action) {
  auto flags = std::make_shared<TranslateFlags>();
  CLI::App* command = app.add_subcommand("translate", "Translate text with a trained model.");
  add_model_options(*command, flags->model);
  command->add_option("text", flags->text, "Sentences, each in quotes")->type_name("SENTENCE");
  command
      ->add_option("--input", flags->input,
                   "File of sentences, one a line; plain or .gz; -: standard input")
      ->type_name("FILE");
  command->add_option("--output", flags->output, "File for the result, written whole at the end")
      ->type_name("FILE");
  command->add_flag("--tokens", flags->tokens, "Print the model's tokens, not joined text");
  command->add_flag("--scores", flags->scores,
                    "Before each line its log-probability (nats, the end mark included) and a tab");
  command->add_flag("--json", flags->json,
                    "Print an object a line: text, tokens, scores, warnings");
  command
      ->add_option("--map", flags->map,
                   "Draw what it attends to: .svg, .png, .html, .json, .npz or .csv; with several "
                   "lines, FILE-1.svg, FILE-2.svg ...")
      ->type_name("FILE");
  add_decoding_options(*command, flags->decoding);
  command->add_flag("--quiet", flags->quiet, "No progress and no notes; warnings stay");
  command->footer(
      "Examples:\n"
      "  attend translate --model my-model \"I am at home.\" \"Go!\"\n"
      "  attend translate --model my-model --input english.txt --output french.txt\n"
      "Line n of the result belongs to line n of the input; a blank line gives a blank line.\n"
      "From standard input each line is answered as soon as no more of them wait, so that a\n"
      "program may hold the pipe open and ask line by line.\n"
      "A sentence that begins with - goes behind --: attend translate --model my-model -- "
      "\"-Hello\"\n"
      "What is cut, unknown or empty is reported on standard error, by line.");
  command->callback([flags, &action] {
    check(*flags);
    action = [flags] { return Job(*flags).run(); };
  });
}

}  // namespace attend::cli
