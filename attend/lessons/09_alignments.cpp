// Lesson 9: where Bahdanau's translator looks while it writes.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "attend/lessons/figures.h"
#include "attend/lessons/lesson.h"
#include "attend/lessons/looking.h"
#include "attend/lessons/map_traits.h"

namespace attend::lessons {
namespace {

struct Options {
  std::string sentence;
  std::string written;
};

core::ConfigTable describe(Options& o) {
  core::ConfigTable table("alignments", "Maps of the translator with additive attention");
  table.add("sentence", o.sentence, "A sentence of yours in place of the lesson's five.")
      .add("written", o.written, "Make the model write this, and see where it looks.");
  return table;
}

std::vector<std::string> row(const std::string& name, const MapTraits& traits,
                             const std::string& back) {
  return {name, fmt::format("{:.2f}", traits.sharp()), fmt::format("{:.2f}", traits.diagonal()),
          fmt::format("{:.2f}", traits.mark()), back};
}

void run(const Options& o, Notebook& book, Models& models) {
  book.say(
      {"The decoder's hidden state asks, before each word, which of the encoder's states matter "
       "now. Nobody tells it which word belongs to which: the weights are learned from pairs of "
       "sentences alone. A map has a row for each word that was written and a column for each "
       "that was read.",
       "每写一个词之前，解码器的隐状态都会询问：编码器的哪些隐状态此刻重要。没有人告诉它哪个词对应"
       "哪个词：注意力权重只从句对中学来。图中每一行是写出的一个词，每一列是读入的一个词。"});
  const Translator translator = Translator::share(models.trained(ModelKind::kBahdanau));
  const auto sentences =
      sentence_or(o.sentence, {"The book is on the table.", "He has a red bike.", "I know him.",
                               "We don't see the tree.", "How old is she?"});

  std::vector<std::vector<std::string>> rows;
  MapTraits equal;
  for (const auto& sentence : sentences) {
    const Translation seen = look_at(translator, sentence, o.written);
    const render::MapPanel& panel = seen.map.panels.front();
    book.map(pair_caption(seen), bare(seen.map));
    MapTraits traits;
    traits.add(panel);
    equal.add(with_equal_weights(panel));
    const auto back = steps_back(panel);
    rows.push_back(row(seen.map.source, traits,
                       back.empty() ? "-" : fmt::format("{}", fmt::join(back, ", "))));
  }
  rows.push_back(row("(equal weights)", equal, ""));
  book.table({"The maps in numbers: sharp, the mean of each row's largest weight; diagonal, the "
              "weight within one word of the straight line; end mark, the weight on it; and the "
              "words for which the strongest weight steps back",
              "用数字看这些图：sharp 是每行最大权重的平均；diagonal 是离对角线一个词以内的权重；"
              "end mark 是句末标记上的权重；最后一列是最大权重往回走的词"},
             {"read", "sharp", "diagonal", "end mark", "steps back"}, rows);
  book.notice(
      {"The weight goes from left to right, since both languages mostly have one order; compare "
       "with equal weights, for in short sentences many keys are near the diagonal anyway. In "
       "un vélo rouge the adjective changes its place. Does the map step back for it, from bike to "
       "red? It need not: the state at bike has read red too, and both words can be had from it.",
       "两种语言的语序大体相同，所以权重从左往右移动；请与等权重比较，因为句子短时许多键本来就在"
       "对角线附近。un vélo rouge 里形容词换了位置，图会为它往回走、从 bike 回到 red "
       "吗？不一定：读到 "
       "bike 时的隐状态也读过了 red，两个词都可以从那里得到。"});
  book.notice(
      {"A weight is not a proof. The encoder reads from left to right, so the state at a word "
       "knows all words before it: a model may well look one or two words late, or at the end "
       "mark, whose state has read the whole sentence.",
       "权重不是证明。编码器从左往右读，某个词处的隐状态已经知道它前面的所有词；小模型可能晚看一个"
       "词，"
       "也可能看句末标记，因为那里的隐状态读过了整个句子。"});
}

}  // namespace

Lesson alignments_lesson() {
  return make_lesson<Options>({9,
                               "alignments",
                               {"Bahdanau's maps", "Bahdanau 注意力图"},
                               {"Where a translator looks while it writes, and where that is no "
                                "diagonal.",
                                "翻译器写每个词时在看哪里，以及何处不在对角线上。"}},
                              describe, run);
}

}  // namespace attend::lessons
