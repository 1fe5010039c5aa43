#include "attend/data/doctor_catalogue.h"

#include <algorithm>

namespace attend::data {
namespace {

constexpr CatalogueEntry kCatalogue[] = {
    {"empty", Severity::kError, "the file has no bytes", "attend refuses it"},
    {"utf-16", Severity::kError, "the file is UTF-16 or UTF-32, not UTF-8",
     "attend refuses it; convert it with: iconv -f UTF-16 -t UTF-8"},
    {"nul", Severity::kError, "NUL bytes: a binary file, or one that a crash has damaged",
     "attend refuses it"},
    {"line-counts", Severity::kError,
     "the two files have different numbers of lines, so some lines belong to the wrong ones",
     "attend refuses them"},
    {"no-columns", Severity::kError, "no line has a tab between source and target",
     "attend refuses it; for one sentence a line name a source and a target file"},
    {"no-pairs", Severity::kError, "no line gives a pair", "attend refuses it"},
    {"one-column", Severity::kWarning, "lines without a tab have no target",
     "left out, and reported with their numbers"},
    {"blank-side", Severity::kWarning, "lines with nothing but blanks on one side",
     "left out, and reported with their numbers"},
    {"blank-line", Severity::kInfo, "blank lines", "left out, and reported with their numbers"},
    {"more-columns", Severity::kWarning,
     "lines with more than three columns: perhaps a tab inside a sentence",
     "the first two columns are used"},
    {"invalid-utf8", Severity::kWarning,
     "bytes that are no UTF-8: perhaps another encoding, such as Latin-1",
     "each becomes U+FFFD; better convert the file (iconv)"},
    {"replacement-character", Severity::kWarning,
     "U+FFFD stands where an earlier conversion lost a character", "kept as it is"},
    {"mojibake", Severity::kWarning,
     "UTF-8 that was read as Latin-1 or Windows-1252 and encoded again (\"Ã©\" for \"é\")",
     "kept as it is; convert the file again from its origin"},
    {"html-entity", Severity::kWarning,
     "HTML entities, such as &amp; or &#39;, left from a web page", "kept as they are"},
    {"byte-order-mark", Severity::kInfo, "a byte order mark starts the file", "dropped"},
    {"carriage-return", Severity::kInfo, "lines end in CR LF, as Windows writes them",
     "the CR is dropped"},
    {"inner-carriage-return", Severity::kWarning,
     "a CR inside a line: perhaps old line ends that make several lines one", "taken for a blank"},
    {"odd-blank", Severity::kInfo,
     "blanks other than U+0020: no-break (U+00A0, U+202F), ideographic (U+3000) and others",
     "become plain blanks"},
    {"zero-width", Severity::kWarning,
     "characters without width (U+200B, U+FEFF, U+00AD, ...) make words differ that look the same",
     "kept as they are: \"a<U+200B>b\" and \"ab\" are two words"},
    {"other-line-end", Severity::kWarning,
     "U+2028, U+2029, U+0085, VT or FF: some programs end a line there, and files get out of step",
     "no line end: only LF is"},
    {"control", Severity::kWarning, "control characters", "kept as they are"},
    {"not-nfc", Severity::kWarning,
     "letters with separate accents (not in Unicode's form NFC): the same word has two spellings",
     "kept as it is; normalise the file (uconv -x nfc)"},
    {"mixed-scripts", Severity::kWarning,
     "words that mix Latin, Greek and Cyrillic letters: look-alikes typed by mistake",
     "kept as they are: they are other words than they look"},
    {"reserved-name", Severity::kInfo,
     "words that are written as marks are: <unk> <pad> <bos> <eos>",
     "they are unknown words, never marks"},
    {"same-text", Severity::kInfo, "source and target are the same: names, or lines not translated",
     "used as they are"},
    {"duplicate", Severity::kInfo, "pairs that stand in the file before",
     "used as often as they stand"},
    {"several-targets", Severity::kInfo,
     "sources with several targets: no model can know which one is meant, so the loss has a floor "
     "above 0",
     "all are used; attend holds pairs out by source, so none leaks into validation"},
    {"long-line", Severity::kInfo, "sides of more than 100 words",
     "cut at data.steps tokens, and reported with their numbers"},
    {"length-ratio", Severity::kInfo,
     "pairs where one side is far longer than the other, by the measure of this file: wrong or "
     "loose translations",
     "used as they are"},
    {"lengths-disagree", Severity::kWarning,
     "long sources do not have long targets: the two sides look shifted or shuffled against each "
     "other",
     "used as they are; look at a few pairs"},
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
