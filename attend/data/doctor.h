// The data doctor: what is odd in a corpus, by line, with counts, and what attend does with it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "attend/data/columns.h"
#include "attend/data/corpus.h"

namespace attend::data {

enum class Severity {
  kInfo,     ///< good to know; nothing to do
  kWarning,  ///< attend goes on, but the data should be mended
  kError,    ///< attend refuses the file
};

struct Example {
  int64_t line = 0;  ///< from 1; 0: the whole file
  std::string text;  ///< an excerpt in which odd characters are written <U+202F>, or a remark
};

struct Finding {
  std::string kind;  ///< a stable name: "zero-width"
  Severity severity = Severity::kInfo;
  std::string explanation;  ///< what it is and why it matters
  std::string effect;       ///< what attend does with it: "drops it"
  int64_t count = 0;        ///< lines (or sources, or files) concerned
  std::vector<Example> examples;
};

struct Findings {
  std::vector<std::string> files;
  int64_t lines = 0;  ///< of the file (the first of two)
  int64_t pairs = 0;  ///< usable ones
  int64_t distinct_sources = 0;
  int64_t distinct_targets = 0;
  std::vector<Finding> findings;  ///< errors, warnings, infos; in each the order of the catalogue

  const Finding* find(std::string_view kind) const;
  /// Any warning or error.
  bool need_care() const;
};

struct ExamineOptions {
  int64_t examples = 3;                           ///< at most so many of each kind
  std::optional<Columns> columns = std::nullopt;  ///< as in ReadOptions
  int64_t min_frequency = 2;                      ///< text.min_frequency, which words are judged by
};

/// Looks at a file of pairs in columns. What would make read_pairs() throw (empty, binary, no
/// columns) is a finding of severity error here. Throws DataError only where there is nothing to
/// look at: missing, unreadable, a damaged archive.
Findings examine_pairs(const std::string& path, const ExamineOptions& options = {});

/// Two files line by line; different numbers of lines are a finding too.
Findings examine_parallel(const std::string& source_path, const std::string& target_path,
                          const ExamineOptions& options = {});

/// The same from bytes (inflated); never throws DataError.
Findings examine_pairs_bytes(std::string_view bytes, const std::string& path,
                             const ExamineOptions& options = {});
Findings examine_parallel_bytes(std::string_view source, const std::string& source_path,
                                std::string_view target, const std::string& target_path,
                                const ExamineOptions& options = {});

/// What of the pairs' characters needs care, in words, with where it is first: "mojibake 12 (first
/// on line 7), ..."; "" for nothing. What read_pairs() reports by itself is left to it.
std::string care_text(const Corpus& corpus);

/// Plain text without colour, ends with a line feed.
std::string to_text(const Findings& findings);
/// {"version": 1, "files": [...], "lines": ..., "needs_care": true, "findings": [{"kind",
/// "severity", ...}]}.
std::string to_json(const Findings& findings);

const char* name_of(Severity severity);  ///< "info", "warning", "error"

/// Text with every character that does not show itself written <U+XXXX>, at most `limit` code
/// points and then "...".
std::string visible(std::string_view text, int64_t limit = 60);
/// The same for a stretch of `limit` code points around number `focus`, which is written <U+XXXX>
/// whatever it is.
std::string visible_around(std::string_view text, int64_t focus, int64_t limit = 60);

}  // namespace attend::data
