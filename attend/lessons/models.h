// The small translators that some lessons look into: trained on first use, kept in a folder.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "attend/data/corpus.h"
#include "attend/models/config.h"

namespace attend {
struct LoadedModel;  // attend/models/model_files.h
}

namespace attend::lessons {

/// Trained translators on demand. Each is trained once, with the same settings but for its kind,
/// and kept in a folder, where the next lesson and the next program find it again.
class Models {
 public:
  struct Options {
    std::string folder = {};  ///< where trained models are kept; made when first needed
    std::string data = {};    ///< file of pairs to train on; empty: the phrasebook compiled in
    std::string model = {};   ///< folder of a model to use in place of training one of its kind
    int64_t epochs = 30;
    int64_t threads = 0;                      ///< 0: as many as this process may use
    const std::atomic<bool>* stop = nullptr;  ///< once true: training ends with DataError
    /// A line about what goes on, often the same one renewed. May be empty.
    std::function<void(const std::string&)> progress = {};
    /// What was odd about the data, a line that stays. May be empty.
    std::function<void(const std::string&)> note = {};
  };

  explicit Models(Options options);
  ~Models();
  Models(const Models&) = delete;
  Models& operator=(const Models&) = delete;

  /// Translator::share(models.trained(ModelKind::kBahdanau)) translates with it. Throws DataError
  /// when the data can't be read or the folder can't be written, or when training was stopped (the
  /// next call goes on from there).
  std::shared_ptr<const LoadedModel> trained(ModelKind kind);

  /// The Transformer with the settings of trained(), its embeddings begun by `init`. Never
  /// Options::model: it is there to be compared.
  std::shared_ptr<const LoadedModel> trained_transformer(EmbeddingInit init);
  /// The same before its first step.
  std::shared_ptr<const LoadedModel> untrained_transformer(EmbeddingInit init);

  /// Trains a fresh model of the kind, apart from trained(), and hands it over after each epoch
  /// from 0 (nothing learned) to `epochs`. It must not be kept: its weights go on changing.
  void watch(ModelKind kind, int64_t epochs,
             const std::function<void(std::shared_ptr<const LoadedModel>, int64_t epoch)>& look);

  /// False when options named a model that nothing asked for so far: it is of another kind.
  bool used_given() const { return used_given_ || options_.model.empty(); }

  /// How many a model is trained for.
  int64_t epochs() const { return options_.epochs; }

  /// The pairs that models are trained on, and those held out (a tenth of the sources, none of
  /// which is trained on).
  const std::vector<data::Pair>& train_pairs();
  const std::vector<data::Pair>& held_out_pairs();

 private:
  struct Corpus;
  struct Run;
  const Corpus& corpus();
  std::shared_ptr<const LoadedModel> train(Run run);

  Options options_;
  std::unique_ptr<Corpus> corpus_;
  std::map<ModelKind, std::shared_ptr<const LoadedModel>> trained_;
  bool used_given_ = false;
  std::map<EmbeddingInit, std::shared_ptr<const LoadedModel>> begun_;  // Transformers, trained
};

/// "gru", "bahdanau" or "transformer".
std::string kind_name(ModelKind kind);

}  // namespace attend::lessons
