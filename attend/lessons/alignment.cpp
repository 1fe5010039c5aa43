#include "attend/lessons/alignment.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <sstream>

#include "attend/core/errors.h"
#include "attend/core/utf8.h"
#include "attend/lessons/assets.h"
#include "attend/lessons/map_traits.h"

namespace attend::lessons {
namespace {

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

// "2-1"; false for anything else.
bool read_link(const std::string& text, AlignedPair::Link& link) {
  const char* end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, link.source);
  if (first.ec != std::errc() || first.ptr == end || *first.ptr != '-') return false;
  const auto second = std::from_chars(first.ptr + 1, end, link.target);
  return second.ec == std::errc() && second.ptr == end;
}

}  // namespace

std::string AlignedPair::source_text() const { return fmt::format("{}", fmt::join(source, " ")); }
std::string AlignedPair::target_text() const { return fmt::format("{}", fmt::join(target, " ")); }

bool AlignedPair::crosses() const {
  for (size_t i = 1; i < links.size(); ++i)
    if (links[i].source < links[i - 1].source) return true;
  return false;
}

std::vector<AlignedPair> parse_aligned(const std::string& text, const std::string& path) {
  std::vector<AlignedPair> pairs;
  int64_t number = 0;
  for (const std::string& line : core::split_lines(text)) {
    ++number;
    if (line.empty()) continue;
    const auto fail = [&](const std::string& what) { throw DataError(path, number, 0, what); };
    std::vector<std::string> columns;
    std::istringstream stream(line);
    for (std::string column; std::getline(stream, column, '\t');) columns.push_back(column);
    if (columns.size() != 3) fail("expected source, target and links, with tabs between");
    AlignedPair pair{words_of(columns[0]), words_of(columns[1]), {}};
    for (const std::string& written : words_of(columns[2])) {
      AlignedPair::Link link{};
      if (!read_link(written, link) || link.source >= pair.source.size() ||
          link.target >= pair.target.size())
        fail("expected places of a source and a target word, such as 0-1, found " + written);
      pair.links.push_back(link);
    }
    std::stable_sort(pair.links.begin(), pair.links.end(),
                     [](const auto& a, const auto& b) { return a.target < b.target; });
    pairs.push_back(std::move(pair));
  }
  return pairs;
}

const std::vector<AlignedPair>& aligned_pairs() {
  static const std::vector<AlignedPair> all =
      parse_aligned(std::string(asset("eng-fra-aligned")), "eng-fra-aligned.tsv");
  return all;
}

render::AttentionMap stored_maps(const std::string& name) {
  return render::from_json(std::string(asset(name)), name + ".json");
}

void AlignmentScore::add(const render::MapPanel& panel, const AlignedPair& pair,
                         const std::vector<std::string>& unknown) {
  const std::vector<size_t> strongest = strongest_keys(panel);
  const auto is = [&](const std::vector<std::string>& labels, size_t place,
                      const std::string& word) {
    return place < labels.size() && labels[place] == word &&
           std::find(unknown.begin(), unknown.end(), word) == unknown.end();
  };
  for (const auto& [source, target] : pair.links) {
    if (!is(panel.columns, source, pair.source[source]) ||
        !is(panel.rows, target, pair.target[target]))
      continue;
    ++words_;
    right_ += strongest[target] == source ? 1 : 0;
    shift_ += static_cast<double>(strongest[target]) - static_cast<double>(source);
    weight_ += static_cast<double>(panel.weights[target * panel.columns.size() + source]);
  }
  if (!pair.crosses()) return;
  ++crossing_;
  stepped_back_ += steps_back(panel).empty() ? 0 : 1;
}

Bilingual alignment_finding(const AlignmentScore& here, const AlignmentScore& one_way,
                            const AlignmentScore& both_ways) {
  const auto late = [](const AlignmentScore& score) {
    return fmt::format("{:+.2f}", score.shift());
  };
  Bilingual text;
  if (here.words() == 0) {
    text = {"This run's model knows none of these words.", "这次的模型不认识这些词。"};
  } else {
    const bool is_late = here.shift() > 0.25, is_early = here.shift() < -0.25;
    text = {
        fmt::format(
            "This run's strongest weight is on average {} words from the word that is meant: {}. "
            "Of {} sentences in which words change places its map steps back in {}.",
            late(here),
            is_late    ? "it looks late"
            : is_early ? "it looks early"
                       : "neither late nor early to speak of",
            here.crossing(), here.stepped_back()),
        fmt::format("这次的最大权重与对应的词平均相差 {} 个词：{}。{} 个语序不同的句子里，图在 {} "
                    "个里往回走。",
                    late(here),
                    is_late    ? "看得偏晚"
                    : is_early ? "看得偏早"
                               : "说不上早晚",
                    here.crossing(), here.stepped_back())};
  }
  const double gain = one_way.shift() - both_ways.shift();
  const Bilingual reason =
      gain <= 0.05
          ? Bilingual{"the direction of reading is not why maps run late",
                      "阅读方向不是图偏晚的原因"}
          : Bilingual{fmt::format("that the state at a word has read those before it accounts for "
                                  "{:.2f} of that, where there are pairs enough to learn from",
                                  gain),
                      fmt::format("在句对足够多时，其中 {:.2f} 是因为某个词处的状态读过它前面的词",
                                  gain)};
  text.en += fmt::format(
      " Of the two trained on 20,000 pairs the one that reads one way is at {}, the other, which "
      "reads both ways, at {}: {}. A weight is no proof: a word can be had from any state that has "
      "read it.",
      late(one_way), late(both_ways), reason.en);
  text.zh += fmt::format(
      "用 20,000 对训练的两个里，单向编码器是 {}，双向是 "
      "{}：{}。权重不是证明：凡是读过某个词的状态，"
      "都可以从中得到它。",
      late(one_way), late(both_ways), reason.zh);
  return text;
}

}  // namespace attend::lessons
