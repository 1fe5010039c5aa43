#include "attend/data/doctor.h"

#include <algorithm>

#include "attend/core/counted.h"
#include "attend/core/errors.h"
#include "attend/core/file_format.h"
#include "attend/data/doctor_catalogue.h"
#include "attend/data/doctor_pairs.h"
#include "attend/data/quoting.h"
#include "attend/data/text_bytes.h"
#include "attend/text/clean.h"

namespace attend::data {
namespace {

void examine_line_ends(std::string_view bytes, Tally& tally) {
  if (ends_lines_by_cr(bytes)) {
    tally.add(Kind::kReturnsOnly, 0, "", count_lines(bytes));
    return;
  }
  int64_t returns = 0;
  int64_t first = 0;
  int64_t line = 0;
  for (size_t at = bytes.find('\n'); at != std::string_view::npos; at = bytes.find('\n', at + 1)) {
    ++line;
    if (at == 0 || bytes[at - 1] != '\r') continue;
    if (returns++ == 0) first = line;
  }
  if (returns > 0) tally.add(Kind::kCarriageReturn, first, core::counted(returns, "line"), returns);
}

/// True when the bytes are worth looking at as lines.
bool examine_bytes(std::string_view bytes, const std::string& path, Tally& tally) {
  if (bytes.empty()) {
    tally.add_remark(Kind::kEmpty, 0, path);
    return false;
  }
  if (looks_like_utf16(bytes)) {
    tally.add_remark(Kind::kUtf16, 0, path);
    return false;
  }
  const auto nuls = std::count(bytes.begin(), bytes.end(), '\0');
  if (nuls > 0) {
    const std::string_view before = bytes.substr(0, bytes.find('\0'));
    const int64_t line = std::count(before.begin(), before.end(), '\n') + 1;
    const std::string format = core::format_text(bytes);
    tally.add_remark(
        Kind::kNul, line,
        path + ": " + core::counted(nuls, "NUL byte") + (format.empty() ? "" : "; ") + format,
        nuls);
    return false;
  }
  if (bytes.starts_with("\xef\xbb\xbf")) tally.add_remark(Kind::kByteOrderMark, 1, path);
  examine_line_ends(bytes, tally);
  return true;
}

/// What the columns of a file's lines hold.
class ColumnExaminer {
 public:
  ColumnExaminer(std::string_view bytes, Tally& tally, const ExamineOptions& options)
      : bytes_(bytes),
        tally_(tally),
        columns_(options.columns.value_or(Columns{})),
        chosen_(options.columns.has_value()),
        pairs_(tally, options.min_frequency) {}

  void examine(Findings& findings) {
    LineWalker walker(bytes_);
    for (std::string_view line; walker.next(line);) add(line, walker.number());
    findings.lines = walker.number();
    if (pending_.number > 0) add_first();
    if (are_refused_numbers()) return;  // whatever else they are like
    pairs_.finish(findings);
    if (findings.pairs > 0) return;
    const bool columns = tally_.count(Kind::kBlankSide) > 0 || tally_.count(Kind::kOneColumn) == 0;
    tally_.add(columns ? Kind::kNoPairs : Kind::kNoColumns, 0, "");
  }

 private:
  struct First {
    int64_t number = 0;  // 0: not seen, or done with
    std::string_view line;
    Cells cells;
  };

  void add(std::string_view line, int64_t number) {
    examine_characters(line, number, tally_);
    const int64_t begun = quotes_.add(line, number);
    if (begun == number) tally_.add(Kind::kQuoted, number, line);
    if (begun > 0 && begun < number)
      tally_.add_remark(Kind::kQuoted, begun,
                        "a cell that begins here and ends on line " + std::to_string(number));
    const auto cells = cut_columns(line, columns_);
    if (!cells || text::is_blank_line(line)) {
      tally_.add(text::is_blank_line(line) ? Kind::kBlankLine : Kind::kOneColumn, number, line);
      return;
    }
    if (!chosen_ && cells->columns > 3) tally_.add(Kind::kMoreColumns, number, line);
    // Only the second line tells whether the first one is a header.
    if (header_.wants_more()) header_.add(cells->source, cells->target);
    if (!seen_first_) {
      seen_first_ = true;
      pending_ = {number, line, *cells};
      return;
    }
    if (pending_.number > 0) add_first();
    add_pair(*cells, number, line);
  }

  void add_first() {
    if (header_.found()) {
      tally_.add(Kind::kHeader, pending_.number, pending_.line);
    } else {
      add_pair(pending_.cells, pending_.number, pending_.line);
    }
    pending_.number = 0;
  }

  void add_pair(const Cells& cells, int64_t number, std::string_view line) {
    if (!text::is_blank_line(cells.source) && !text::is_blank_line(cells.target))
      numbers_.add(cells.source, cells.target, cells.columns, number);
    const bool shows_all = chosen_ || cells.columns < 3;
    pairs_.add(cells.source, cells.target, number,
               shows_all ? line : line.substr(0, line.find('\t', line.find('\t') + 1)));
  }

  /// What would be refused as ids is an error; a number on each line may be what is meant.
  bool are_refused_numbers() {
    const std::string says = numbers_.text();
    if (says.empty()) return false;
    const bool refused = !chosen_ && numbers_.are_ids();
    const std::string suggestion = refused ? suggest_columns(bytes_) : "";
    tally_.add_remark(
        Kind::kNumbers, 0,
        suggestion.empty() ? says : says + "; sentences stand in --columns " + suggestion);
    if (refused) tally_.raise(Kind::kNumbers, Severity::kError);
    return refused;
  }

  std::string_view bytes_;
  Tally& tally_;
  Columns columns_;
  bool chosen_;
  PairExaminer pairs_;
  QuoteWatch quotes_;
  NumberWatch numbers_;
  HeaderWatch header_;
  bool seen_first_ = false;
  First pending_;
};

void examine_two(std::string_view source, std::string_view target, Tally& tally,
                 const ExamineOptions& options, Findings& findings) {
  findings.lines = count_lines(source);
  const int64_t others = count_lines(target);
  if (others != findings.lines)
    tally.add(Kind::kLineCounts, 0,
              core::counted(findings.lines, "line") + " and " + core::counted(others, "line"));
  PairExaminer pairs(tally, options.min_frequency);
  NumberWatch numbers;
  const bool header = has_header(source, target);
  LineWalker sources(source);
  LineWalker targets(target);
  std::string_view left, right;
  while (true) {
    // The longer file is looked at to its end; what is over has no partner.
    const bool has_left = sources.next(left);
    const bool has_right = targets.next(right);
    if (!has_left && !has_right) break;
    const int64_t number = has_left ? sources.number() : targets.number();
    if (has_left) examine_characters(left, number, tally);
    if (has_right) examine_characters(right, number, tally);
    if (!has_left || !has_right) continue;
    const std::string line = std::string(left) + " | " + std::string(right);
    if (header && number == 1) {
      tally.add(Kind::kHeader, number, line);
      continue;
    }
    pairs.add(left, right, number, line);
    if (!text::is_blank_line(left) && !text::is_blank_line(right))
      numbers.add(left, right, 2, number);
    if (holds_doubled_quotes(left) || holds_doubled_quotes(right))
      tally.add(Kind::kQuoted, number, line);
  }
  pairs.finish(findings);
  if (const std::string says = numbers.text(); !says.empty())
    tally.add_remark(Kind::kNumbers, 0, says);
  if (findings.pairs == 0) tally.add(Kind::kNoPairs, 0, "");
}

}  // namespace

Findings examine_pairs_bytes(std::string_view bytes, const std::string& path,
                             const ExamineOptions& options) {
  Findings findings;
  findings.files = {path};
  Tally tally(options);
  if (examine_bytes(bytes, path, tally)) ColumnExaminer(bytes, tally, options).examine(findings);
  findings.findings = tally.finish();
  return findings;
}

Findings examine_parallel_bytes(std::string_view source, const std::string& source_path,
                                std::string_view target, const std::string& target_path,
                                const ExamineOptions& options) {
  Findings findings;
  findings.files = {source_path, target_path};
  Tally tally(options);
  const bool source_usable = examine_bytes(source, source_path, tally);
  const bool target_usable = examine_bytes(target, target_path, tally);
  if (source_usable && target_usable) examine_two(source, target, tally, options, findings);
  findings.findings = tally.finish();
  return findings;
}

Findings examine_pairs(const std::string& path, const ExamineOptions& options) {
  return examine_pairs_bytes(read_text_bytes(path), shown_path(path), options);
}

Findings examine_parallel(const std::string& source_path, const std::string& target_path,
                          const ExamineOptions& options) {
  if (source_path == kStandardInput && target_path == kStandardInput)
    throw InvalidArgument("[doctor] standard input (-) can be read only once, found it twice");
  const std::string source = read_text_bytes(source_path);
  return examine_parallel_bytes(source, shown_path(source_path), read_text_bytes(target_path),
                                shown_path(target_path), options);
}

std::string care_text(const Corpus& corpus) {
  Tally tally(ExamineOptions{.examples = 1});
  for (const Pair& pair : corpus.pairs)
    examine_characters(pair.source + "\t" + pair.target, pair.line, tally);
  std::string text;
  for (const Finding& finding : tally.finish()) {
    const bool is_reported =
        finding.kind == catalogue(Kind::kInnerCarriageReturn).name ||
        (finding.kind == catalogue(Kind::kReplacement).name && corpus.report.mended.count > 0);
    if (finding.severity == Severity::kInfo || is_reported) continue;
    text += (text.empty() ? "" : ", ") + finding.kind + " " + std::to_string(finding.count) +
            " (first on line " + std::to_string(finding.examples.front().line) + ")";
  }
  return text;
}

const Finding* Findings::find(std::string_view kind) const {
  for (const Finding& finding : findings)
    if (finding.kind == kind) return &finding;
  return nullptr;
}

bool Findings::need_care() const {
  return std::any_of(findings.begin(), findings.end(),
                     [](const Finding& f) { return f.severity != Severity::kInfo; });
}

}  // namespace attend::data
