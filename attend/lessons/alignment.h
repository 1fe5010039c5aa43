// Words aligned by hand, and how far from them a translator looks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "attend/lessons/bilingual.h"
#include "attend/render/attention_map.h"

namespace attend::lessons {

/// A pair of sentences in tokens, and which word means which. Words that no single word of the
/// other side means are left out, and so are punctuation and marks.
struct AlignedPair {
  struct Link {
    size_t source, target;  ///< places from 0
  };
  std::vector<std::string> source, target;
  std::vector<Link> links;  ///< in the target's order

  std::string source_text() const;
  std::string target_text() const;
  /// Whether a word stands left of one that is written before it.
  bool crosses() const;
};

/// A line each: source, target and "0-0 2-1", a source word's place and a target word's, with tabs
/// between. Throws DataError (path, line) for other text and for places that are not there.
std::vector<AlignedPair> parse_aligned(const std::string& text, const std::string& path);

/// Those of data/alignments, compiled in.
const std::vector<AlignedPair>& aligned_pairs();

/// The maps of a translator that was made to write them, one panel a pair; data/alignments says how
/// it was trained. `name`: "aligned-one-way" or "aligned-both-ways".
render::AttentionMap stored_maps(const std::string& name);

/// Over all words of the maps that were added.
class AlignmentScore {
 public:
  /// Words whose labels the panel does not have (another tokeniser) are not counted, nor those that
  /// the model does not know.
  void add(const render::MapPanel& panel, const AlignedPair& pair,
           const std::vector<std::string>& unknown = {});

  int64_t words() const { return words_; }
  /// Words for which the strongest weight is on the word that is meant.
  int64_t right() const { return right_; }
  /// How many words to the right of it the strongest weight is, the mean: above 0 is late. 0
  /// without words.
  double shift() const { return mean(shift_); }
  /// Weight on the word that is meant, the mean.
  double weight() const { return mean(weight_); }
  /// Pairs that cross, and those among them whose strongest weights step back somewhere.
  int64_t crossing() const { return crossing_; }
  int64_t stepped_back() const { return stepped_back_; }

 private:
  double mean(double sum) const { return words_ > 0 ? sum / static_cast<double>(words_) : 0.0; }
  int64_t words_ = 0, right_ = 0, crossing_ = 0, stepped_back_ = 0;
  double shift_ = 0, weight_ = 0;
};

/// Lesson 9: how late this run's maps are, beside those of the stored ones.
Bilingual alignment_finding(const AlignmentScore& here, const AlignmentScore& one_way,
                            const AlignmentScore& both_ways);

}  // namespace attend::lessons
