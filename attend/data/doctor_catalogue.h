// Every kind of finding, in the order of the report. An implementation detail of the doctor.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "attend/data/doctor.h"

namespace attend::data {

enum class Kind : uint8_t {
  kEmpty,
  kUtf16,
  kNul,
  kLineCounts,
  kNoColumns,
  kNoPairs,
  kNumbers,
  kOneColumn,
  kBlankSide,
  kBlankLine,
  kMoreColumns,
  kHeader,
  kQuoted,
  kInvalidUtf8,
  kReplacement,
  kMojibake,
  kEntity,
  kMosesEscape,
  kSubwordMark,
  kByteOrderMark,
  kInnerByteOrderMark,
  kCarriageReturn,
  kReturnsOnly,
  kInnerCarriageReturn,
  kOddBlank,
  kZeroWidth,
  kOtherLineEnd,
  kControl,
  kNotNfc,
  kMixedScripts,
  kReservedName,
  kSameText,
  kDuplicate,
  kSeveralTargets,
  kLong,
  kLengthRatio,
  kLengthsDisagree,
  kRareWords,
  kCount,
};

struct CatalogueEntry {
  const char* name;
  Severity severity;
  const char* explanation;
  const char* effect;
};

const CatalogueEntry& catalogue(Kind kind);

/// Counts findings and keeps the first examples of each.
class Tally {
 public:
  explicit Tally(const ExamineOptions& options) : options_(options) {}
  void add(Kind kind, int64_t line, std::string_view text, int64_t count = 1);
  /// The same with words of our own, or a path, in place of an excerpt: they are not cut.
  void add_remark(Kind kind, int64_t line, std::string_view remark, int64_t count = 1);
  /// One more, and an excerpt around code point `focus` of the text, which is written <U+XXXX>.
  void add_at(Kind kind, int64_t line, std::string_view text, int64_t focus);
  int64_t count(Kind kind) const { return slots_[static_cast<size_t>(kind)].count; }
  void raise(Kind kind, Severity severity) { slots_[static_cast<size_t>(kind)].raised = severity; }
  std::vector<Finding> finish() const;

 private:
  struct Slot {
    int64_t count = 0;
    Severity raised = Severity::kInfo;
    std::vector<Example> examples;
  };
  ExamineOptions options_;
  std::array<Slot, static_cast<size_t>(Kind::kCount)> slots_;
};

/// What can be told from one line's characters: encoding, invisible and damaged text. `line` has no
/// LF; tabs separate sentences.
void examine_characters(std::string_view line, int64_t number, Tally& tally);

/// What other programs have written into the words of a line: entities of a web page, escapes of
/// Moses' tokeniser, marks of cut words.
void examine_marks(std::string_view line, int64_t number, Tally& tally);

}  // namespace attend::data
