#include "attend/lessons/length_scores.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "attend/decoding/translator.h"
#include "attend/metrics/bootstrap.h"
#include "attend/models/model_files.h"

namespace attend::lessons {

std::vector<LengthScore> score_by_length(const std::shared_ptr<const LoadedModel>& loaded,
                                         const std::vector<data::Pair>& pairs,
                                         const std::vector<int64_t>& limits) {
  metrics::BleuOptions options;
  options.tokenizer = metrics::Tokenizer::kNone;
  options.max_order = 2;
  std::vector<std::string> sources, written, references;
  std::vector<int64_t> lengths;
  for (const data::Pair& pair : pairs) {
    sources.push_back(pair.source);
    lengths.push_back(metrics::count_blank_separated(pair.source));
    references.push_back(loaded->target.clean(pair.target));
  }
  for (const Translation& t : Translator::share(loaded).translate(sources, {}))
    written.push_back(t.text);
  std::vector<LengthScore> scores;
  for (auto& bucket :
       metrics::bleu_by_source_length(lengths, written, references, limits, options)) {
    if (bucket.sentences == 0) continue;
    std::vector<std::string> some_written, some_references;
    for (size_t i = 0; i < lengths.size(); ++i) {
      if (lengths[i] < bucket.low || (bucket.high >= 0 && lengths[i] > bucket.high)) continue;
      some_written.push_back(written[i]);
      some_references.push_back(references[i]);
    }
    const auto interval = metrics::bootstrap_interval(
        metrics::bleu_statistics(some_written, {some_references}, options),
        metrics::bleu_scorer(options));
    scores.push_back({std::move(bucket), interval.half_width});
  }
  return scores;
}

int64_t numbers_to_read(const ModelConfig& config, int64_t words) {
  const bool recurrent = config.kind != ModelKind::kTransformer;
  const int64_t of_a_word = config.hidden * (recurrent && config.bidirectional ? 2 : 1);
  if (config.kind != ModelKind::kGru) return of_a_word * (words + 1);
  return config.hidden * config.layers * (config.cell == CellKind::kLstm ? 2 : 1);
}

int64_t longest_source(const std::vector<data::Pair>& pairs) {
  int64_t longest = 0;
  for (const data::Pair& pair : pairs)
    longest = std::max(longest, static_cast<int64_t>(metrics::count_blank_separated(pair.source)));
  return longest;
}

Bilingual lengths_finding(const std::vector<render::BarSeries>& models,
                          const std::vector<std::vector<double>>& half_widths, int64_t longest) {
  Bilingual text{"From the shortest sentences to the longest BLEU goes ",
                 "从最短的句子到最长的句子，BLEU 的变化："};
  double doubt = 0, least_gap = std::numeric_limits<double>::infinity();
  const auto fall = [](const render::BarSeries& model) {
    return model.values.front() - model.values.back();
  };
  for (size_t m = 0; m < models.size(); ++m) {
    const auto& [name, values] = models[m];
    if (values.size() < 2)
      return {
          "All sentences are in one group: nothing to compare. --shortest and --longest split "
          "them.",
          "所有句子都在一组里，没有可比的。可以用 --shortest 和 --longest 分组。"};
    const std::string change = fmt::format("{:.1f} → {:.1f}", values.front(), values.back());
    text.en += (m > 0 ? ", " : "") + change + " (" + name + ")";
    text.zh += (m > 0 ? "，" : "") + change + "（" + name + "）";
    if (m > 0) least_gap = std::min(least_gap, fall(models.front()) - fall(models[m]));
    for (const double half : {half_widths[m].front(), half_widths[m].back()})
      doubt = std::max(doubt, half);
  }
  // A difference of two falls, four scores with an interval each.
  const bool falls_most = fall(models.front()) > 0 && least_gap > 0;
  const bool certain = falls_most && least_gap > 2 * doubt;
  const std::string& first = models.front().name;
  text.en += certain ? fmt::format(
                           ". {} falls by more than the others, and by more than the "
                           "intervals leave open: its code gets too small.",
                           first)
             : falls_most ? fmt::format(
                                ". {} falls by more than the others, but the intervals are "
                                "wide enough for that to be chance.",
                                first)
                          : fmt::format(
                                ". {} does not fall by more than the others: here its code "
                                "holds the sentence.",
                                first);
  text.zh +=
      certain      ? fmt::format("。{} 比另外两个下降得更多，超出了区间：它的编码不够用了。", first)
      : falls_most ? fmt::format("。{} 比另外两个下降得更多，但区间太宽，可能只是偶然。", first)
                   : fmt::format("。{} 并不比另外两个下降得更多：这里它的编码装得下句子。", first);
  text.en += fmt::format(
      " Bahdanau, Cho and Bengio (2015, figure 2) saw it fall beyond 20 to 30 words, having "
      "trained "
      "on 348 million; the longest sentence here has {} words. --data FILE takes others.",
      longest);
  text.zh += fmt::format(
      " Bahdanau、Cho 和 Bengio（2015，图 2）用 3.48 亿词训练，在超过 20 到 30 "
      "个词的句子上看到它下降；这里最长的句子有 {} 个词。可以用 --data 文件 换成别的句子。",
      longest);
  return text;
}

}  // namespace attend::lessons
