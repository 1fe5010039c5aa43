#include "attend/data/corpus.h"

#include <algorithm>
#include <optional>

#include "attend/core/errors.h"
#include "attend/core/random.h"
#include "attend/core/utf8.h"
#include "attend/data/text_bytes.h"
#include "attend/text/clean.h"

namespace attend::data {
namespace {

struct Columns {
  std::string_view source;
  std::string_view target;
  bool more_than_three = false;
};

/// None when there is no tab.
std::optional<Columns> split_columns(std::string_view line) {
  const size_t first = line.find('\t');
  if (first == std::string_view::npos) return std::nullopt;
  const size_t second = line.find('\t', first + 1);
  Columns columns{line.substr(0, first), line.substr(first + 1, second - first - 1), false};
  columns.more_than_three =
      second != std::string_view::npos && line.find('\t', second + 1) != std::string_view::npos;
  return columns;
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

  void take(std::string_view source, std::string_view target, int64_t line) {
    if (text::is_blank_line(source) || text::is_blank_line(target)) {
      report().blank_side.add(line);
      return;
    }
    ++usable_;
    if (options_.limit > 0 && usable_ > options_.limit) return;
    const auto invalid = [](std::string_view text) {
      return core::find_invalid_utf8(text) != std::string_view::npos;
    };
    if (invalid(source) || invalid(target)) report().mended.add(line);
    if (options_.swap) std::swap(source, target);
    corpus_.pairs.push_back({core::mend_utf8(source), core::mend_utf8(target), line});
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

void check_not_empty(std::string_view bytes, const std::string& path) {
  if (bytes.empty()) throw DataError(path, "the file is empty; sentence pairs were expected");
  check_is_text(bytes, path);
}

[[noreturn]] void fail_without_pairs(const Report& report, const std::string& path) {
  if (report.one_column.count > 0 && report.blank_side.count == 0)
    throw DataError(path, report.one_column.lines.front(), 0,
                    "no line has two columns; expected source, a tab and target on each line"
                    " (for two files, one sentence a line, name source and target)");
  throw DataError(path, "no pair is left: " + report.text());
}

}  // namespace

Corpus parse_pairs(std::string_view bytes, const std::string& path, const ReadOptions& options) {
  check_not_empty(bytes, path);
  Collector collector(options);
  Report& report = collector.report();
  LineWalker walker(bytes);
  for (std::string_view line; walker.next(line);) {
    if (text::is_blank_line(line)) {
      report.blank_line.add(walker.number());
    } else if (const auto columns = split_columns(line); !columns) {
      report.one_column.add(walker.number());
    } else {
      if (columns->more_than_three) report.more_columns.add(walker.number());
      collector.take(columns->source, columns->target, walker.number());
    }
  }
  report.lines = walker.number();
  Corpus corpus = collector.finish();
  if (corpus.pairs.empty()) fail_without_pairs(corpus.report, path);
  return corpus;
}

Corpus parse_parallel(std::string_view source, const std::string& source_path,
                      std::string_view target, const std::string& target_path,
                      const ReadOptions& options) {
  check_not_empty(source, source_path);
  check_not_empty(target, target_path);
  const int64_t lines = count_lines(source);
  if (const int64_t others = count_lines(target); others != lines)
    throw DataError(source_path, "has " + std::to_string(lines) + " lines, and " + target_path +
                                     " has " + std::to_string(others) +
                                     "; line n of one has to belong to line n of the other");
  Collector collector(options);
  collector.report().lines = lines;
  LineWalker sources(source);
  LineWalker targets(target);
  std::string_view left;
  std::string_view right;
  while (sources.next(left) && targets.next(right)) {
    if (text::is_blank_line(left) && text::is_blank_line(right)) {
      collector.report().blank_line.add(sources.number());
    } else {
      collector.take(left, right, sources.number());
    }
  }
  Corpus corpus = collector.finish();
  if (corpus.pairs.empty())
    throw DataError(source_path, "no pair is left: " + corpus.report.text());
  return corpus;
}

Corpus read_pairs(const std::string& path, const ReadOptions& options) {
  return parse_pairs(read_text_bytes(path), path, options);
}

Corpus read_parallel(const std::string& source_path, const std::string& target_path,
                     const ReadOptions& options) {
  return parse_parallel(read_text_bytes(source_path), source_path, read_text_bytes(target_path),
                        target_path, options);
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
  return parse_text_lines(read_text_bytes(path), path);
}

std::string pairs_text(const std::vector<Pair>& pairs, bool swap) {
  std::string text;
  for (const Pair& pair : pairs)
    text += (swap ? pair.target : pair.source) + "\t" + (swap ? pair.source : pair.target) + "\n";
  return text;
}

}  // namespace attend::data
