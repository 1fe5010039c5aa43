#include "attend/data/doctor.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "attend/core/random.h"
#include "attend/core/utf8.h"
#include "attend/data/doctor_catalogue.h"
#include "attend/data/text_bytes.h"
#include "attend/text/clean.h"

namespace attend::data {
namespace {

constexpr int64_t kLongWords = 100;
constexpr int64_t kFewPairs = 50;          // below it, no statistics
constexpr double kFarRatio = 4.0;          // off the file's usual ratio of lengths
constexpr int64_t kShortText = 20;         // characters; short sides vary without a meaning
constexpr double kManyRatios = 0.02;       // of the pairs
constexpr double kLeastCorrelation = 0.3;  // of the lengths; translations have 0.8 and more

struct Lengths {
  int64_t line;
  int64_t source;  ///< code points
  int64_t target;
};

int64_t count_words(std::string_view text) {
  int64_t words = 0;
  bool inside = false;
  for (const char32_t c : core::decode_utf8(text)) {
    const bool blank = text::is_blank(c);
    words += !blank && !inside;
    inside = !blank;
  }
  return words;
}

int64_t count_characters(std::string_view text) {
  return static_cast<int64_t>(core::decode_utf8(text).size());
}

/// Looks at pairs one by one, then at all of them together.
class PairExaminer {
 public:
  explicit PairExaminer(Tally& tally) : tally_(tally) {}

  /// `line` is what examples show.
  void add(std::string_view source, std::string_view target, int64_t number,
           std::string_view line) {
    const bool source_blank = text::is_blank_line(source);
    const bool target_blank = text::is_blank_line(target);
    if (source_blank && target_blank) return tally_.add(Kind::kBlankLine, number, line);
    if (source_blank || target_blank) return tally_.add(Kind::kBlankSide, number, line);
    const std::string from = normal(source);
    const std::string to = normal(target);
    if (from == to) tally_.add(Kind::kSameText, number, line);
    if (count_words(from) > kLongWords || count_words(to) > kLongWords)
      tally_.add(Kind::kLong, number, line);
    lengths_.push_back({number, count_characters(from), count_characters(to)});
    remember(from, to, number, line);
  }

  void finish(Findings& findings) {
    findings.pairs = static_cast<int64_t>(lengths_.size());
    findings.distinct_sources = static_cast<int64_t>(sources_.size());
    findings.distinct_targets = static_cast<int64_t>(targets_.size());
    if (findings.pairs < kFewPairs) return;
    examine_ratios();
    examine_correlation();
  }

 private:
  struct Source {
    uint64_t first_target;
    bool several = false;
  };

  /// Blanks alike, so that a no-break space makes no new sentence; case is kept.
  static std::string normal(std::string_view text) {
    return text::clean_line(text, {.lowercase = false, .split_punctuation = false});
  }

  void remember(const std::string& from, const std::string& to, int64_t number,
                std::string_view line) {
    // Hashes of 64 bits in place of texts: less memory, and no two of a corpus are likely to meet.
    const uint64_t source = core::hash_name(from);
    const uint64_t target = core::hash_name(to);
    targets_.insert(target);
    if (!pairs_.insert(core::combine(source, target)).second)
      tally_.add(Kind::kDuplicate, number, line);
    const auto [where, added] = sources_.emplace(source, Source{target});
    if (added || where->second.several || where->second.first_target == target) return;
    where->second.several = true;
    tally_.add(Kind::kSeveralTargets, number, line);
  }

  void examine_ratios() {
    std::vector<double> ratios;
    for (const Lengths& l : lengths_) ratios.push_back(log_ratio(l));
    const auto middle = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2);
    std::nth_element(ratios.begin(), middle, ratios.end());
    const double usual = *middle;
    for (const Lengths& l : lengths_) {
      if (std::max(l.source, l.target) < kShortText) continue;
      if (std::abs(log_ratio(l) - usual) < std::log(kFarRatio)) continue;
      tally_.add(Kind::kLengthRatio, l.line,
                 std::to_string(l.source) + " and " + std::to_string(l.target) + " characters");
    }
    if (static_cast<double>(tally_.count(Kind::kLengthRatio)) >
        kManyRatios * static_cast<double>(lengths_.size()))
      tally_.raise(Kind::kLengthRatio, Severity::kWarning);
  }

  static double log_ratio(const Lengths& l) {
    return std::log(static_cast<double>(l.target)) - std::log(static_cast<double>(l.source));
  }

  /// Pearson's correlation of the logarithms of the lengths.
  void examine_correlation() {
    double n = 0, x = 0, y = 0, xx = 0, yy = 0, xy = 0;
    for (const Lengths& l : lengths_) {
      const double a = std::log(static_cast<double>(l.source));
      const double b = std::log(static_cast<double>(l.target));
      n += 1, x += a, y += b, xx += a * a, yy += b * b, xy += a * b;
    }
    const double vx = xx / n - x / n * x / n;
    const double vy = yy / n - y / n * y / n;
    constexpr double kAllAlike = 0.01;  // lengths within some 10 %: nothing to correlate
    if (vx < kAllAlike || vy < kAllAlike) return;
    const double r = (xy / n - x / n * y / n) / std::sqrt(vx * vy);
    if (r >= kLeastCorrelation) return;
    tally_.add(Kind::kLengthsDisagree, 0,
               "correlation of the lengths " + std::to_string(r).substr(0, r < 0 ? 5 : 4) +
                   "; translations have 0.8 and more");
  }

  Tally& tally_;
  std::vector<Lengths> lengths_;
  std::unordered_set<uint64_t> pairs_;
  std::unordered_set<uint64_t> targets_;
  std::unordered_map<uint64_t, Source> sources_;
};

/// True when the bytes are worth looking at as lines.
bool examine_bytes(std::string_view bytes, const std::string& path, Tally& tally) {
  using std::literals::string_view_literals::operator""sv;
  if (bytes.empty()) {
    tally.add(Kind::kEmpty, 0, path);
    return false;
  }
  if (bytes.starts_with("\xff\xfe"sv) || bytes.starts_with("\xfe\xff"sv) ||
      bytes.starts_with("\0\0\xfe\xff"sv)) {
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
