// How every weight of the three translators begins, against docs/model-format.md, and that words do
// not drown their positions.
#include <ATen/TensorOperators.h>
#include <gtest/gtest.h>

#include <cmath>
#include <regex>

#include "attend/layers/sinusoidal.h"
#include "attend/models/seq2seq.h"

namespace attend {
namespace {

constexpr int64_t kWidth = 128;
constexpr int64_t kVocabulary = 700;
constexpr int64_t kLongest = 100;

ModelConfig config_of(ModelKind kind) {
  ModelConfig config;
  config.kind = kind;
  config.hidden = kWidth;
  config.embedding = kind == ModelKind::kTransformer ? 32 : 96;
  config.feed_forward = 256;
  config.heads = 8;
  config.source_vocabulary = kVocabulary;
  config.target_vocabulary = kVocabulary + 50;
  config.longest = kLongest;
  return config;
}

double root_mean_square(const at::Tensor& x) {
  return std::sqrt(x.detach().square().mean().item<double>());
}

double largest(const at::Tensor& x) { return x.detach().abs().max().item<double>(); }

bool matches(const std::string& name, const char* pattern) {
  return std::regex_search(name, std::regex(pattern));
}

// The standard error of a root mean square of n draws is about 1 / sqrt(2 n) of it, and smaller for
// bounded ones; five of them.
double slack(const at::Tensor& x) { return 5.0 / std::sqrt(2.0 * static_cast<double>(x.numel())); }

void expect_spread(const at::Tensor& x, double expected, const std::string& name) {
  EXPECT_NEAR(root_mean_square(x) / expected, 1.0, slack(x)) << name;
}

void expect_xavier(const at::Tensor& x, const std::string& name) {
  const double rows = x.dim() > 1 ? static_cast<double>(x.size(0)) : 1.0;
  const double bound = std::sqrt(6.0 / (rows + static_cast<double>(x.size(-1))));
  EXPECT_LE(largest(x), bound) << name;
  expect_spread(x, bound / std::sqrt(3.0), name);
}

// All but embeddings and learned positions, which their own tests look at.
TEST(InitialWeights, MatricesAreXavierBiasesZeroAndGainsOne) {
  for (const ModelKind kind : {ModelKind::kGru, ModelKind::kBahdanau, ModelKind::kTransformer}) {
    ModelConfig config = config_of(kind);
    config.attention_bias = kind == ModelKind::kTransformer;
    config.bidirectional = kind == ModelKind::kBahdanau;
    const auto model = make_model(config, {.seed = 1, .dtype = at::kDouble});
    for (const auto& slot : model->parameters().slots()) {
      const std::string& name = slot->name;
      if (matches(name, "embedding")) continue;
      if (matches(name, "norm\\d?\\.weight"))
        EXPECT_TRUE(slot->value.eq(1).all().item<bool>()) << name;
      else if (matches(name, "bias"))
        EXPECT_EQ(largest(slot->value), 0.0) << name;
      else
        expect_xavier(slot->value, name);
    }
  }
}

TEST(InitialWeights, EmbeddingsOfRecurrentModelsAreStandardNormal) {
  for (const ModelKind kind : {ModelKind::kGru, ModelKind::kBahdanau}) {
    const auto model = make_model(config_of(kind), {.seed = 1, .dtype = at::kDouble});
    for (const char* name : {"encoder.embedding.weight", "decoder.embedding.weight"})
      expect_spread(model->parameters().slot(name).value, 1.0, name);
  }
}

struct Begun {
  EmbeddingInit init;
  bool tied;
  double source, target, positions;  // root mean squares; 0: Xavier's rule
};

TEST(InitialWeights, TheTransformersEmbeddingsBeginAsChosen) {
  const double root = std::sqrt(static_cast<double>(kWidth));
  for (const Begun& begun : {Begun{EmbeddingInit::kScaled, false, 1 / root, 1 / root, 1.0},
                             Begun{EmbeddingInit::kScaled, true, 1 / root, 1 / root, 1.0},
                             Begun{EmbeddingInit::kChapter, false, 1.0, 1.0, root},
                             Begun{EmbeddingInit::kChapter, true, 1.0, 1 / root, root},
                             Begun{EmbeddingInit::kXavier, false, 0, 0, 0},
                             Begun{EmbeddingInit::kXavier, true, 0, 0, 0}}) {
    ModelConfig config = config_of(ModelKind::kTransformer);
    config.embedding_init = begun.init;
    config.tied_embeddings = begun.tied;
    config.positions = PositionKind::kLearned;
    const auto model = make_model(config, {.seed = 1, .dtype = at::kDouble});
    const auto check = [&](const std::string& name, double spread) {
      const at::Tensor& x = model->parameters().slot(name).value;
      spread > 0 ? expect_spread(x, spread, name) : expect_xavier(x, name);
    };
    check("encoder.embedding.weight", begun.source);
    check("decoder.embedding.weight", begun.target);
    check("encoder.positions.weight", begun.positions);
    check("decoder.positions.weight", begun.positions);
  }
}

// What enters the encoder is sqrt(D) E + P. The default must not make it nearly blind to P.
TEST(InitialWeights, WordsDoNotDrownTheirPositions) {
  const double sinusoids = root_mean_square(PositionTable(kWidth, {}, at::kDouble).rows(0, 50));
  EXPECT_NEAR(sinusoids, std::sqrt(0.5), 1e-12);
  const auto ratio = [&](const ModelConfig& config) {
    const auto model = make_model(config, {.seed = 1, .dtype = at::kDouble});
    return root_mean_square(model->parameters().slot("encoder.embedding.weight").value) *
           std::sqrt(static_cast<double>(kWidth)) / sinusoids;
  };
  ModelConfig config = config_of(ModelKind::kTransformer);
  EXPECT_NEAR(ratio(config), std::sqrt(2.0), 0.05) << "the default";
  config.embedding_init = EmbeddingInit::kChapter;
  EXPECT_NEAR(ratio(config), 16.0, 0.5) << "the book's";
}

}  // namespace
}  // namespace attend
