#include "attend/data/dataset.h"

#include <algorithm>
#include <cstdio>

#include "attend/core/errors.h"

namespace attend::data {
namespace {

std::span<const int32_t> sentence(const PackedIds& packed, int64_t i) {
  const int64_t begin = packed.offsets.at(static_cast<size_t>(i));
  return {packed.ids.data() + begin, static_cast<size_t>(packed.length(i))};
}

void check_steps(int64_t steps) {
  if (steps < 1)
    throw InvalidArgument("[encode] expected 1 step or more, found " + std::to_string(steps));
}

int64_t count_unknown(const text::Pipeline& pipeline, const std::vector<int32_t>& ids) {
  return std::count(ids.begin(), ids.end(), pipeline.special().unknown);
}

void append(std::string& out, const char* what, const LineTally& tally) {
  if (tally.count == 0) return;
  if (!out.empty()) out += "; ";
  out += std::string(what) + ": " + std::to_string(tally.count) + " (" + tally.text() + ")";
}

// Nearly every line of a corpus has a rare word: its share of the tokens tells more than numbers of
// lines.
void append_unknown(std::string& out, const char* side, int64_t unknown, int64_t tokens,
                    int64_t sentences) {
  if (unknown == 0) return;
  const double percent = 100.0 * static_cast<double>(unknown) / static_cast<double>(tokens);
  char share[32];
  std::snprintf(share, sizeof share, "%.*f",
                percent >= 10  ? 0
                : percent >= 1 ? 1
                               : 2,
                std::max(percent, 0.01));
  if (!out.empty()) out += "; ";
  out += std::string(share) + " % of the " + side + " tokens are unknown (" +
         std::to_string(unknown) + " of " + std::to_string(tokens) + ", in " +
         std::to_string(sentences) + (sentences == 1 ? " sentence)" : " sentences)");
}

}  // namespace

Encoded encode_source(const text::Pipeline& pipeline, std::string_view line, int64_t steps,
                      std::vector<std::string>* tokens) {
  check_steps(steps);
  Encoded encoded{pipeline.encode(line, tokens), false, 0, 0};
  encoded.whole = static_cast<int64_t>(encoded.ids.size()) + 1;
  const auto room = static_cast<size_t>(steps - 1);
  encoded.cut = encoded.ids.size() > room;
  if (encoded.cut) encoded.ids.resize(room);
  if (tokens != nullptr) tokens->resize(encoded.ids.size());
  encoded.unknown = count_unknown(pipeline, encoded.ids);
  encoded.ids.push_back(pipeline.special().end);
  return encoded;
}

Encoded encode_target(const text::Pipeline& pipeline, std::string_view line, int64_t steps) {
  check_steps(steps);
  Encoded encoded{pipeline.encode(line), false, 0, 0};
  encoded.whole = static_cast<int64_t>(encoded.ids.size()) + 1;
  encoded.cut = encoded.ids.size() >= static_cast<size_t>(steps);
  if (encoded.cut) encoded.ids.resize(static_cast<size_t>(steps));
  encoded.unknown = count_unknown(pipeline, encoded.ids);
  if (!encoded.cut) encoded.ids.push_back(pipeline.special().end);
  return encoded;
}

std::string EncodeReport::text() const {
  std::string out;
  append(out, "source sentences cut", cut_source);
  append(out, "target sentences cut, which leaves them without an end mark", cut_target);
  append_unknown(out, "source", unknown_source_tokens, source_tokens, unknown_source.count);
  append_unknown(out, "target", unknown_target_tokens, target_tokens, unknown_target.count);
  return out;
}

std::span<const int32_t> Dataset::source_ids(int64_t i) const { return sentence(source, i); }
std::span<const int32_t> Dataset::target_ids(int64_t i) const { return sentence(target, i); }

Dataset encode_pairs(const std::vector<Pair>& pairs, const text::Pipeline& source,
                     const text::Pipeline& target, int64_t steps) {
  check_steps(steps);
  Dataset dataset;
  EncodeReport& report = dataset.report;
  dataset.lines.reserve(pairs.size());
  for (const Pair& pair : pairs) {
    const Encoded from = encode_source(source, pair.source, steps);
    const Encoded to = encode_target(target, pair.target, steps);
    if (from.cut) report.cut_source.add(pair.line);
    if (to.cut) report.cut_target.add(pair.line);
    report.longest_target = std::max(report.longest_target, to.whole);
    if (from.unknown > 0) report.unknown_source.add(pair.line);
    if (to.unknown > 0) report.unknown_target.add(pair.line);
    report.unknown_source_tokens += from.unknown;
    report.unknown_target_tokens += to.unknown;
    report.source_tokens += static_cast<int64_t>(from.ids.size()) - 1;
    report.target_tokens += static_cast<int64_t>(to.ids.size()) - (to.cut ? 0 : 1);
    dataset.source.append(from.ids);
    dataset.target.append(to.ids);
    dataset.lines.push_back(pair.line);
  }
  return dataset;
}

}  // namespace attend::data
