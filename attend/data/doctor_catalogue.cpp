#include "attend/data/doctor_catalogue.h"

#include <algorithm>

namespace attend::data {
namespace {

constexpr int64_t kLongestRemark = 1000;

// An effect goes on from "attend".
constexpr CatalogueEntry kCatalogue[] = {
    {"empty", Severity::kError, "the file has no bytes", "refuses it"},
    {"utf-16", Severity::kError, "the file is UTF-16 or UTF-32, not UTF-8",
     "refuses it; convert it with: iconv -f UTF-16 -t UTF-8"},
    {"nul", Severity::kError, "NUL bytes: a binary file, or one that a crash has damaged",
     "refuses it"},
    {"line-counts", Severity::kError,
     "the two files have different numbers of lines, so some lines belong to the wrong ones",
     "refuses them"},
    {"no-columns", Severity::kError, "no line has a tab between source and target",
     "refuses it; for one sentence a line name a source and a target file"},
    {"no-pairs", Severity::kError, "no line gives a pair", "refuses it"},
    {"number-column", Severity::kWarning,
     "a column where sentences are expected is a number on every line: ids, perhaps",
     "refuses them where there are further columns, and else takes them for sentences; --columns "
     "names the columns of source and target"},
    {"one-column", Severity::kWarning,
     "lines without a tab, or with too few columns, have no target",
     "leaves them out, and reports their numbers"},
    {"blank-side", Severity::kWarning, "lines with nothing but blanks on one side",
     "leaves them out, and reports their numbers"},
    {"blank-line", Severity::kInfo, "blank lines", "leaves them out, and reports their numbers"},
    {"more-columns", Severity::kWarning,
     "lines with more than three columns: perhaps a tab inside a sentence",
     "takes the first two; --columns names others"},
    {"header", Severity::kInfo, "the first line names the columns: it is no pair", "leaves it out"},
    {"spreadsheet-quotes", Severity::kWarning,
     "cells in quotes, as spreadsheets write those with a line feed or a quote inside",
     "takes the quotes for text, and each line feed for the end of a line, so that such a cell is "
     "torn "
     "apart; write the file again without line feeds in cells and without quoting"},
    {"invalid-utf8", Severity::kWarning,
     "bytes that are no UTF-8: perhaps another encoding, such as Latin-1",
     "makes each U+FFFD; better convert the file (iconv)"},
    {"replacement-character", Severity::kWarning,
     "U+FFFD stands where an earlier conversion lost a character", "keeps it as it is"},
    {"mojibake", Severity::kWarning,
     "UTF-8 that was read as Latin-1 or Windows-1252 and encoded again (\"Ã©\" for \"é\")",
     "keeps it as it is; convert the file again from its origin"},
    {"html-entity", Severity::kWarning,
     "HTML entities, such as &amp; or &#39;, left from a web page", "keeps them as they are"},
    {"moses-escape", Severity::kWarning,
     "text as Moses' tokeniser writes it: &apos; for ', &quot; for \", &#124; for |, @-@ for a "
     "hyphen",
     "keeps them as they are, in its translations too; better train on text that is not tokenised, "
     "or "
     "undo them with Moses' detokenizer.perl"},
    {"cut-words", Severity::kWarning,
     "words cut in pieces: \"lo@@ wer\" by subword-nmt, \"\u2581lo wer\" by SentencePiece",
     "takes each piece for a word and writes such pieces; better train on whole words (undo @@ "
     "with: sed "
     "-E 's/@@( |$)//g') and let text.source_tokeniser = \"sentencepiece\" cut them"},
    {"byte-order-mark", Severity::kInfo, "a byte order mark starts the file", "drops it"},
    {"inner-byte-order-mark", Severity::kInfo,
     "a byte order mark (U+FEFF) starts a sentence: files that each begin with one were joined",
     "drops it"},
    {"carriage-return", Severity::kInfo, "lines end in CR LF, as Windows writes them",
     "drops the CR"},
    {"carriage-return-only", Severity::kInfo,
     "lines end in CR, as old Macintosh programs and some spreadsheets write them",
     "ends a line at each CR, since there is no line feed in the file"},
    {"inner-carriage-return", Severity::kWarning,
     "a CR inside a line: perhaps old line ends that make several lines one",
     "takes it for a blank"},
    {"odd-blank", Severity::kInfo,
     "blanks other than U+0020: no-break (U+00A0, U+202F), ideographic (U+3000) and others",
     "makes them plain blanks"},
    {"zero-width", Severity::kWarning,
     "characters without width (U+200B, U+FEFF, U+00AD, ...) make words differ that look the same",
     "keeps them as they are: \"a<U+200B>b\" and \"ab\" are two words"},
    {"other-line-end", Severity::kWarning,
     "U+2028, U+2029, U+0085, VT or FF: some programs end a line there, and files get out of step",
     "ends no line there, only at a line feed, and keeps them in their words"},
    {"control", Severity::kWarning, "control characters", "keeps them as they are"},
    {"not-nfc", Severity::kWarning,
     "letters with separate accents (not in Unicode's form NFC): the same word has two spellings",
     "keeps it as it is; normalise the file (uconv -x nfc)"},
    {"mixed-scripts", Severity::kWarning,
     "words that mix Latin, Greek and Cyrillic letters: look-alikes typed by mistake",
     "keeps them as they are: they are other words than they look"},
    {"reserved-name", Severity::kInfo,
     "words that are written as marks are: <unk> <pad> <bos> <eos>",
     "takes them for words like others, never for marks"},
    {"same-text", Severity::kInfo, "source and target are the same: names, or lines not translated",
     "uses them as they are"},
    {"duplicate", Severity::kInfo, "pairs that stand in the file before",
     "uses them as often as they stand"},
    {"several-targets", Severity::kInfo,
     "sources with several targets: no model can know which one is meant, so the loss has a floor "
     "above 0",
     "uses them all, and holds pairs out by source, so that none leaks into validation"},
    {"long-line", Severity::kInfo, "sides of more than 100 words",
     "cuts them at data.steps tokens, and reports their numbers; a cut target has no end mark, so "
     "that "
     "from such targets only no model learns to end"},
    {"length-ratio", Severity::kInfo,
     "pairs where one side is far longer than the other, by the measure of this file: wrong or "
     "loose translations",
     "uses them as they are"},
    {"lengths-disagree", Severity::kWarning,
     "long sources do not have long targets: the two sides look shifted or shuffled against each "
     "other",
     "uses them as they are; look at a few pairs"},
    {"rare-words", Severity::kInfo,
     "most of the text is words that are hardly ever seen, so that little can be learned of them",
     "takes words seen fewer than text.min_frequency times for the unknown word; lower it, take "
     "more "
     "pairs, or let text.source_tokeniser (and target_tokeniser) cut words in pieces or "
     "characters"},
};
static_assert(std::size(kCatalogue) == static_cast<size_t>(Kind::kCount));

}  // namespace

const CatalogueEntry& catalogue(Kind kind) { return kCatalogue[static_cast<size_t>(kind)]; }

void Tally::add(Kind kind, int64_t line, std::string_view text, int64_t count) {
  Slot& slot = slots_[static_cast<size_t>(kind)];
  slot.count += count;
  if (static_cast<int64_t>(slot.examples.size()) < options_.examples)
    slot.examples.push_back({line, visible(text)});
}

void Tally::add_remark(Kind kind, int64_t line, std::string_view remark, int64_t count) {
  Slot& slot = slots_[static_cast<size_t>(kind)];
  slot.count += count;
  if (static_cast<int64_t>(slot.examples.size()) < options_.examples)
    slot.examples.push_back({line, visible(remark, kLongestRemark)});
}

void Tally::add_at(Kind kind, int64_t line, std::string_view text, int64_t focus) {
  Slot& slot = slots_[static_cast<size_t>(kind)];
  ++slot.count;
  if (static_cast<int64_t>(slot.examples.size()) < options_.examples)
    slot.examples.push_back({line, visible_around(text, focus)});
}

std::vector<Finding> Tally::finish() const {
  std::vector<Finding> findings;
  for (size_t i = 0; i < slots_.size(); ++i) {
    const Slot& slot = slots_[i];
    if (slot.count == 0) continue;
    const CatalogueEntry& entry = kCatalogue[i];
    findings.push_back({entry.name, std::max(entry.severity, slot.raised), entry.explanation,
                        entry.effect, slot.count, slot.examples});
  }
  std::stable_sort(findings.begin(), findings.end(),
                   [](const Finding& a, const Finding& b) { return a.severity > b.severity; });
  return findings;
}

}  // namespace attend::data
