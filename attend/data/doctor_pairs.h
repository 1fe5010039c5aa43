// The part of the doctor that looks at pairs: blank sides, repetitions, lengths. An implementation
// detail.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "attend/data/doctor_catalogue.h"

namespace attend::data {

/// Looks at pairs one by one, then at all of them together.
class PairExaminer {
 public:
  explicit PairExaminer(Tally& tally, int64_t min_frequency)
      : tally_(tally), min_frequency_(min_frequency) {}

  /// `line` is what examples show.
  void add(std::string_view source, std::string_view target, int64_t number, std::string_view line);
  /// Adds the numbers of pairs, and what only all of them tell.
  void finish(Findings& findings);

 private:
  struct Lengths {
    int64_t line;
    double source;  ///< logarithm of the number of code points
    double target;
    int64_t longer;  ///< code points
    double ratio() const { return target - source; }
  };
  struct Source {
    uint64_t first_target;
    bool several = false;
  };

  void remember(std::string_view from, std::string_view to, int64_t number, std::string_view line);
  void examine_ratios();
  void examine_correlation();
  void examine_words();

  /// Of one side: how often each word stands there.
  using Words = std::unordered_map<uint64_t, int64_t>;

  Tally& tally_;
  int64_t min_frequency_;
  Words source_words_, target_words_;
  std::vector<Lengths> lengths_;
  // Hashes of 64 bits in place of texts: less memory, and no two of a corpus are likely to meet.
  std::unordered_set<uint64_t> pairs_;
  std::unordered_set<uint64_t> targets_;
  std::unordered_map<uint64_t, Source> sources_;
};

}  // namespace attend::data
