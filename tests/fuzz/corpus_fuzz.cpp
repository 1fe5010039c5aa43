// Corpus readers and the doctor: any bytes are refused, or give pairs whose counts add up; and both
// agree on which.
#include "attend/core/utf8.h"
#include "attend/data/corpus.h"
#include "attend/data/doctor.h"
#include "attend/data/text_bytes.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace attend;

void check(const data::Corpus& corpus) {
  const data::Report& report = corpus.report;
  fuzz::require(report.kept == static_cast<int64_t>(corpus.pairs.size()));
  fuzz::require(report.kept + report.left_out() + report.not_taken == report.lines);
  for (const data::Pair& pair : corpus.pairs) {
    for (const std::string& side : {pair.source, pair.target})
      fuzz::require(!side.empty() && core::find_invalid_utf8(side) == std::string::npos);
  }
  fuzz::require(!report.text().empty());
}

void check(const data::Findings& findings) {
  fuzz::require(core::find_invalid_utf8(data::to_json(findings)) == std::string::npos);
  fuzz::require(core::find_invalid_utf8(data::to_text(findings)) == std::string::npos);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  const std::string_view text = fuzz::text_of(bytes, size);
  bool readable = false;
  fuzz::may_refuse([&] {
    check(data::parse_pairs(text, "fuzz"));
    check(data::parse_pairs(text, "fuzz", {.limit = 5, .sample = 3, .seed = size}));
    readable = true;
  });
  const data::Findings findings = data::examine_pairs_bytes(text, "fuzz");
  fuzz::require(readable == (findings.pairs > 0));
  check(findings);

  const std::string_view source = text.substr(0, size / 2);
  const std::string_view target = text.substr(size / 2);
  fuzz::may_refuse([&] { check(data::parse_parallel(source, "a", target, "b")); });
  check(data::examine_parallel_bytes(source, "a", target, "b"));
  fuzz::may_refuse(
      [&] { data::parse_text_lines(data::unpack(std::string(text), "fuzz"), "fuzz"); });
  return 0;
}
