// Weights for another run to begin with: only where they mean the same there.
#include "attend/models/init_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/model_folder.h"

namespace attend {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

using attend::testing::kSource;
using attend::testing::ModelFolder;

std::string init_error(const ModelFolder& from, const InitTables& run) {
  try {
    check_init(from.path(), run);
  } catch (const DataError& error) {
    return error.what();
  }
  return "";
}

struct Change {
  const char* key;  // as the message names it
  ModelKind kind;
  std::function<void(InitTables&)> make;
};

// None of these changes the shape of a tensor.
TEST(InitModel, NamesWhatLeavesShapesAloneAndChangesTheMeaning) {
  using T = InitTables;
  constexpr auto kTransformer = ModelKind::kTransformer, kBahdanau = ModelKind::kBahdanau;
  const std::vector<Change> changes = {
      {"model.heads", kTransformer, [](T& t) { t.model.heads = 4; }},
      {"model.positions", kTransformer, [](T& t) { t.model.positions = PositionKind::kNone; }},
      {"model.activation", kTransformer, [](T& t) { t.model.activation = Activation::kGelu; }},
      {"model.norm_first", kTransformer, [](T& t) { t.model.norm_first = true; }},
      {"model.norm", kTransformer, [](T& t) { t.model.norm = NormKind::kRms; }},
      {"model.window", kTransformer, [](T& t) { t.model.window = 3; }},
      {"model.score", kTransformer, [](T& t) { t.model.score = ScoreKind::kDot; }},
      {"model.linear_attention", kTransformer, [](T& t) { t.model.linear_attention = true; }},
      {"model.normaliser", kBahdanau, [](T& t) { t.model.normaliser = Normaliser::kSparsemax; }},
      {"model.cell", kBahdanau, [](T& t) { t.model.cell = CellKind::kLstm; }},
      {"model.kind", kBahdanau, [](T& t) { t.model.kind = ModelKind::kGru; }},
      {"text.lowercase", kBahdanau, [](T& t) { t.text.lowercase = false; }},
      {"text.split_punctuation", kBahdanau, [](T& t) { t.text.split_punctuation = false; }},
      {"text.source_tokeniser", kBahdanau,
       [](T& t) { t.text.source_tokeniser = text::TokeniserKind::kWord; }},
      {"text.target_tokeniser", kBahdanau,
       [](T& t) { t.text.target_tokeniser = text::TokeniserKind::kCharacter; }}};
  for (const Change& change : changes) {
    const ModelFolder folder(change.kind);
    InitTables run = read_init_tables(folder.path());
    EXPECT_EQ(init_error(folder, run), "");
    change.make(run);
    EXPECT_THAT(init_error(folder, run), AllOf(HasSubstr(folder.path()), HasSubstr(change.key)));
  }
}

TEST(InitModel, NamesTheRowsOfLearnedPositions) {
  const ModelFolder folder(ModelKind::kTransformer, 5, attend::testing::kTarget,
                           [](ModelConfig& c) { c.positions = PositionKind::kLearned; });
  InitTables run = read_init_tables(folder.path());
  run.steps = 20;
  EXPECT_THAT(init_error(folder, run), HasSubstr("data.steps = 7 (this run has 20)"));
}

TEST(InitModel, LetsPassWhatChangesNoMeaning) {
  const ModelFolder folder(ModelKind::kBahdanau);
  InitTables run = read_init_tables(folder.path());
  run.model.dropout = 0.5;
  run.model.embedding_init = EmbeddingInit::kXavier;
  run.model.score = ScoreKind::kAdditive;  // what auto means
  run.model.heads = 8;                     // of no use to this kind
  run.model.feed_forward = 99;
  run.text.min_frequency = 7;
  run.text.max_vocabulary = 100;
  run.steps = 30;
  EXPECT_EQ(init_error(folder, run), "");
}

// The ids of a vocabulary of the same size mean other words.
TEST(InitModel, RefusesRowsOfOtherWords) {
  ModelFolder from, to;
  const at::Tensor before = to.model().parameters().flat().clone();
  std::vector<std::string> lines = kSource;
  lines.insert(lines.end(), 5, "calm");  // the most frequent word now, which comes first
  const auto other = text::Pipeline::build(from.text(), text::Side::kSource, lines);
  const auto source = from.pipeline(text::Side::kSource),
             target = from.pipeline(text::Side::kTarget);
  ASSERT_EQ(other.vocabulary_size(), source.vocabulary_size());
  try {
    load_weights_into(from.path(), to.model(), from.text(), other, target);
    ADD_FAILURE() << "joined by shape alone";
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr(from.file("model.safetensors")),
                                    HasSubstr("source vocabulary"), Not(HasSubstr("target"))));
  }
  EXPECT_TRUE(to.model().parameters().flat().equal(before));
  EXPECT_EQ(load_weights_into(from.path(), to.model(), from.text(), source, target), "");
}

TEST(InitModel, LeavesTheWeightsAloneWhenTheyDoNotFit) {
  const ModelFolder bahdanau(ModelKind::kBahdanau);
  ModelFolder gru(ModelKind::kGru);
  const at::Tensor before = gru.model().parameters().flat().clone();
  EXPECT_THROW(
      load_weights_into(bahdanau.path(), gru.model(), gru.text(), gru.pipeline(text::Side::kSource),
                        gru.pipeline(text::Side::kTarget)),
      DataError);
  EXPECT_TRUE(gru.model().parameters().flat().equal(before));
}

TEST(InitModel, RefusesAFolderWhoseConfigurationWasChanged) {
  ModelFolder folder(ModelKind::kTransformer);
  folder.change("config.toml", "activation = \"relu\"", "activation = \"gelu\"");
  ModelFolder other(ModelKind::kTransformer, 5, attend::testing::kTarget,
                    [](ModelConfig& c) { c.activation = Activation::kGelu; });
  EXPECT_THROW(
      load_weights_into(folder.path(), other.model(), folder.text(),
                        folder.pipeline(text::Side::kSource), folder.pipeline(text::Side::kTarget)),
      DataError);
}

}  // namespace
}  // namespace attend
