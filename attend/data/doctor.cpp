#include "attend/data/doctor.h"

#include <algorithm>

#include "attend/data/doctor_catalogue.h"
#include "attend/data/doctor_pairs.h"
#include "attend/data/text_bytes.h"
#include "attend/text/clean.h"

namespace attend::data {
namespace {

/// True when the bytes are worth looking at as lines.
bool examine_bytes(std::string_view bytes, const std::string& path, Tally& tally) {
  if (bytes.empty()) {
    tally.add(Kind::kEmpty, 0, path);
    return false;
  }
  if (looks_like_utf16(bytes)) {
    tally.add(Kind::kUtf16, 0, path);
    return false;
  }
  const auto nuls = std::count(bytes.begin(), bytes.end(), '\0');
  if (nuls > 0) {
    const std::string_view before = bytes.substr(0, bytes.find('\0'));
    const int64_t line = std::count(before.begin(), before.end(), '\n') + 1;
    tally.add(Kind::kNul, line, path + ": " + std::to_string(nuls) + " NUL bytes", nuls);
    return false;
  }
  if (bytes.starts_with("\xef\xbb\xbf")) tally.add(Kind::kByteOrderMark, 1, path);
  int64_t returns = 0;
  int64_t first = 0;
  int64_t line = 0;
  for (size_t at = bytes.find('\n'); at != std::string_view::npos; at = bytes.find('\n', at + 1)) {
    ++line;
    if (at == 0 || bytes[at - 1] != '\r') continue;
    if (returns++ == 0) first = line;
  }
  if (returns > 0)
    tally.add(Kind::kCarriageReturn, first, std::to_string(returns) + " lines", returns);
  return true;
}

void examine_columns(std::string_view bytes, Tally& tally, Findings& findings) {
  PairExaminer pairs(tally);
  LineWalker walker(bytes);
  for (std::string_view line; walker.next(line);) {
    const int64_t number = walker.number();
    examine_characters(line, number, tally);
    const size_t first = line.find('\t');
    if (first == std::string_view::npos) {
      tally.add(text::is_blank_line(line) ? Kind::kBlankLine : Kind::kOneColumn, number, line);
      continue;
    }
    if (std::count(line.begin(), line.end(), '\t') > 2) tally.add(Kind::kMoreColumns, number, line);
    const size_t second = std::min(line.find('\t', first + 1), line.size());
    pairs.add(line.substr(0, first), line.substr(first + 1, second - first - 1), number,
              line.substr(0, second));
  }
  findings.lines = walker.number();
  pairs.finish(findings);
  if (findings.pairs > 0) return;
  const bool columns = tally.count(Kind::kBlankSide) > 0 || tally.count(Kind::kOneColumn) == 0;
  tally.add(columns ? Kind::kNoPairs : Kind::kNoColumns, 0, "");
}

void examine_two(std::string_view source, std::string_view target, Tally& tally,
                 Findings& findings) {
  findings.lines = count_lines(source);
  const int64_t others = count_lines(target);
  if (others != findings.lines)
    tally.add(Kind::kLineCounts, 0,
              std::to_string(findings.lines) + " lines and " + std::to_string(others) + " lines");
  PairExaminer pairs(tally);
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
    if (has_left && has_right)
      pairs.add(left, right, number, std::string(left) + " | " + std::string(right));
  }
  pairs.finish(findings);
  if (findings.pairs == 0) tally.add(Kind::kNoPairs, 0, "");
}

}  // namespace

Findings examine_pairs_bytes(std::string_view bytes, const std::string& path,
                             const ExamineOptions& options) {
  Findings findings;
  findings.files = {path};
  Tally tally(options);
  if (examine_bytes(bytes, path, tally)) examine_columns(bytes, tally, findings);
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
  if (source_usable && target_usable) examine_two(source, target, tally, findings);
  findings.findings = tally.finish();
  return findings;
}

Findings examine_pairs(const std::string& path, const ExamineOptions& options) {
  return examine_pairs_bytes(read_text_bytes(path), path, options);
}

Findings examine_parallel(const std::string& source_path, const std::string& target_path,
                          const ExamineOptions& options) {
  return examine_parallel_bytes(read_text_bytes(source_path), source_path,
                                read_text_bytes(target_path), target_path, options);
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
