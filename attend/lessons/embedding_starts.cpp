#include "attend/lessons/embedding_starts.h"

#include <ATen/core/Tensor.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "attend/core/errors.h"
#include "attend/lessons/figures.h"
#include "attend/lessons/head_report.h"
#include "attend/lessons/looking.h"
#include "attend/models/model_files.h"

namespace attend::lessons {
namespace {

bool is_first_layer(const render::MapPanel& panel) {
  return panel.kind == "encoder-self" && panel.layer == 0;
}

// The maps are of the pairs as they are: a model that has learned nothing writes nothing to look
// at.
double first_layer_sharpness(const std::shared_ptr<const LoadedModel>& model,
                             const std::vector<data::Pair>& pairs) {
  constexpr size_t kEnough = 50;
  const Translator translator = Translator::share(model);
  MapTraits traits;
  for (size_t i = 0; i < std::min(pairs.size(), kEnough); ++i)
    for (const auto& panel : look_at(translator, pairs[i].source, pairs[i].target).map.panels)
      if (is_first_layer(panel)) traits.add(panel);
  return traits.sharp();
}

double words_to_positions(const LoadedModel& model) {
  const at::Tensor& words = model.model->parameters().slot("encoder.embedding.weight").value;
  double squares = 0;
  for (const double x : numbers(words)) squares += x * x;
  const double mean = squares / static_cast<double>(words.numel());
  // A pair of sine and cosine has squares that sum to 1.
  return std::sqrt(mean * static_cast<double>(model.model->config().hidden)) / std::sqrt(0.5);
}

std::string figure(double value) { return fmt::format("{:.2f}", value); }

Bilingual verdict(const StartReport& scaled, const StartReport& chapter) {
  const double gap = chapter.loss - scaled.loss;
  const std::string sharps =
      fmt::format("{:.2f} / {:.2f}", chapter.sharp_at_first, scaled.sharp_at_first);
  const std::string trained =
      fmt::format("{:.2f} / {:.2f}", chapter.sharp_trained, scaled.sharp_trained);
  std::string en = "Before the first step a query of layer 1 puts " +
                   figure(chapter.sharp_at_first) + " of its weight on one key with chapter, " +
                   figure(scaled.sharp_at_first) + " with scaled; after training " +
                   figure(chapter.sharp_trained) + " and " + figure(scaled.sharp_trained) + ". ";
  if (gap > 0.005)
    en += fmt::format("The held-out loss is {:.3f} lower with scaled.", gap);
  else if (gap < -0.005)
    en += fmt::format(
        "Here the held-out loss is {:.3f} lower with chapter all the same: "
        "sentences this short need little order.",
        -gap);
  else
    en += "The held-out losses are level here.";
  const std::string zh = fmt::format(
      "训练之前，第 1 层的查询放在单个键上的权重（chapter / scaled）是 {}，训练之后是 {}。"
      "留出集损失相差 {:+.3f}（chapter 减 scaled）。",
      sharps, trained, gap);
  return {en, zh};
}

}  // namespace

std::string start_name(EmbeddingInit init) {
  switch (init) {
    case EmbeddingInit::kScaled:
      return "scaled";
    case EmbeddingInit::kChapter:
      return "chapter";
    case EmbeddingInit::kXavier:
      return "xavier";
  }
  throw InternalError("[embedding_starts] an unknown way to begin");
}

StartReport report_start(Models& models, EmbeddingInit init, const std::vector<data::Pair>& pairs) {
  const auto fresh = models.untrained_transformer(init);
  const auto trained = models.trained_transformer(init);
  return {init, words_to_positions(*fresh), first_layer_sharpness(fresh, pairs),
          first_layer_sharpness(trained, pairs), losses_without(trained, pairs, {}).front()};
}

void compare_starts(Notebook& book, Models& models, const std::vector<data::Pair>& pairs) {
  book.heading({"How the embeddings begin", "嵌入的初始值"});
  book.say(
      {"A word enters the encoder as √D times its embedding, and its position is added, whose "
       "numbers are sines and cosines. The book draws embeddings from N(0, 1): `embedding_init = "
       "\"chapter\"`. Words are then √(2D) times as large as positions, so the order of the words "
       "is "
       "drowned, and scores are so large that softmax puts nearly all on one key and passes hardly "
       "any gradient back. Drawn from N(0, 1/D), `scaled`, words and positions weigh alike.",
       "进入编码器的是 √D 乘以词嵌入，再加上由正弦和余弦组成的位置编码。书中的嵌入取自 N(0, 1)，即 "
       "`embedding_init = \"chapter\"`：词是位置的 √(2D) 倍，词序被淹没，分数也大得让 softmax "
       "几乎全压在一个键上，梯度几乎传不回来。取自 N(0, 1/D) 时（`scaled`），词与位置大小相当。"});
  const StartReport scaled = report_start(models, EmbeddingInit::kScaled, pairs);
  const StartReport chapter = report_start(models, EmbeddingInit::kChapter, pairs);
  std::vector<std::vector<std::string>> rows;
  for (const StartReport& r : {chapter, scaled})
    rows.push_back({start_name(r.init), fmt::format("{:.1f}", r.words_to_positions),
                    figure(r.sharp_at_first), figure(r.sharp_trained),
                    fmt::format("{:.3f}", r.loss)});
  book.table(
      {"The same model begun both ways: words over positions, the largest weight of a query "
       "in the encoder's layer 1 before and after training, and the held-out loss in nats "
       "per token",
       "同一个模型的两种初始值：词与位置之比，编码器第 1 层查询的最大权重（训练前、训练后），"
       "以及留出集损失（nat / 词元）"},
      {"embedding_init", "words : positions", "sharp at first", "sharp trained", "loss"}, rows);
  book.notice(verdict(scaled, chapter));
}

void draw_starts(Notebook& book, Models& models, const std::string& sentence) {
  render::AttentionMap map;
  map.row_axis = "read (queries)";
  map.column_axis = "read (keys)";
  const auto written =
      look_at(Translator::share(models.trained_transformer(EmbeddingInit::kScaled)), sentence);
  for (const EmbeddingInit init : {EmbeddingInit::kChapter, EmbeddingInit::kScaled})
    for (const bool trained : {false, true}) {
      const auto model =
          trained ? models.trained_transformer(init) : models.untrained_transformer(init);
      const Translation seen = look_at(Translator::share(model), sentence, written.map.target);
      for (const auto& panel : seen.map.panels) {
        if (!is_first_layer(panel) || panel.head != 0) continue;
        map.panels.push_back(panel);
        map.panels.back().title = start_name(init) + (trained ? ", trained" : ", at first");
      }
    }
  book.map(
      {"Where layer 1 begins: the encoder's first head with the book's embeddings (chapter) and "
       "with small ones (scaled), before and after training",
       "第 1 层的起点：编码器的第一个头，书中的嵌入（chapter）与小的嵌入（scaled），训练前后"},
      map, {.columns = 2});
}

}  // namespace attend::lessons
