// Lesson 8: what a code of fixed size costs: BLEU by the length of the sentence.
#include <fmt/format.h>

#include <algorithm>

#include "attend/lessons/length_scores.h"
#include "attend/lessons/lesson.h"
#include "attend/models/model_files.h"

namespace attend::lessons {
namespace {

struct Options {
  int64_t shortest = 3;
  int64_t longest = 5;
  int64_t pairs = 500;
};

core::ConfigTable describe(Options& o) {
  core::ConfigTable table("bottleneck", "BLEU by length, with attention and without");
  table.add("shortest", o.shortest, "The first group: sentences of up to this many words.", 1, 100)
      .add("longest", o.longest, "The last group: sentences of more words than this.", 1, 200)
      .add("pairs", o.pairs, "Translate at most this many of the held-out pairs.", 1, 100000);
  return table;
}

void run(const Options& o, Notebook& book, Models& models) {
  book.say(
      {"Without attention all that the decoder learns of a sentence goes through one code "
       "of fixed size, the encoder's last hidden state. With attention it also sees each "
       "word's own state: what it can read grows with the sentence.",
       "没有注意力时，解码器对句子的全部了解都要经过一个定长编码，即编码器最后的隐状态。有了注意"
       "力，它还能看到每个词各自的隐状态：可读的内容随句子变长而增多。"});
  std::vector<data::Pair> pairs = models.held_out_pairs();
  pairs.resize(std::min(pairs.size(), static_cast<size_t>(o.pairs)));
  std::vector<int64_t> limits;
  for (int64_t words = o.shortest; words <= o.longest || limits.empty(); ++words)
    limits.push_back(words);
  std::vector<std::vector<std::string>> sizes, rows;
  render::Bars bars;
  std::vector<std::vector<double>> half_widths;  // of each model and group
  bars.value_axis = "BLEU, n-grams up to 2 (0 to 100)";
  for (const ModelKind kind : {ModelKind::kGru, ModelKind::kBahdanau, ModelKind::kTransformer}) {
    const auto model = models.trained(kind);
    sizes.push_back({kind_name(kind)});
    for (const int64_t words : {2, 8, 32})
      sizes.back().push_back(std::to_string(numbers_to_read(model->model->config(), words)));
    bars.series.push_back({kind_name(kind), {}});
    half_widths.emplace_back();
    size_t line = 0;
    for (const auto& [bucket, half_width] : score_by_length(model, pairs, limits)) {
      if (bars.series.size() == 1) {
        bars.names.push_back(fmt::format("{} words ({} pairs)", bucket.label(), bucket.sentences));
        rows.push_back({bucket.label(), std::to_string(bucket.sentences)});
      }
      bars.series.back().values.push_back(bucket.bleu.score);
      half_widths.back().push_back(half_width);
      rows[line++].push_back(fmt::format("{:.1f} ± {:.1f}", bucket.bleu.score, half_width));
    }
  }
  book.table({"Numbers the decoder can read, for a sentence of so many words (and its end mark)",
              "解码器能读到多少个数（句子有这么多词，另加句末标记）"},
             {"model", "2 words", "8 words", "32 words"}, sizes);
  book.bars({"BLEU by the words of the source, on pairs held out of training",
             "按源句词数分组的 BLEU（训练时留出的句对）"},
            bars);
  book.table({"The same in numbers, with 95 % intervals from resampled test sets",
              "同样的数字，附 95% 的自助法区间"},
             {"words", "pairs", "gru", "bahdanau", "transformer"}, rows);
  book.notice(lengths_finding(bars.series, half_widths, longest_source(pairs)));
}

}  // namespace

Lesson bottleneck_lesson() {
  return make_lesson<Options>({8,
                               "bottleneck",
                               {"The fixed-code bottleneck", "定长编码的瓶颈"},
                               {"BLEU by sentence length, without attention and with it.",
                                "没有注意力与有注意力时，BLEU 随句长的变化。"}},
                              describe, run);
}

}  // namespace attend::lessons
