// Lesson 18: one map while its model learns.
#include <fmt/format.h>

#include "attend/lessons/findings.h"
#include "attend/lessons/lesson.h"
#include "attend/lessons/looking.h"
#include "attend/lessons/map_traits.h"

namespace attend::lessons {
namespace {

struct Options {
  std::string sentence = "He has a red bike.";
  std::string written = "Il a un vélo rouge.";
  int64_t every = 1;
};

core::ConfigTable describe(Options& o) {
  core::ConfigTable table("learning-to-align", "A map through training");
  table.add("sentence", o.sentence, "What is read.")
      .add("written", o.written, "What the model is made to write, in every frame.")
      .add("every", o.every, "A frame after so many epochs.", 1, 100000);
  return table;
}

void run(const Options& o, Notebook& book, Models& models) {
  if (o.written.empty()) throw InvalidArgument("--written: expected a sentence, found none");
  book.say(
      {"The translator with additive attention starts with random weights, and so with "
       "nearly equal weights on all words. This is one pair of sentences, looked at after "
       "each few epochs of training; the model is made to write the same words each time.",
       "带加性注意力的翻译器从随机参数开始，因此注意力权重在所有词上几乎相等。这里在训练中每隔几轮"
       "看一次同一个句对；每次都强制模型写同样的词。"});
  std::vector<Frame> frames;
  std::vector<std::vector<std::string>> writes;
  render::Series loss{"loss of this pair", {}, {}}, sharp{"sharp: largest weight", {}, {}},
      diagonal{"diagonal: within one word", {}, {}};
  Bilingual caption;
  models.watch(ModelKind::kBahdanau, models.epochs(),
               [&](const std::shared_ptr<const LoadedModel>& model, int64_t epoch) {
                 if (epoch % o.every != 0 && epoch != models.epochs()) return;
                 const Translator translator = Translator::share(model, 1);
                 const Translation seen = look_at(translator, o.sentence, o.written);
                 caption = pair_caption(seen);
                 Frame frame{fmt::format("epoch {}", epoch), bare(seen.map)};
                 MapTraits traits;
                 traits.add(seen.map.panels.front());
                 const auto tokens = static_cast<double>(seen.log_probabilities.size());
                 const auto add = [&](render::Series& series, double y) {
                   series.x.push_back(static_cast<double>(epoch));
                   series.y.push_back(y);
                 };
                 add(loss, -seen.score / tokens);
                 add(sharp, traits.sharp());
                 add(diagonal, traits.diagonal());
                 frames.push_back(std::move(frame));
                 const std::string own = translator.translate(o.sentence).text;
                 if (writes.empty() || writes.back().back() != own)
                   writes.push_back(
                       {std::to_string(epoch), fmt::format("{:.3f}", -seen.score / tokens), own});
               });
  const Frame last = frames.back();
  book.animation(caption, std::move(frames));
  book.curves({"The loss of this pair", "这个句对的损失"},
              {.x_axis = "epoch", .y_axis = "loss (nats per token)", .series = {loss}});
  book.curves({"How sharp its map is, and how diagonal", "图有多尖锐、多接近对角线"},
              {.x_axis = "epoch", .y_axis = "weight (0 to 1)", .series = {sharp, diagonal}});
  book.notice(watching_finding(loss, sharp, last));
  book.table({"What it writes of its own accord, when that changes", "它自己会写什么（有变化时）"},
             {"epoch", "loss", "writes"}, writes);
}

}  // namespace

Lesson learning_to_align_lesson() {
  return make_lesson<Options>(
      {18,
       "learning-to-align",
       {"A model learning to align", "学会对齐"},
       {"One attention map through training, frame by frame.", "一张注意力图在训练中的变化。"}},
      describe, run);
}

}  // namespace attend::lessons
