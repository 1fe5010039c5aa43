// A tiny model's folder in a temporary place.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "attend/core/errors.h"
#include "attend/core/files.h"
#include "attend/core/safetensors.h"
#include "attend/models/model_files.h"

namespace attend::testing {

inline const std::vector<std::string> kSource = {"go .", "i lost .", "he is calm .", "i am home ."};
inline const std::vector<std::string> kTarget = {"va !", "j'ai perdu .", "il est calme .",
                                                 "je suis chez moi ."};

/// A folder as the program makes it, with untrained weights; removed at its end.
class ModelFolder {
 public:
  explicit ModelFolder(ModelKind kind = ModelKind::kBahdanau, uint64_t seed = 5,
                       const std::vector<std::string>& target = kTarget,
                       const std::function<void(ModelConfig&)>& change = {}) {
    std::string pattern = (std::filesystem::temp_directory_path() / "attend-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw InternalError("mkdtemp failed");
    path_ = pattern;
    text_.min_frequency = 1;
    model_.kind = kind;
    model_.embedding = model_.hidden = 8;
    model_.feed_forward = 12;
    model_.heads = 2;
    data_.steps = 7;
    if (change) change(model_);
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
    config.longest = data_.steps;
    built_ = make_model(config, {.seed = seed});
    save_weights(path_, *built_, source, target_side, toml_);
  }
  ~ModelFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ModelFolder(const ModelFolder&) = delete;
  ModelFolder& operator=(const ModelFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  Seq2Seq& model() { return *built_; }
  const text::TextConfig& text() const { return text_; }
  text::Pipeline pipeline(text::Side side) const {
    return text::Pipeline::load(text_, side, path_);
  }

  void change(const std::string& name, const std::string& from, const std::string& to) const {
    std::string text = core::read_file(file(name));
    const size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    core::write_file_atomic(file(name), text.replace(at, from.size(), to));
  }

  /// Writes model.safetensors again, after `edit`, which has to see to the checksum if it matters.
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

}  // namespace attend::testing
