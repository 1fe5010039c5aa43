// A model's folder, written and read back, and every way in which it can be unusable.
#include "attend/models/model_files.h"

#include <ATen/ops/allclose.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "attend/core/errors.h"
#include "attend/core/files.h"
#include "attend/core/safetensors.h"

namespace attend {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const std::vector<std::string> kSource = {"go .", "i lost .", "he is calm .", "i am home ."};
const std::vector<std::string> kTarget = {"va !", "j'ai perdu .", "il est calme .",
                                          "je suis chez moi ."};

// A folder as the program makes it, with untrained weights.
class ModelFolder {
 public:
  explicit ModelFolder(ModelKind kind = ModelKind::kBahdanau, uint64_t seed = 5,
                       const std::vector<std::string>& target = kTarget) {
    std::string pattern = (fs::temp_directory_path() / "attend-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw InternalError("mkdtemp failed");
    path_ = pattern;
    text_.min_frequency = 1;
    model_.kind = kind;
    model_.embedding = model_.hidden = 8;
    model_.feed_forward = 12;
    model_.heads = 2;
    data_.steps = 7;
    const auto source = text::Pipeline::build(text_, text::Side::kSource, kSource);
    const auto target_side = text::Pipeline::build(text_, text::Side::kTarget, target);
    toml_ = core::print_config({text::describe(text_), data::describe(data_), describe(model_)}) +
            "\n[training]\nepochs = 3\n";
    core::write_file_atomic(file("config.toml"), toml_);
    source.save(path_);
    target_side.save(path_);
    ModelConfig config = model_;
    config.source_vocabulary = source.vocabulary_size();
    config.target_vocabulary = target_side.vocabulary_size();
    built_ = make_model(config, {.seed = seed});
    save_weights(path_, *built_, source, target_side, toml_);
  }
  ~ModelFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  ModelFolder(const ModelFolder&) = delete;
  ModelFolder& operator=(const ModelFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  Seq2Seq& model() { return *built_; }

  void change(const std::string& name, const std::string& from, const std::string& to) const {
    std::string text = core::read_file(file(name));
    const size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    core::write_file_atomic(file(name), text.replace(at, from.size(), to));
  }

  // model.safetensors again, after `edit`.
  void rewrite(const std::function<void(core::Safetensors&)>& edit) const {
    const std::string bytes = core::read_file(file("model.safetensors"));
    core::Safetensors tensors = core::parse_safetensors(bytes, "x");
    edit(tensors);
    core::write_file_atomic(file("model.safetensors"),
                            core::serialize_safetensors(tensors.tensors, tensors.metadata));
  }

 private:
  std::string path_;
  std::string toml_;
  text::TextConfig text_;
  data::DataConfig data_;
  ModelConfig model_;
  std::unique_ptr<Seq2Seq> built_;
};

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

class EachKind : public testing::TestWithParam<ModelKind> {};

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
  load_weights_into(folder.path(), other.model());
  EXPECT_TRUE(other.model().parameters().flat().equal(folder.model().parameters().flat()));
}

INSTANTIATE_TEST_SUITE_P(ModelFiles, EachKind,
                         testing::Values(ModelKind::kGru, ModelKind::kBahdanau,
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

TEST(ModelFiles, LeaveTheWeightsAloneWhenTheyDoNotFit) {
  ModelFolder bahdanau(ModelKind::kBahdanau);
  ModelFolder gru(ModelKind::kGru);
  const at::Tensor before = gru.model().parameters().flat().clone();
  EXPECT_THAT(error_of([&] { load_weights_into(bahdanau.path(), gru.model()); }),
              HasSubstr("do not fit the model"));
  EXPECT_TRUE(gru.model().parameters().flat().equal(before));
}

}  // namespace
}  // namespace attend
