// attend learn: the lessons, in the terminal, as pages and as a gallery.
#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <optional>

#include "attend/core/errors.h"
#include "attend/core/files.h"
#include "attend/core/nearest.h"
#include "attend/lessons/figure_svg.h"
#include "attend/lessons/gallery.h"
#include "attend/lessons/in_language.h"
#include "attend/lessons/notebook_files.h"
#include "attend/lessons/notebook_terminal.h"
#include "attend/lessons/registry.h"
#include "attend/render/text_metrics.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/interrupt.h"
#include "cli/numbers.h"
#include "cli/output.h"
#include "cli/temporary_folder.h"
#include "cli/terminal_look.h"
#include "cli/train_folder.h"

namespace attend::cli {
namespace {

namespace fs = std::filesystem;
using lessons::Language;
using lessons::Lesson;
using lessons::Notebook;

struct LearnFlags {
  std::string out, language = "both";
  std::string colour = "auto", background = "auto";
  int columns = 0;
  // Of lessons that train.
  std::string data, model, models;
  int64_t epochs = 30, threads = 0;
  std::map<std::string, std::optional<std::string>> options;  // a lesson's own, by key
};

Language language_of(const std::string& name) {
  const std::vector<std::pair<std::string, Language>> known = {
      {"both", Language::kBoth}, {"en", Language::kEnglish}, {"zh", Language::kChinese}};
  for (const auto& [choice, language] : known)
    if (choice == name) return language;
  throw InvalidArgument("--language: expected one of both, en, zh, found \"" + name + "\"" +
                        core::did_you_mean(name, {"both", "en", "zh"}));
}

std::string flag_of(const std::string& key) {
  std::string flag = "--" + key;
  std::replace(flag.begin(), flag.end(), '_', '-');
  return flag;
}

void apply_options(const LearnFlags& flags, Lesson& lesson) {
  std::vector<core::ConfigTable> tables{lesson.options};
  for (const auto& [key, value] : flags.options) {
    if (!value) continue;
    try {
      core::set_config(key + "=" + *value, tables);
    } catch (const InvalidArgument& error) {
      throw InvalidArgument(flag_of(key) + ": " + error.what());
    }
  }
}

lessons::Models::Options model_options(const LearnFlags& flags, const std::string& folder,
                                       Console& console) {
  return {.folder = folder,
          .data = flags.data,
          .model = flags.model,
          .epochs = flags.epochs,
          .threads = flags.threads,
          .stop = &stop_on_signals(),
          .progress = [&console](const std::string& line) { console.live(line); },
          .note = [&console](const std::string& line) { console.warn("attend: " + line); }};
}

void warn_of_unused_model(const LearnFlags& flags, const lessons::Models& models,
                          Console& console) {
  if (!models.used_given())
    console.warn("attend: --model " + flags.model +
                 " was not used: what was looked into is of another kind, or trained on the spot");
}

// Where trained models lie: as asked for, below --out, or for this run alone.
class ModelFolder {
 public:
  explicit ModelFolder(const LearnFlags& flags) {
    if (!flags.models.empty())
      path_ = flags.models;
    else if (!flags.out.empty())
      path_ = (fs::path(flags.out) / "models").string();
    else
      path_ = temporary_.emplace().path();
  }
  const std::string& path() const { return path_; }

 private:
  std::optional<TemporaryFolder> temporary_;
  std::string path_;
};

void write_page(const std::string& folder, const Lesson& lesson, const Notebook& book,
                Language language, bool in_gallery) {
  const auto path = [&](const std::string& name) { return (fs::path(folder) / name).string(); };
  core::make_folder(folder);
  core::write_file_atomic(path(lessons::file_stem(lesson.name) + ".html"),
                          lessons::to_page(lesson.name, book, language, in_gallery));
}

// " --width 0.5", as it was given.
std::string given_options(const LearnFlags& flags) {
  std::string text;
  for (const auto& [key, value] : flags.options)
    if (value) text += " " + flag_of(key) + " " + shell_word(*value);
  return text;
}

int run_lesson(const LearnFlags& flags, Lesson& lesson) {
  Console console;
  apply_options(flags, lesson);
  const Language language = language_of(flags.language);
  const lessons::TerminalLook look{flags.columns > 0 ? flags.columns : terminal_width(),
                                   terminal_colour(flags.colour),
                                   terminal_background(flags.background), language};
  Notebook book;
  {
    const ModelFolder folder(flags);
    lessons::Models models(model_options(flags, folder.path(), console));
    lesson.run(book, models);
    warn_of_unused_model(flags, models, console);
  }
  console.settle();
  std::string told =
      fmt::format("As a page, with what moves in it: attend learn {}{} --out lessons",
                  lesson.name.number, given_options(flags));
  if (!flags.out.empty()) {
    write_page(flags.out, lesson, book, language, /*in_gallery=*/false);
    const auto pictures = lessons::to_pictures(lesson.name, book, language);
    for (const auto& [name, svg] : pictures)
      core::write_file_atomic((fs::path(flags.out) / name).string(), svg);
    told = fmt::format("page written to {}/{}.html; {} pictures (.svg) beside it", flags.out,
                       lessons::file_stem(lesson.name), pictures.size());
  }
  Output output;
  output.write(lessons::to_terminal(lesson.name, book, look));
  output.finish();
  console.note("\n" + told);
  return 0;
}

std::string first_picture(const Notebook& book, Language language) {
  for (const lessons::Entry& entry : book.entries()) {
    std::string svg = lessons::figure_svg(lessons::in_language(entry, language), "");
    if (!svg.empty()) return svg;
  }
  return "";
}

int run_all(const LearnFlags& flags) {
  if (flags.out.empty()) throw InvalidArgument("attend learn all: where to? Give --out DIR");
  Console console;
  const Language language = language_of(flags.language);
  const ModelFolder folder(flags);
  lessons::Models models(model_options(flags, folder.path(), console));
  std::vector<lessons::Card> cards;
  for (Lesson& lesson : lessons::all_lessons()) {
    if (stop_on_signals()) throw DataError(flags.out, "stopped; the pages so far are there");
    console.note(fmt::format("{:2}  {}", lesson.name.number,
                             lessons::one_line(lesson.name.title, language)));
    Notebook book;
    lesson.run(book, models);
    console.settle();
    write_page(flags.out, lesson, book, language, /*in_gallery=*/true);
    cards.push_back({lesson.name, first_picture(book, language)});
  }
  warn_of_unused_model(flags, models, console);
  core::write_file_atomic(
      (fs::path(flags.out) / "index.html").string(),
      lessons::gallery_page(cards,
                            {"Each lesson is one file of the library and one page here. "
                             "`attend learn NUMBER` runs it with your numbers.",
                             "每一课是库里的一个文件，也是这里的一页。用 `attend learn 课号` "
                             "可以换成自己的数字来运行。"},
                            language));
  console.note(fmt::format("the gallery is {}/index.html", flags.out));
  return 0;
}

int list_lessons(const LearnFlags& flags) {
  const Language language = language_of(flags.language);
  Output output;
  for (const Lesson& lesson : lessons::all_lessons())
    output.write(fmt::format("{:2}  {}\n    {}\n", lesson.name.number,
                             lessons::one_line(lesson.name.title, language),
                             lessons::one_line(lesson.name.summary, language)));
  output.write(
      "\n`attend learn 5` runs one; `attend learn 5 --help` says what can be set in it.\n");
  output.finish();
  return 0;
}

void add_language(CLI::App& command, LearnFlags& flags) {
  command.add_option("--language", flags.language, "both, en or zh")->capture_default_str();
}

void add_training(CLI::App& command, LearnFlags& flags) {
  command.add_option("--data", flags.data, "Pairs to train on, in place of the phrasebook within")
      ->type_name("FILE");
  command
      .add_option("--models", flags.models,
                  "Where trained models are kept and found again; else OUT/models or, without "
                  "--out, nowhere")
      ->type_name("DIR");
  command.add_option("--model", flags.model, "A model to use in place of training its kind")
      ->type_name("DIR");
  command.add_option("--epochs", flags.epochs, "Passes over the pairs")
      ->check(whole_number(1, 100000))
      ->capture_default_str();
  command
      .add_option("--threads", flags.threads, "0: as many as there are; any gives the same bits")
      ->check(whole_number(0, 1024));
}

void add_out(CLI::App& command, LearnFlags& flags, const char* help) {
  command.add_option("--out", flags.out, help)->type_name("DIR");
}

// `learn --language zh 5` means what `learn 5 --language zh` does.
void take_language(const CLI::App& command, const LearnFlags& above, LearnFlags& flags) {
  if (command.count("--language") == 0) flags.language = above.language;
}

void add_lesson(CLI::App& learn, const std::shared_ptr<LearnFlags>& above, Action& action,
                Lesson lesson) {
  auto flags = std::make_shared<LearnFlags>();
  auto shared = std::make_shared<Lesson>(std::move(lesson));
  const lessons::LessonName& name = shared->name;
  CLI::App* command = learn.add_subcommand(std::to_string(name.number),
                                           lessons::one_line(name.title, Language::kBoth));
  command->alias(name.slug);
  for (const core::ConfigField& field : shared->options.fields()) {
    const std::string accepted = core::accepted_values(field);
    command
        ->add_option(flag_of(field.key), flags->options[field.key],
                     field.help + (accepted.empty() ? "" : " (" + accepted + ")"))
        ->type_name(field.kind == core::ConfigField::Kind::kInteger  ? "N"
                    : field.kind == core::ConfigField::Kind::kReal   ? "X"
                    : field.kind == core::ConfigField::Kind::kBool   ? "true|false"
                    : field.kind == core::ConfigField::Kind::kChoice ? "NAME"
                                                                     : "TEXT")
        ->default_str(field.print());
  }
  add_out(*command, *flags, "Also write the page and each picture (.svg) into this folder");
  if (shared->trains) add_training(*command, *flags);
  add_language(*command, *flags);
  command->add_option("--colour,--color", flags->colour, "auto, truecolor, 256 or ascii")
      ->capture_default_str();
  command->add_option("--background", flags->background, "Of the terminal: auto, dark or light")
      ->capture_default_str();
  command->add_option("--columns", flags->columns, "Columns of the terminal (0: as it is)")
      ->check(whole_number(0, 10000));
  command->footer(name.summary.en + "\n" + name.summary.zh);
  command->callback([flags, shared, above, command, &action] {
    take_language(*command, *above, *flags);
    flags->out = without_slash(flags->out);
    action = [flags, shared] { return run_lesson(*flags, *shared); };
  });
}

[[noreturn]] void refuse_lesson(const std::string& name) {
  if (name.starts_with("-"))
    throw InvalidArgument("learn takes no " + name +
                          " here: a lesson's flags stand behind its number");
  std::vector<std::string> known{"all"};
  std::string numbers;
  for (const Lesson& lesson : lessons::all_lessons()) {
    known.push_back(lesson.name.slug);
    numbers += (numbers.empty() ? "" : ", ") + std::to_string(lesson.name.number);
  }
  throw InvalidArgument("there is no lesson '" + name + "'" + core::did_you_mean(name, known) +
                        " (there are " + numbers + ", and all; `attend learn` lists them)");
}

}  // namespace

void add_learn(CLI::App& app, Action& action) {
  auto flags = std::make_shared<LearnFlags>();
  CLI::App* learn = app.add_subcommand(
      "learn", "The chapter, lesson by lesson: shapes, numbers and pictures of each idea.");
  learn->require_subcommand(0, 1);
  add_language(*learn, *flags);
  for (Lesson& lesson : lessons::all_lessons())
    add_lesson(*learn, flags, action, std::move(lesson));
  auto all_flags = std::make_shared<LearnFlags>();
  CLI::App* all =
      learn->add_subcommand("all", "Every lesson as a page, with an index: the gallery");
  add_out(*all, *all_flags, "Folder for the pages");
  add_training(*all, *all_flags);
  add_language(*all, *all_flags);
  all->callback([all_flags, flags, all, &action] {
    take_language(*all, *flags, *all_flags);
    all_flags->out = without_slash(all_flags->out);
    action = [all_flags] { return run_all(*all_flags); };
  });
  learn->footer(
      "Examples:\n"
      "  attend learn                        # the list\n"
      "  attend learn 5 --keys 6 --out here  # in the terminal, and as a page\n"
      "  attend learn all --out gallery");
  learn->allow_extras();  // after the lessons, which would inherit it: what is left names none
  learn->callback([flags, learn, &action] {
    if (!learn->remaining().empty()) refuse_lesson(learn->remaining().front());
    if (learn->get_subcommands().empty()) action = [flags] { return list_lessons(*flags); };
  });
}

}  // namespace attend::cli
