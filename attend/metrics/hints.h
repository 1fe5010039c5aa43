// What to tell the reader beside a score that is right as computed and yet easily misread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "attend/metrics/bleu.h"

namespace attend::metrics {

/// Whether the lines look tokenised: a hundred of them end in " ." (sacreBLEU's rule), or, among at
/// least ten, more than half do.
bool looks_tokenised(const std::vector<std::string>& lines);

/// Whether a line carries the marks of subword tokenizers: "@@" at the end of a word (subword-nmt)
/// or U+2581 (SentencePiece).
bool has_subword_marks(std::string_view line);

/// The line without such marks: "go@@ ing home" and "▁going ▁home" become "going home". Do this
/// before any metric: marks count as characters in chrF, and pieces as words in BLEU.
std::string join_subwords(std::string_view line);

/// The hints of a corpus score: tokenised text that a tokenizer splits again, subword pieces, and a
/// score that is 0 because every hypothesis is shorter than max_order.
std::vector<std::string> bleu_hints(const std::vector<std::string>& hypotheses,
                                    const BleuScore& score, const BleuOptions& options);

}  // namespace attend::metrics
