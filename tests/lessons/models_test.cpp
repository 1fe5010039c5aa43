// The translators that lessons look into.
#include "attend/lessons/models.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "attend/core/errors.h"
#include "attend/core/files.h"
#include "attend/decoding/translator.h"
#include "attend/models/model_files.h"
#include "tests/core/temporary_folder.h"

namespace attend::lessons {
namespace {

using core::testing::TemporaryFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Twenty short pairs.
std::string small_corpus(const TemporaryFolder& folder) {
  std::string text;
  for (int i = 0; i < 20; ++i) {
    const std::string n(static_cast<size_t>(i % 5 + 1), 'a');
    text +=
        "word " + n + " " + std::string(1, static_cast<char>('b' + i)) + " .\tmot " + n + " .\n";
  }
  core::write_file_atomic(folder / "pairs.txt", text);
  return folder / "pairs.txt";
}

Models::Options options(const TemporaryFolder& folder, std::vector<std::string>* log = nullptr) {
  Models::Options options{.folder = folder / "models", .data = small_corpus(folder), .epochs = 1};
  options.threads = 1;
  if (log) options.progress = [log](const std::string& line) { log->push_back(line); };
  return options;
}

TEST(Models, TrainsOnceAndFindsItAgain) {
  const TemporaryFolder folder;
  std::vector<std::string> log;
  std::string text;
  {
    Models models(options(folder, &log));
    const auto model = models.trained(ModelKind::kBahdanau);
    EXPECT_EQ(model->model->config().kind, ModelKind::kBahdanau);
    EXPECT_EQ(models.trained(ModelKind::kBahdanau), model);
    text = Translator::share(model, 1).translate("word a b .").text;
  }
  ASSERT_FALSE(log.empty());
  EXPECT_THAT(log.front(), HasSubstr("training the bahdanau model: epoch 1 of 1"));
  log.clear();
  Models again(options(folder, &log));
  const auto found = again.trained(ModelKind::kBahdanau);
  EXPECT_TRUE(log.empty()) << "it was trained again";
  EXPECT_EQ(Translator::share(found, 1).translate("word a b .").text, text);
}

TEST(Models, AnotherTextIsAnotherModel) {
  const TemporaryFolder folder;
  Models(options(folder)).trained(ModelKind::kGru);
  auto other = options(folder);
  other.data = folder / "other.txt";
  core::write_file_atomic(other.data, core::read_file(folder / "pairs.txt") + "x y\tz\n");
  std::vector<std::string> log;
  other.progress = [&](const std::string& line) { log.push_back(line); };
  Models(other).trained(ModelKind::kGru);
  EXPECT_FALSE(log.empty());
}

TEST(Models, HoldsATenthOut) {
  const TemporaryFolder folder;
  Models models(options(folder));
  EXPECT_EQ(models.train_pairs().size(), 18u);
  EXPECT_EQ(models.held_out_pairs().size(), 2u);
  Models phrasebook({});
  EXPECT_GT(phrasebook.train_pairs().size(), 1500u);
}

TEST(Models, IsWatchedWhileItLearns) {
  const TemporaryFolder folder;
  Models models(options(folder));
  std::vector<int64_t> epochs;
  std::set<float> first_weights;
  models.watch(
      ModelKind::kBahdanau, 2, [&](std::shared_ptr<const LoadedModel> model, int64_t epoch) {
        epochs.push_back(epoch);
        TranslateOptions wanted;
        wanted.attention = true;
        const auto map = Translator::share(model, 1).force("word a b .", "mot a .", wanted).map;
        first_weights.insert(map.panels.front().weights.front());
      });
  EXPECT_THAT(epochs, ElementsAre(0, 1, 2));
  EXPECT_EQ(first_weights.size(), 3u) << "the weights did not change";
}

TEST(Models, TakesAModelThatIsGiven) {
  const TemporaryFolder folder;
  auto with = options(folder);
  Models(with).trained(ModelKind::kGru);
  for (const auto& entry : std::filesystem::directory_iterator(folder / "models"))
    with.model = entry.path().string();
  with.folder = folder / "pairs.txt/below";
  EXPECT_EQ(Models(with).trained(ModelKind::kGru)->model->config().kind, ModelKind::kGru);
  EXPECT_THROW(Models(with).trained(ModelKind::kBahdanau), DataError);  // has to be trained
}

TEST(Models, StopsAndSaysSo) {
  const TemporaryFolder folder;
  std::atomic<bool> stop = true;
  auto stopped = options(folder);
  stopped.stop = &stop;
  EXPECT_THROW(Models(stopped).trained(ModelKind::kGru), DataError);
  stop = false;
  EXPECT_NO_THROW(Models(stopped).trained(ModelKind::kGru));  // goes on from there
}

}  // namespace
}  // namespace attend::lessons
