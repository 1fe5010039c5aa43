// Lesson 9: where Bahdanau's translator looks while it writes.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "attend/lessons/alignment.h"
#include "attend/lessons/figures.h"
#include "attend/lessons/lesson.h"
#include "attend/lessons/looking.h"
#include "attend/lessons/map_traits.h"
#include "attend/models/model_files.h"

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

constexpr size_t kDrawn = 3;  // of the aligned pairs

std::vector<std::string> row(const std::string& name, const MapTraits& traits,
                             const std::string& back) {
  return {name, fmt::format("{:.2f}", traits.sharp()), fmt::format("{:.2f}", traits.diagonal()),
          fmt::format("{:.2f}", traits.mark()), back};
}

// Words aligned by hand: how late the maps are, of this translator and of two that are stored.
void show_aligned(const Translator& translator, const std::string& name, Notebook& book) {
  book.heading({"How late is the map?", "图晚了多少？"});
  const auto& pairs = aligned_pairs();
  const std::vector<std::string> names{name, "one way, 20,000 pairs", "both ways, 20,000 pairs"};
  const std::vector<render::AttentionMap> stored{stored_maps("aligned-one-way"),
                                                 stored_maps("aligned-both-ways")};
  std::vector<AlignmentScore> scores(names.size());
  for (size_t i = 0; i < pairs.size(); ++i) {
    const Translation seen = look_at(translator, pairs[i].source_text(), pairs[i].target_text());
    render::AttentionMap map = bare(seen.map);
    map.panels.clear();
    for (size_t m = 0; m < names.size(); ++m) {
      map.panels.push_back(m == 0 ? seen.map.panels.front() : stored[m - 1].panels.at(i));
      scores[m].add(map.panels.back(), pairs[i],
                    m == 0 ? seen.unknown : std::vector<std::string>());
      map.panels.back().title = names[m];
    }
    if (i < kDrawn) book.map(pair_caption(seen), map, {.columns = 3});
  }
  std::vector<std::vector<std::string>> rows;
  for (size_t m = 0; m < names.size(); ++m)
    rows.push_back({names[m], std::to_string(scores[m].words()), std::to_string(scores[m].right()),
                    fmt::format("{:+.2f}", scores[m].shift()),
                    fmt::format("{:.2f}", scores[m].weight())});
  book.table(
      {"Words aligned by hand: for how many the strongest weight is on the word that is meant, how "
       "many words to its right it is on average, and the weight on the word that is meant",
       "人工对齐的词：多少个词的最大权重正在对应的词上，平均偏右几个词，以及对应的词上的权重"},
      {"translator", "words", "right", "shift", "weight"}, rows);
  book.notice(alignment_finding(scores[0], scores[1], scores[2]));
}

void run(const Options& o, Notebook& book, Models& models) {
  book.say(
      {"Before each word the decoder's hidden state asks which of the encoder's states matter now. "
       "Nobody tells it which word belongs to which: the weights are learned from pairs of "
       "sentences. "
       "A row is a word that was written, a column one that was read.",
       "每写一个词之前，解码器的隐状态都会询问：编码器的哪些隐状态此刻重要。没有人告诉它哪个词对应"
       "哪个词：注意力权重只从句对中学来。图中每一行是写出的一个词，每一列是读入的一个词。"});
  const auto loaded = models.trained(ModelKind::kBahdanau);
  const Translator translator = Translator::share(loaded);
  const auto sentences =
      sentence_or(o.sentence, {"The book is on the table.", "He has a red bike.", "I know him.",
                               "We don't see the tree.", "How old is she?"});

  std::vector<std::vector<std::string>> rows;
  MapTraits all, equal;
  for (const auto& sentence : sentences) {
    const Translation seen = look_at(translator, sentence, o.written);
    const render::MapPanel& panel = seen.map.panels.front();
    book.map(pair_caption(seen), bare(seen.map));
    MapTraits traits;
    traits.add(panel);
    all.add(panel);
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
  book.notice(diagonal_finding(all, equal));
  const bool both = loaded->model->config().bidirectional;
  show_aligned(translator, both ? "both ways, this run" : "one way, this run", book);
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
