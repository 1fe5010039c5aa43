// Source words in place of unknown ones: which, of which weights, and what stays as it was.
#include "attend/decoding/unknown_words.h"

#include <c10/core/GradMode.h>
#include <gmock/gmock.h>

#include <algorithm>

#include "attend/decoding/greedy.h"
#include "attend/decoding/translator.h"
#include "tests/decoding/scripted_model.h"
#include "tests/support/compare.h"
#include "tests/support/model_folder.h"

namespace attend::decoding {
namespace {

using namespace ::attend::testing;  // NOLINT(google-build-using-namespace)
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

text::Pipeline pipeline(text::TokeniserKind kind, const std::vector<std::string>& lines) {
  text::TextConfig config;
  config.source_tokeniser = kind;
  config.min_frequency = 1;
  config.max_vocabulary = kind == text::TokeniserKind::kSentencePiece ? 40 : 0;
  return text::Pipeline::build(config, text::Side::kSource, lines);
}

std::vector<std::string> texts(const std::vector<UnknownWord>& words) {
  std::vector<std::string> all;
  for (const UnknownWord& word : words) all.push_back(word.text);
  return all;
}

// Sources of 2, 9 and 1 tokens and the end mark, by a model whose weights rise from key to key:
// the end mark has the most of a sentence, and padding more than that.
class AtTheEnd : public ::testing::Test {
 protected:
  AtTheEnd() {
    const std::vector<std::vector<std::string>> sentences = {
        {"go", "there"}, {"a", "b", "c", "d", "e", "f", "g", "h", "last"}, {"."}};
    for (const auto& words : sentences) {
      std::vector<int32_t> ids(words.size(), 4);
      ids.push_back(kEnd);
      ids_.append(ids);
      tokens_.push_back(words);
      tokens_.back().push_back("<eos>");
    }
  }
  std::vector<std::vector<UnknownWord>> find(const std::vector<std::vector<int32_t>>& written) {
    std::vector<Hypothesis> hypotheses(written.size());
    for (size_t i = 0; i < written.size(); ++i) hypotheses[i].ids = written[i];
    return unknown_words(model_, {pipeline_, ids_, tokens_}, hypotheses, {});
  }

  text::Pipeline pipeline_ = pipeline(text::TokeniserKind::kSpace, {"go there"});
  ScriptedModel model_{9, [](int32_t, const std::vector<int32_t>&) { return prefer(5, 9); }};
  data::PackedIds ids_;
  std::vector<std::vector<std::string>> tokens_;
};

TEST_F(AtTheEnd, NeitherTheEndMarkNorPaddingIsAWord) {
  const auto found = find({{5, 0, 6, 0}, {0}, {7, 0}});
  EXPECT_THAT(texts(found[0]), ElementsAre("there", "there"));
  EXPECT_EQ(found[0][0].token, 1);
  EXPECT_EQ(found[0][1].token, 3);
  EXPECT_THAT(texts(found[1]), ElementsAre("last"));
  EXPECT_THAT(texts(found[2]), ElementsAre("."));
}

TEST_F(AtTheEnd, StepsThroughSentencesWithUnknownWordsAndNoFurther) {
  const auto found = find({{5, 6, 7, 8}, {5, 0, 6, 7, 8}, {}});
  EXPECT_THAT(found[0], IsEmpty());
  EXPECT_THAT(texts(found[1]), ElementsAre("last"));
  EXPECT_THAT(model_.live, ElementsAre(1, 1));
  model_.live.clear();
  find({{5, 6, 7, 8}, {5, 6}, {}});
  EXPECT_THAT(model_.live, IsEmpty());
}

TEST(SourceWords, AreTokensOrWhatStandsBetweenBlanks) {
  const auto words = [](text::TokeniserKind kind, const std::string& line) {
    const text::Pipeline p = pipeline(kind, {"go home now", "we go home", "now we go"});
    const std::vector<std::string> tokens = p.tokens(line);
    std::vector<std::string> all;
    int64_t at = 0;
    for (const SourceWord& word : source_words(p, tokens, static_cast<int64_t>(tokens.size()))) {
      EXPECT_GE(word.first, at);
      EXPECT_GE(word.tokens, 1);
      at = word.first + word.tokens;
      all.push_back(word.text);
    }
    EXPECT_LE(at, static_cast<int64_t>(tokens.size()));
    return all;
  };
  for (const text::TokeniserKind kind :
       {text::TokeniserKind::kSpace, text::TokeniserKind::kWord, text::TokeniserKind::kCharacter,
        text::TokeniserKind::kSentencePiece}) {
    SCOPED_TRACE(static_cast<int>(kind));
    EXPECT_THAT(words(kind, "we go home"), ElementsAre("we", "go", "home"));
    EXPECT_THAT(words(kind, "home"), ElementsAre("home"));
    if (kind == text::TokeniserKind::kWord) {  // whose tokens say what they are tied to
      EXPECT_THAT(words(kind, "go home."), ElementsAre("go", "home", "."));
    }
    EXPECT_THAT(words(kind, ""), IsEmpty());
  }
}

// A folder whose model writes the unknown word often: its bias is raised.
class Folder : public ModelFolder {
 public:
  Folder(ModelKind kind, double bias, const std::function<void(ModelConfig&)>& change)
      : ModelFolder(kind, 11, kTarget, change) {
    LoadedModel loaded = load_model(path());
    ParameterStore& store = loaded.model->parameters();
    c10::NoGradGuard no_grad;
    store.flat().mul_(4.0);
    for (const auto& slot : store.slots())
      if (slot->name == "decoder.output.bias") slot->value[loaded.target.special().unknown] = bias;
    save_weights(path(), *loaded.model, loaded.source, loaded.target,
                 core::read_file(file("config.toml")));
  }
};

struct Case {
  const char* name;
  ModelKind kind;
  double bias;  // of the unknown word
  std::function<void(ModelConfig&)> change;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

class UnknownWordsOf : public ::testing::TestWithParam<Case> {};

// What the map of the same translation says, its last layer, without the end mark.
std::string most_in_map(const Translation& with_map, int64_t row) {
  int64_t last = 0;
  for (const render::MapPanel& panel : with_map.map.panels)
    if (panel.kind == "cross") last = std::max(last, panel.layer);
  std::vector<double> sums(with_map.source_tokens.size() - 1);
  for (const render::MapPanel& panel : with_map.map.panels)
    for (size_t k = 0; panel.kind == "cross" && panel.layer == last && k < sums.size(); ++k)
      sums[k] +=
          static_cast<double>(panel.weights[static_cast<size_t>(row) * panel.columns.size() + k]);
  const auto most = std::max_element(sums.begin(), sums.end());
  return with_map.source_tokens[static_cast<size_t>(most - sums.begin())];
}

TEST_P(UnknownWordsOf, AreTheWordsMostAttendedTo) {
  const Folder folder(GetParam().kind, GetParam().bias, GetParam().change);
  const Translator translator = Translator::load(folder.path(), {.device = "cpu", .threads = 2});
  const std::vector<std::string> lines = {"go .", "he is zebra calm .", "", "i lost am home he",
                                          "unheard"};
  const auto found = translator.translate(lines, {});
  const auto kept = translator.translate(lines, {.replace_unknown = false, .attention = true});
  size_t replaced = 0;
  for (size_t i = 0; i < lines.size(); ++i) {
    EXPECT_THAT(kept[i].replaced, IsEmpty());
    EXPECT_EQ(found[i].score, kept[i].score);
    EXPECT_EQ(found[i].log_probabilities, kept[i].log_probabilities);
    EXPECT_THAT(found[i].tokens, Not(::testing::Contains("<unk>")));
    EXPECT_THAT(found[i].text, Not(HasSubstr("<unk>")));
    std::vector<std::string> expected = kept[i].tokens;
    std::vector<int64_t> places;
    for (size_t t = 0; t < expected.size(); ++t)
      if (expected[t] == "<unk>") {
        const auto place = static_cast<int64_t>(t);
        places.push_back(place);
        expected[t] = most_in_map(kept[i], place);
        if (lines[i] == "unheard") {
          EXPECT_EQ(found[i].tokens[t], "unheard");
        }
      }
    EXPECT_EQ(found[i].tokens, expected) << lines[i];
    EXPECT_EQ(found[i].replaced, places);
    replaced += places.size();
  }
  EXPECT_GT(replaced, 3u);
  // The map shows what the model wrote and read.
  const Translation both = translator.translate(lines[1], {.attention = true});
  EXPECT_EQ(both.tokens, found[1].tokens);
  EXPECT_EQ(both.map.panels.front().rows, kept[1].map.panels.front().rows);
}

TEST_P(UnknownWordsOf, StayWhereTheTableSaysSo) {
  const Folder folder(GetParam().kind, GetParam().bias, GetParam().change);
  folder.change("config.toml", "\n[training]",
                "\n[decoding]\nreplace_unknown = false\n\n[training]");
  const Translator translator = Translator::load(folder.path(), {.device = "cpu"});
  EXPECT_THAT(translator.translate("unheard").text, HasSubstr("<unk>"));
  EXPECT_THAT(translator.translate("unheard", {.replace_unknown = true}).text,
              Not(HasSubstr("<unk>")));
}

INSTANTIATE_TEST_SUITE_P(
    Models, UnknownWordsOf,
    ::testing::Values(Case{"Bahdanau", ModelKind::kBahdanau, 3.0, [](ModelConfig&) {}},
                      Case{"BahdanauComposed", ModelKind::kBahdanau, 3.0,
                           [](ModelConfig& c) { c.bidirectional = true; }},
                      Case{"Transformer", ModelKind::kTransformer, 25.0, [](ModelConfig&) {}},
                      Case{"TransformerOneLayer", ModelKind::kTransformer, 100.0,
                           [](ModelConfig& c) { c.layers = 1; }},
                      Case{"TransformerComposed", ModelKind::kTransformer, 25.0,
                           [](ModelConfig& c) { c.positions = PositionKind::kRotary; }}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(UnknownWords, StayWithoutAttention) {
  const Folder folder(ModelKind::kGru, 100.0, [](ModelConfig&) {});
  const Translator translator = Translator::load(folder.path(), {.device = "cpu"});
  EXPECT_FALSE(translator.defaults().replace_unknown.value());
  const Translation found = translator.translate("unheard", {.replace_unknown = true});
  EXPECT_THAT(found.text, HasSubstr("<unk>"));
  EXPECT_THAT(found.replaced, IsEmpty());
}

}  // namespace
}  // namespace attend::decoding
