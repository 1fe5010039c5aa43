// A model's folder, written and read back, and every way in which it can be unusable.
#include "attend/models/model_files.h"

#include <ATen/ops/allclose.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <regex>

#include "attend/core/errors.h"
#include "attend/core/files.h"
#include "attend/core/safetensors.h"
#include "attend/models/init_model.h"
#include "tests/support/model_folder.h"

namespace attend {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

using attend::testing::kSource;
using attend::testing::kTarget;
using attend::testing::ModelFolder;

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const DataError& error) {
    return error.what();
  }
  return "no DataError";
}

std::string load_error(const ModelFolder& folder) {
  return error_of([&] { load_model(folder.path()); });
}

data::Batch one_batch(const LoadedModel& loaded) {
  std::vector<std::pair<std::vector<int32_t>, std::vector<int32_t>>> pairs;
  for (size_t i = 0; i < kSource.size(); ++i) {
    auto pair = std::make_pair(loaded.source.encode(kSource[i]), loaded.target.encode(kTarget[i]));
    pair.first.push_back(loaded.source.special().end);
    pair.second.push_back(loaded.target.special().end);
    pairs.push_back(std::move(pair));
  }
  return data::make_batch(pairs);
}

class EachKind : public ::testing::TestWithParam<ModelKind> {};

TEST_P(EachKind, ComesBackBitByBit) {
  ModelFolder folder(GetParam());
  const LoadedModel loaded = load_model(folder.path());
  EXPECT_EQ(loaded.model->config().kind, GetParam());
  EXPECT_EQ(loaded.data_config.steps, 7);
  EXPECT_EQ(loaded.text_config.min_frequency, 1);
  EXPECT_TRUE(loaded.model->parameters().flat().equal(folder.model().parameters().flat()));
  const data::Batch batch = one_batch(loaded);
  EXPECT_TRUE(loaded.model->logits(batch).equal(folder.model().logits(batch)));
}

TEST_P(EachKind, GivesItsWeightsToAnother) {
  ModelFolder folder(GetParam(), 5);
  ModelFolder other(GetParam(), 6);
  ASSERT_FALSE(other.model().parameters().flat().equal(folder.model().parameters().flat()));
  load_weights_into(folder.path(), other.model(), folder.text(),
                    folder.pipeline(text::Side::kSource), folder.pipeline(text::Side::kTarget));
  EXPECT_TRUE(other.model().parameters().flat().equal(folder.model().parameters().flat()));
}

// docs/model-format.md names every tensor.
TEST_P(EachKind, IsDescribed) {
  const std::string page = core::read_file(ATTEND_SOURCE_DIR "/docs/model-format.md");
  ModelFolder folder(GetParam());
  for (const auto& slot : folder.model().parameters().slots()) {
    const std::string name =
        std::regex_replace(slot->name, std::regex("layers\\.[0-9]+"), "layers.{l}");
    EXPECT_THAT(page, HasSubstr("`" + name + "`"));
  }
}

INSTANTIATE_TEST_SUITE_P(ModelFiles, EachKind,
                         ::testing::Values(ModelKind::kGru, ModelKind::kBahdanau,
                                           ModelKind::kTransformer));

TEST(ModelFiles, NameAFolderThatIsNotOne) {
  EXPECT_THAT(error_of([] { load_model("/nonexistent/model"); }),
              AllOf(HasSubstr("/nonexistent/model"), HasSubstr("no such folder")));
  ModelFolder folder;
  EXPECT_THAT(error_of([&] { load_model(folder.file("config.toml")); }),
              AllOf(HasSubstr("config.toml"), HasSubstr("found a file")));
}

TEST(ModelFiles, NameAFileThatIsMissing) {
  for (const std::string name :
       {"config.toml", "source.vocab", "target.vocab", "model.safetensors"}) {
    ModelFolder folder;
    fs::remove(folder.file(name));
    EXPECT_THAT(load_error(folder), HasSubstr(folder.file(name)));
  }
}

TEST(ModelFiles, NameWeightsThatAreCutShort) {
  ModelFolder folder;
  const std::string whole = core::read_file(folder.file("model.safetensors"));
  for (const size_t length :
       {size_t{0}, size_t{5}, size_t{100}, whole.size() / 2, whole.size() - 1}) {
    core::write_file_atomic(folder.file("model.safetensors"), whole.substr(0, length));
    EXPECT_THAT(load_error(folder), HasSubstr("model.safetensors")) << length;
  }
}

// The last number of the file becomes `value`, as by a program that keeps no checksum.
void change_last_weight(const ModelFolder& folder, float value) {
  folder.rewrite([](core::Safetensors& file) { file.metadata.erase(kChecksumKey); });
  std::string bytes = core::read_file(folder.file("model.safetensors"));
  std::memcpy(bytes.data() + bytes.size() - sizeof value, &value, sizeof value);
  core::write_file_atomic(folder.file("model.safetensors"), bytes);
}

TEST(ModelFiles, NameATensorThatIsNotFinite) {
  ModelFolder folder;
  const std::string last = folder.model().parameters().slots().back()->name;
  for (const float bad : {std::nanf(""), INFINITY, -INFINITY}) {
    change_last_weight(folder, bad);
    EXPECT_THAT(load_error(folder),
                AllOf(HasSubstr("model.safetensors"), HasSubstr(last), HasSubstr("not finite")));
  }
}

TEST(ModelFiles, NameATensorThatOverflows) {
  ModelFolder folder;
  const std::string last = folder.model().parameters().slots().back()->name;
  change_last_weight(folder, -3e36F);
  EXPECT_THAT(load_error(folder), AllOf(HasSubstr("model.safetensors"), HasSubstr(last),
                                        HasSubstr("as large as 3e+36")));
  change_last_weight(folder, 9e17F);  // of no use, but its square is a number
  EXPECT_EQ(load_error(folder), "no DataError");
}

TEST(ModelFiles, NameFilesSwappedBetweenModels) {
  ModelFolder gru(ModelKind::kGru);
  ModelFolder bahdanau(ModelKind::kBahdanau);
  ModelFolder other_words(ModelKind::kBahdanau, 5, {"a b", "b c d e f", "g h i j k l m n"});
  const auto take = [](const ModelFolder& from, const ModelFolder& to, const std::string& name) {
    fs::copy_file(from.file(name), to.file(name), fs::copy_options::overwrite_existing);
  };
  take(gru, bahdanau, "model.safetensors");
  EXPECT_THAT(load_error(bahdanau),
              AllOf(HasSubstr("model.kind = \"gru\""), HasSubstr("bahdanau")));
  take(bahdanau, other_words, "target.vocab");
  EXPECT_THAT(load_error(other_words),
              AllOf(HasSubstr("target.vocab"), HasSubstr("not the vocabulary of the weights")));
}

TEST(ModelFiles, NameBothSizesWhenALineOfAVocabularyIsGone) {
  ModelFolder folder;
  const std::string text = core::read_file(folder.file("source.vocab"));
  const size_t last = text.rfind('\n', text.size() - 2);
  core::write_file_atomic(folder.file("source.vocab"), text.substr(0, last + 1));
  const int64_t entries = folder.model().config().source_vocabulary;
  EXPECT_THAT(load_error(folder),
              AllOf(HasSubstr("source.vocab"), HasSubstr(std::to_string(entries)),
                    HasSubstr(std::to_string(entries - 1))));
}

TEST(ModelFiles, NoticeWordsThatChangedPlaces) {
  ModelFolder folder;
  folder.change("target.vocab", "perdu", "gagne");
  EXPECT_THAT(load_error(folder), AllOf(HasSubstr("target.vocab"), HasSubstr("but others")));
}

TEST(ModelFiles, NameTheKeyOfTheConfigurationThatChanged) {
  ModelFolder folder;
  folder.change("config.toml", "layers = 2", "layers = 3");
  EXPECT_THAT(load_error(folder),
              AllOf(HasSubstr("model.layers = 2"), HasSubstr("config.toml has 3")));
}

TEST(ModelFiles, LetCommentsAndOtherTablesBe) {
  ModelFolder folder;
  folder.change("config.toml", "[training]\nepochs = 3", "# mine\n[training]\nepochs = 99");
  folder.change("config.toml", "steps = 7", "steps = 9");
  EXPECT_EQ(load_model(folder.path()).data_config.steps, 9);
}

TEST(ModelFiles, NameAMistakeInTheConfiguration) {
  ModelFolder folder;
  folder.change("config.toml", "hidden = 8", "hiden = 8");
  EXPECT_THAT(load_error(folder), AllOf(HasSubstr("config.toml:"), HasSubstr("hiden")));
}

TEST(ModelFiles, RefuseOtherVersionsAndFormats) {
  ModelFolder folder;
  folder.rewrite([](core::Safetensors& file) { file.metadata["format_version"] = "2"; });
  EXPECT_THAT(load_error(folder), AllOf(HasSubstr("version 2"), HasSubstr("up to version 1")));
  folder.rewrite([](core::Safetensors& file) { file.metadata["format_version"] = "one"; });
  EXPECT_THAT(load_error(folder), HasSubstr("format_version"));
  folder.rewrite([](core::Safetensors& file) { file.metadata["format"] = "pt"; });
  EXPECT_THAT(load_error(folder), AllOf(HasSubstr("attend-model"), HasSubstr("'pt'")));
  folder.rewrite([](core::Safetensors& file) { file.metadata.clear(); });
  EXPECT_THAT(load_error(folder), HasSubstr("not written by attend"));
}

TEST(ModelFiles, ListTensorsThatDoNotFit) {
  ModelFolder folder;
  folder.rewrite([](core::Safetensors& file) {
    for (auto& tensor : file.tensors) {
      if (tensor.name == "decoder.output.bias") tensor.name = "decoder.output.offset";
      if (tensor.name == "decoder.attention.query.weight") tensor.shape = {4, 16};
    }
  });
  EXPECT_THAT(
      load_error(folder),
      AllOf(HasSubstr("decoder.output.bias is missing"),
            HasSubstr("decoder.output.offset is not in the model"),
            HasSubstr("decoder.attention.query.weight should have shape (8, 8), found (4, 16)")));
}

TEST(ModelFiles, NameATensorOfAnotherDtype) {
  ModelFolder folder;
  folder.rewrite([](core::Safetensors& file) {
    for (auto& tensor : file.tensors)
      if (tensor.name == "decoder.output.bias") tensor.dtype = "I32";
  });
  EXPECT_THAT(load_error(folder), HasSubstr("decoder.output.bias should be F32, found I32"));
}

}  // namespace
}  // namespace attend
