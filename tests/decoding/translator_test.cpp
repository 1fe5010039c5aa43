// Strings in, strings and maps out, with a tiny model's folder.
#include "attend/decoding/translator.h"

#include <c10/core/GradMode.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <numeric>
#include <set>
#include <thread>

#include "tests/support/compare.h"
#include "tests/support/model_folder.h"

namespace attend {
namespace {

using namespace ::attend::testing;  // NOLINT(google-build-using-namespace)
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Weights so large that the sentences differ in what they give, and an end mark that most of them
// reach.
class Lively : public ModelFolder {
 public:
  explicit Lively(ModelKind kind) : ModelFolder(kind, 11) {
    LoadedModel loaded = load_model(path());
    ParameterStore& store = loaded.model->parameters();
    c10::NoGradGuard no_grad;
    store.flat().mul_(4.0);
    for (const auto& slot : store.slots()) {
      if (slot->name != "decoder.output.bias") continue;
      slot->value[loaded.target.special().unknown] = -100.0;  // so that outputs can be read back
      slot->value[loaded.target.special().end] = kind == ModelKind::kTransformer ? 25.0 : 1.0;
    }
    save_weights(path(), *loaded.model, loaded.source, loaded.target,
                 core::read_file(file("config.toml")));
  }
};

std::vector<std::string> many_lines() {
  const std::vector<std::string> words = {"go", "i", "lost", "he", "is", "calm", "am", "home", "."};
  std::vector<std::string> lines;
  for (size_t i = 0; i < 50; ++i) {
    std::string line;
    for (size_t w = 0; w <= i % 6; ++w) line += words[(i * 5 + w * w + w * i) % words.size()] + " ";
    lines.push_back(line);
  }
  return lines;
}

void expect_same(const Translation& actual, const Translation& expected) {
  EXPECT_EQ(actual.text, expected.text);
  EXPECT_EQ(actual.tokens, expected.tokens);
  EXPECT_EQ(actual.source_tokens, expected.source_tokens);
  EXPECT_EQ(actual.finished, expected.finished);
  ASSERT_EQ(actual.log_probabilities.size(), expected.log_probabilities.size());
  for (size_t i = 0; i < actual.log_probabilities.size(); ++i)
    EXPECT_NEAR(actual.log_probabilities[i], expected.log_probabilities[i], 1e-4);
}

std::string kind_text(const ::testing::TestParamInfo<ModelKind>& info) {
  const char* names[] = {"Gru", "Bahdanau", "Transformer"};
  return names[static_cast<int>(info.param)];
}

class TranslatorTest : public ::testing::TestWithParam<ModelKind> {};

INSTANTIATE_TEST_SUITE_P(Kinds, TranslatorTest,
                         ::testing::Values(ModelKind::kGru, ModelKind::kBahdanau,
                                           ModelKind::kTransformer),
                         kind_text);

TEST_P(TranslatorTest, NeighboursAndBatchSizesChangeNothing) {
  const Lively folder(GetParam());
  const Translator translator = Translator::load(folder.path(), {.device = "cpu", .threads = 2});
  const auto lines = many_lines();
  std::vector<Translation> alone;
  for (const std::string& line : lines) alone.push_back(translator.translate(line));
  std::set<std::string> texts;
  for (const Translation& one : alone) texts.insert(one.text);
  EXPECT_GT(texts.size(), 5u);  // or the test says little
  for (const int64_t size : {1, 7, 50}) {
    const auto found = translator.translate(lines, {.batch_size = size});
    ASSERT_EQ(found.size(), lines.size());
    for (size_t i = 0; i < lines.size(); ++i) {
      SCOPED_TRACE("line " + std::to_string(i) + " in batches of " + std::to_string(size));
      expect_same(found[i], alone[i]);
    }
  }
}

TEST_P(TranslatorTest, ManyThreadsAtOnceGiveTheSame) {
  const Lively folder(GetParam());
  const Translator translator = Translator::load(folder.path(), {.device = "cpu", .threads = 2});
  const auto lines = many_lines();
  const auto expected = translator.translate(lines, {.batch_size = 8});
  std::vector<std::vector<Translation>> found(6);
  std::vector<std::thread> threads;
  for (auto& mine : found)
    threads.emplace_back([&] { mine = translator.translate(lines, {.batch_size = 8}); });
  for (std::thread& thread : threads) thread.join();
  for (const auto& mine : found)
    for (size_t i = 0; i < lines.size(); ++i) {
      EXPECT_EQ(mine[i].text, expected[i].text);
      EXPECT_EQ(mine[i].log_probabilities, expected[i].log_probabilities);
    }
}

TEST_P(TranslatorTest, ForcingItsOwnOutputGivesItsOwnScore) {
  const Lively folder(GetParam());
  const Translator translator = Translator::load(folder.path(), {.device = "cpu"});
  int finished = 0;
  for (const std::string& line : many_lines()) {
    const Translation own = translator.translate(line);
    Translation again = translator.force(line, own.text);
    if (own.finished) {
      ++finished;
      EXPECT_NEAR(again.score, own.score, 1e-4);
    } else {  // forced to its end mark, which the steps kept it from
      EXPECT_EQ(again.log_probabilities.size(), own.log_probabilities.size() + 1);
      again.log_probabilities.pop_back();
      again.finished = false;
    }
    expect_same(again, own);
  }
  EXPECT_GT(finished, 0);
}

TEST_P(TranslatorTest, AMapHasTheSentencesOwnTokensAlone) {
  const Lively folder(GetParam());
  const Translator translator = Translator::load(folder.path(), {.device = "cpu"});
  const std::vector<std::string> lines = {"go .", "he is calm i am .", "home"};
  const auto plain = translator.translate(lines, {});
  const auto found = translator.translate(lines, {.attention = true});
  const size_t panels[] = {0, 1, 2 * 2 * 3};  // layers, heads and kinds
  for (size_t i = 0; i < lines.size(); ++i) {
    expect_same(found[i], plain[i]);
    EXPECT_THAT(plain[i].map.panels, IsEmpty());
    const render::AttentionMap& map = found[i].map;
    ASSERT_THAT(map.panels, SizeIs(panels[static_cast<size_t>(GetParam())]));
    if (map.panels.empty()) continue;
    EXPECT_EQ(map.source, i == 0 ? "go ." : lines[i]);
    EXPECT_EQ(map.target, found[i].text);
    std::vector<std::string> written = found[i].tokens;
    if (found[i].finished) written.push_back("<eos>");
    for (const render::MapPanel& panel : map.panels) {
      const bool encoder = panel.kind == "encoder-self";
      EXPECT_EQ(panel.rows, encoder ? found[i].source_tokens : written);
      if (panel.kind == "decoder-self") {
        EXPECT_EQ(panel.columns.front(), "<bos>");
        EXPECT_EQ(panel.columns.size(), written.size());
      } else {
        EXPECT_EQ(panel.columns, found[i].source_tokens);
      }
      const size_t keys = panel.columns.size();
      ASSERT_EQ(panel.weights.size(), panel.rows.size() * keys);
      for (size_t row = 0; row < panel.rows.size(); ++row) {
        const auto first = panel.weights.begin() + static_cast<int64_t>(row * keys);
        EXPECT_NEAR(std::accumulate(first, first + static_cast<int64_t>(keys), 0.0), 1.0, 1e-5);
      }
    }
  }
}

class TranslatorWithBahdanau : public ::testing::Test {
 protected:
  const Lively folder_{ModelKind::kBahdanau};
  const Translator translator_ = Translator::load(folder_.path(), {.device = "cpu", .threads = 2});
};

TEST_F(TranslatorWithBahdanau, BlankLinesStayBlankInTheirPlaces) {
  const std::vector<std::string> lines = {"go .", "", "  \t ", "i lost .", ""};
  const auto found = translator_.translate(lines, {.batch_size = 1, .attention = true});
  ASSERT_THAT(found, SizeIs(5));
  for (const size_t blank : {1, 2, 4}) {
    EXPECT_EQ(found[blank].text, "");
    EXPECT_THAT(found[blank].tokens, IsEmpty());
    EXPECT_THAT(found[blank].source_tokens, IsEmpty());
    EXPECT_TRUE(found[blank].finished);
    EXPECT_THAT(found[blank].map.panels, IsEmpty());
  }
  expect_same(found[0], translator_.translate("go ."));
  expect_same(found[3], translator_.translate("i lost ."));
  EXPECT_THAT(translator_.translate(std::vector<std::string>{}, {}), IsEmpty());
  EXPECT_EQ(translator_.translate("").text, "");
}

TEST_F(TranslatorWithBahdanau, TheTextPipelineOfTheModelIsApplied) {
  expect_same(translator_.translate("I Lost."), translator_.translate("i lost ."));
  expect_same(translator_.translate("I'm home."), translator_.translate("i'm home ."));
  EXPECT_THAT(translator_.translate("I LOST.").source_tokens,
              ElementsAre("i", "lost", ".", "<eos>"));
}

TEST_F(TranslatorWithBahdanau, UnknownWordsAreListed) {
  const Translation found = translator_.translate("he saw a calm zebra .");
  EXPECT_THAT(found.unknown, ElementsAre("saw", "a", "zebra"));
  EXPECT_THAT(found.source_tokens, ElementsAre("he", "saw", "a", "calm", "zebra", ".", "<eos>"));
  EXPECT_FALSE(found.source_cut);
  EXPECT_THAT(translator_.translate("go .").unknown, IsEmpty());
  EXPECT_THAT(translator_.force("go zebra .", "va gazelle !").unknown,
              ElementsAre("zebra", "gazelle"));
}

TEST_F(TranslatorWithBahdanau, ALongSourceIsCutAndSaysSo) {  // the model's steps are 7
  const Translation found = translator_.translate("i am calm . i am home . he zebra");
  EXPECT_TRUE(found.source_cut);
  EXPECT_THAT(found.source_tokens, ElementsAre("i", "am", "calm", ".", "i", "am", "<eos>"));
  EXPECT_THAT(found.unknown, IsEmpty());  // what was cut off is not spoken of
  EXPECT_FALSE(translator_.translate("i am calm i am home").source_cut);
}

TEST_F(TranslatorWithBahdanau, MaxStepsCountTheEndMark) {
  for (const std::string& line : many_lines()) {
    const Translation whole = translator_.translate(line);
    const size_t steps = whole.log_probabilities.size();
    EXPECT_LE(steps, 7u);
    const Translation cut = translator_.translate(line, {.max_steps = 2});
    EXPECT_EQ(cut.log_probabilities.size(), std::min<size_t>(steps, 2));
    EXPECT_EQ(cut.finished, whole.finished && steps <= 2);
    const Translation longer = translator_.translate(line, {.max_steps = 30});
    EXPECT_GE(longer.log_probabilities.size(), steps);
  }
}

TEST_F(TranslatorWithBahdanau, ScoreIsTheSumOfItsParts) {
  const Translation found = translator_.translate("he is calm .");
  EXPECT_NEAR(found.score,
              std::accumulate(found.log_probabilities.begin(), found.log_probabilities.end(), 0.0),
              1e-9);
  EXPECT_LT(found.score, 0.0);
  EXPECT_EQ(found.log_probabilities.size(), found.tokens.size() + found.finished);
}

TEST_F(TranslatorWithBahdanau, ForceWritesWhatItIsTold) {
  const Translation found = translator_.force("go .", "Il est calme.", {.attention = true});
  EXPECT_EQ(found.text, "il est calme .");
  EXPECT_THAT(found.tokens, ElementsAre("il", "est", "calme", "."));
  EXPECT_TRUE(found.finished);
  ASSERT_THAT(found.map.panels, SizeIs(1));
  EXPECT_THAT(found.map.panels[0].rows, ElementsAre("il", "est", "calme", ".", "<eos>"));
  EXPECT_THAT(found.map.panels[0].columns, ElementsAre("go", ".", "<eos>"));
  // A target longer than the model's steps is scored whole; an empty one is the end mark.
  EXPECT_THAT(translator_.force("go .", "va va va va va va va va va").tokens, SizeIs(9));
  EXPECT_THAT(translator_.force("go .", "").log_probabilities, SizeIs(1));
  EXPECT_THROW(translator_.force(" ", "va !"), InvalidArgument);
}

TEST_F(TranslatorWithBahdanau, ProgressRisesToTheNumberOfLines) {
  const std::vector<std::string> lines = {"go .", "", "i lost .", "he is calm .", "i am home ."};
  std::vector<int64_t> done;
  TranslateOptions options{.batch_size = 2};
  options.progress = [&](int64_t now, int64_t all) {
    EXPECT_EQ(all, 5);
    done.push_back(now);
  };
  translator_.translate(lines, options);
  EXPECT_THAT(done, ElementsAre(3, 5));
}

TEST_F(TranslatorWithBahdanau, WhatProgressThrowsComesOut) {
  const std::vector<std::string> lines = {"go .", "i lost ."};
  TranslateOptions options{.batch_size = 1};
  options.progress = [](int64_t, int64_t) { throw std::runtime_error("stop"); };
  EXPECT_THROW(translator_.translate(lines, options), std::runtime_error);
  expect_same(translator_.translate("go ."), translator_.translate("go ."));
}

TEST_F(TranslatorWithBahdanau, RefusesOptionsOutOfRange) {
  EXPECT_THAT(message_of([&] {
                translator_.translate(std::vector<std::string>{"go ."}, {.batch_size = -2});
              }),
              HasSubstr("found -2"));
  EXPECT_THAT(message_of([&] { translator_.translate("go .", {.max_steps = -1}); }),
              HasSubstr("found -1"));
  EXPECT_THROW(Translator::load(folder_.path(), {.threads = -1}), InvalidArgument);
  EXPECT_THROW(Translator::load(folder_.path(), {.device = "gpu"}), InvalidArgument);
}

TEST(Translator, GoesByTheModelsDecodingTableUnlessTold) {
  const Lively folder(ModelKind::kTransformer);
  const auto configure = [&](const std::string& text) {
    folder.change("config.toml", "\n[training]", "\n[decoding]\n" + text + "\n[training]");
  };
  const auto load = [&] { return Translator::load(folder.path(), {.device = "cpu"}); };
  const TranslateOptions built_in = load().defaults();
  EXPECT_EQ(built_in.max_steps, 7);  // the model's steps
  EXPECT_EQ(built_in.batch_size, 64);
  EXPECT_TRUE(built_in.replace_unknown.value());
  configure("max_steps = 2\nbatch_size = 3\nreplace_unknown = false\n");
  const Translator translator = load();
  const TranslateOptions defaults = translator.defaults();
  EXPECT_EQ(defaults.max_steps, 2);
  EXPECT_EQ(defaults.batch_size, 3);
  EXPECT_FALSE(defaults.replace_unknown.value());
  size_t longest = 0;
  for (const std::string& line : many_lines()) {
    EXPECT_LE(translator.translate(line).log_probabilities.size(), 2u);
    longest =
        std::max(longest, translator.translate(line, {.max_steps = 5}).log_probabilities.size());
  }
  EXPECT_EQ(longest, 5u);
  folder.change("config.toml", "batch_size = 3", "batch_sise = 3");
  const std::string message = message_of(load);
  EXPECT_THAT(message, HasSubstr(folder.file("config.toml")));
  EXPECT_THAT(message, HasSubstr("batch_size"));
}

TEST(Translator, SaysWhichFileIsMissing) {
  for (const char* name : {"config.toml", "source.vocab", "target.vocab", "model.safetensors"}) {
    const ModelFolder folder;
    std::filesystem::remove(folder.file(name));
    EXPECT_THAT(message_of([&] { Translator::load(folder.path()); }), HasSubstr(name));
    EXPECT_THROW(Translator::load(folder.path()), DataError);
  }
  EXPECT_THAT(message_of([] { Translator::load("/nowhere/at/all"); }),
              HasSubstr("/nowhere/at/all"));
}

}  // namespace
}  // namespace attend
