#include "attend/data/corpus.h"

#include <algorithm>
#include <optional>

#include "attend/core/counted.h"
#include "attend/core/errors.h"
#include "attend/core/random.h"
#include "attend/core/utf8.h"
#include "attend/data/quoting.h"
#include "attend/data/text_bytes.h"
#include "attend/text/clean.h"

namespace attend::data {
namespace {

/// A sentence without what would end its cell or its line.
std::string one_cell(std::string cell) {
  std::replace_if(
      cell.begin(), cell.end(), [](char c) { return c == '\t' || c == '\r' || c == '\n'; }, ' ');
  return cell;
}

/// Before the last character: at the end a CR may be a line end, as U+000D U+000A within another.
bool has_inner_cr(std::string_view cell) {
  const size_t at = cell.find('\r');
  return at != std::string_view::npos && cell.find_first_not_of('\r', at) != std::string_view::npos;
}

/// Takes what is usable, and counts.
class Collector {
 public:
  explicit Collector(const ReadOptions& options) : options_(options) {
    if (options.limit < 0 || options.sample < 0)
      throw InvalidArgument("[corpus] expected limit and sample of 0 or more, found " +
                            std::to_string(options.limit) + " and " +
                            std::to_string(options.sample));
  }

  Report& report() { return corpus_.report; }

  /// False when a side is blank.
  bool take(std::string_view source, std::string_view target, int64_t line) {
    if (text::is_blank_line(source) || text::is_blank_line(target)) {
      report().blank_side.add(line);
      return false;
    }
    ++usable_;
    if (options_.limit > 0 && usable_ > options_.limit) return true;
    const auto invalid = [](std::string_view text) {
      return core::find_invalid_utf8(text) != std::string_view::npos;
    };
    if (invalid(source) || invalid(target)) report().mended.add(line);
    if (has_inner_cr(source) || has_inner_cr(target)) report().inner_cr.add(line);
    if (options_.swap) std::swap(source, target);
    corpus_.pairs.push_back({core::mend_utf8(source), core::mend_utf8(target), line});
    return true;
  }

  Corpus finish() {
    draw_sample();
    report().kept = static_cast<int64_t>(corpus_.pairs.size());
    report().not_taken = usable_ - report().kept;
    return std::move(corpus_);
  }

 private:
  void draw_sample() {
    std::vector<Pair>& pairs = corpus_.pairs;
    const auto n = static_cast<int64_t>(pairs.size());
    if (options_.sample == 0 || options_.sample >= n) return;
    const uint64_t key = core::combine(options_.seed, core::hash_name("data.sample"));
    std::vector<int64_t> drawn = core::permutation(n, key);
    drawn.resize(static_cast<size_t>(options_.sample));
    std::sort(drawn.begin(), drawn.end());
    std::vector<Pair> kept;
    kept.reserve(drawn.size());
    for (const int64_t i : drawn) kept.push_back(std::move(pairs[static_cast<size_t>(i)]));
    pairs = std::move(kept);
  }

  ReadOptions options_;
  Corpus corpus_;
  int64_t usable_ = 0;
};

/// Takes the columns of a file's lines, and judges what they hold.
class ColumnReader {
 public:
  ColumnReader(std::string_view bytes, const ReadOptions& options)
      : bytes_(bytes),
        options_(options),
        columns_(options.columns.value_or(Columns{})),
        collector_(options) {
    collector_.report().columns = columns_.needed();
  }

  Corpus read(const std::string& path) {
    find_header();
    Report& report = collector_.report();
    LineWalker walker(bytes_);
    for (std::string_view line; walker.next(line);) take(line, walker.number());
    report.lines = walker.number();
    if (!options_.is_ours) judge_numbers(path);
    return collector_.finish();
  }

 private:
  void find_header() {
    if (options_.is_ours) return;
    HeaderWatch watch;
    LineWalker walker(bytes_);
    for (std::string_view line; watch.wants_more() && walker.next(line);) {
      const auto cells = cut_columns(line, columns_);
      if (!cells || text::is_blank_line(line)) continue;
      if (header_line_ == 0) header_line_ = walker.number();
      watch.add(cells->source, cells->target);
    }
    if (!watch.found()) header_line_ = 0;
  }

  void take(std::string_view line, int64_t number) {
    Report& report = collector_.report();
    if (const int64_t begun = quotes_.add(line, number)) report.quoted.add(begun);
    if (text::is_blank_line(line)) return report.blank_line.add(number);
    if (number == header_line_) return report.header.add(number);
    const auto cells = cut_columns(line, columns_);
    if (!cells) return report.one_column.add(number);
    if (!options_.columns && cells->columns > 3) report.more_columns.add(number);
    if (collector_.take(cells->source, cells->target, number))
      numbers_.add(cells->source, cells->target, cells->columns, number);
  }

  void judge_numbers(const std::string& path) {
    collector_.report().numbers = numbers_.text();
    if (options_.columns || !numbers_.are_ids()) return;
    const std::string suggestion = suggest_columns(bytes_);
    throw DataError(path, numbers_.text() +
                              ", an id rather than a sentence: name the columns of "
                              "source and target" +
                              (suggestion.empty() ? "" : ", as in --columns " + suggestion) +
                              " (--columns 1,2 takes them as they are)");
  }

  std::string_view bytes_;
  const ReadOptions& options_;
  Columns columns_;
  Collector collector_;
  QuoteWatch quotes_;
  NumberWatch numbers_;
  int64_t header_line_ = 0;
};

void check_not_empty(std::string_view bytes, const std::string& path) {
  if (bytes.empty()) throw DataError(path, "the file is empty; sentence pairs were expected");
  check_is_text(bytes, path);
}

/// What a file without one tab most likely is.
std::string hint_at_format(std::string_view bytes) {
  const std::string_view line = bytes.substr(0, bytes.find_first_of("\r\n"));
  if (bytes.starts_with('{') || bytes.starts_with("[{"))
    return "; this looks like JSON: write its sentences as tab-separated text";
  if (line.find(" ||| ") != std::string_view::npos)
    return "; this is separated by |||: put a tab there";
  if (line.starts_with('"') && line.find("\",\"") != std::string_view::npos)
    return "; this is separated by commas: save it as tab-separated text";
  return "";
}

[[noreturn]] void fail_without_pairs(const Report& report, std::string_view bytes,
                                     const std::string& path) {
  if (report.one_column.count > 0 && report.blank_side.count + report.header.count == 0) {
    const std::string needed =
        report.columns == 2
            ? "two columns; expected source, a tab and target on each line"
              " (for two files, one sentence a line, name source and target)"
            : std::to_string(report.columns) + " columns, which --columns (data.columns) asks for";
    throw DataError(path, report.one_column.lines.front(), 0,
                    "no line has " + needed + hint_at_format(bytes));
  }
  throw DataError(path, "no pair is left: " + report.text());
}

}  // namespace

Corpus parse_pairs(std::string_view bytes, const std::string& path, const ReadOptions& options) {
  check_not_empty(bytes, path);
  Corpus corpus = ColumnReader(bytes, options).read(path);
  if (corpus.pairs.empty()) fail_without_pairs(corpus.report, bytes, path);
  return corpus;
}

Corpus parse_parallel(std::string_view source, const std::string& source_path,
                      std::string_view target, const std::string& target_path,
                      const ReadOptions& options) {
  check_not_empty(source, source_path);
  check_not_empty(target, target_path);
  const int64_t lines = count_lines(source);
  if (const int64_t others = count_lines(target); others != lines)
    throw DataError(source_path, "has " + core::counted(lines, "line") + ", and " + target_path +
                                     " has " + std::to_string(others) +
                                     "; line n of one has to belong to line n of the other");
  Collector collector(options);
  Report& report = collector.report();
  report.lines = lines;
  const bool header = has_header(source, target);
  NumberWatch numbers;
  LineWalker sources(source);
  LineWalker targets(target);
  std::string_view left, right;
  while (sources.next(left) && targets.next(right)) {
    const int64_t number = sources.number();
    // One sentence a line: only quotes inside of quotes tell of a spreadsheet.
    if (holds_doubled_quotes(left) || holds_doubled_quotes(right)) report.quoted.add(number);
    if (text::is_blank_line(left) && text::is_blank_line(right)) {
      report.blank_line.add(number);
    } else if (header && number == 1) {
      report.header.add(number);
    } else if (collector.take(left, right, number)) {
      numbers.add(left, right, 2, number);
    }
  }
  report.numbers = numbers.text();
  Corpus corpus = collector.finish();
  if (corpus.pairs.empty())
    throw DataError(source_path, "no pair is left: " + corpus.report.text());
  return corpus;
}

Corpus read_pairs(const std::string& path, const ReadOptions& options) {
  return parse_pairs(read_text_bytes(path), shown_path(path), options);
}

Corpus read_parallel(const std::string& source_path, const std::string& target_path,
                     const ReadOptions& options) {
  if (options.columns)
    throw InvalidArgument("[corpus] columns are those of one file of pairs, not of two files");
  if (source_path == kStandardInput && target_path == kStandardInput)
    throw InvalidArgument("[corpus] standard input (-) can be read only once, found it twice");
  const std::string source = read_text_bytes(source_path);
  return parse_parallel(source, shown_path(source_path), read_text_bytes(target_path),
                        shown_path(target_path), options);
}

Lines parse_text_lines(std::string_view bytes, const std::string& path) {
  check_is_text(bytes, path);
  Lines lines;
  LineWalker walker(bytes);
  for (std::string_view line; walker.next(line);) {
    if (core::find_invalid_utf8(line) != std::string_view::npos) lines.mended.add(walker.number());
    lines.lines.push_back(core::mend_utf8(line));
  }
  return lines;
}

Lines read_text_lines(const std::string& path) {
  return parse_text_lines(read_text_bytes(path), shown_path(path));
}

std::string pairs_text(const std::vector<Pair>& pairs, bool swap) {
  std::string text;
  for (const Pair& pair : pairs)
    text += one_cell(swap ? pair.target : pair.source) + "\t" +
            one_cell(swap ? pair.source : pair.target) + "\n";
  return text;
}

}  // namespace attend::data
