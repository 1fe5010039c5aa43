// The findings as text for people and as JSON for programs.
#include <utf8proc.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "attend/core/counted.h"
#include "attend/core/utf8.h"
#include "attend/data/doctor.h"

namespace attend::data {
namespace {

bool shows_itself(char32_t c) {
  if (c < 0x80) return c >= 0x20 && c < 0x7F;
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(c))) {
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_CN:
    case UTF8PROC_CATEGORY_CO:
    case UTF8PROC_CATEGORY_ZS:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
    case UTF8PROC_CATEGORY_MN:  // an accent by itself: shown as such, since it may be the finding
    case UTF8PROC_CATEGORY_ME:
      return false;
    default:
      return true;
  }
}

void append_code(std::string& out, char32_t c) {
  char code[16];
  std::snprintf(code, sizeof code, "<U+%04X>", static_cast<unsigned>(c));
  out += code;
}

/// Code points begin .. begin + limit, with "..." where some are left out.
std::string stretch(const std::vector<char32_t>& text, int64_t begin, int64_t limit,
                    int64_t focus) {
  const auto size = static_cast<int64_t>(text.size());
  const int64_t end = limit < size - begin ? begin + limit : size;
  std::string out = begin > 0 ? "..." : "";
  for (int64_t i = begin; i < end; ++i) {
    const char32_t c = text[static_cast<size_t>(i)];
    if (i != focus && c == '\t') {
      out += " | ";  // the columns of a pair
    } else if (i != focus && shows_itself(c)) {
      core::append_utf8(out, c);
    } else {
      append_code(out, c);
    }
  }
  return end < size ? out + "..." : out;
}

std::string join(const std::vector<std::string>& parts, const char* between) {
  std::string out;
  for (const std::string& part : parts) {
    if (!out.empty()) out += between;
    out += visible(part, 1000);
  }
  return out;
}

void append_finding(std::string& out, const Finding& finding) {
  out += "\n" + std::string(name_of(finding.severity)) + ": " + finding.kind + " (" +
         std::to_string(finding.count) + ")\n";
  out += "  What it is: " + finding.explanation + ".\n";
  out += "  attend " + finding.effect + ".\n";
  for (const Example& example : finding.examples) {
    if (example.line == 0 && example.text.empty()) continue;
    out += example.line > 0 ? "  line " + std::to_string(example.line) : "  file";
    out += ": " + example.text + "\n";
  }
  const auto shown = static_cast<int64_t>(finding.examples.size());
  if (shown > 0 && shown < finding.count)
    out += "  and " + std::to_string(finding.count - shown) + " more\n";
}

}  // namespace

const char* name_of(Severity severity) {
  switch (severity) {
    case Severity::kError:
      return "error";
    case Severity::kWarning:
      return "warning";
    case Severity::kInfo:
      break;
  }
  return "info";
}

std::string visible(std::string_view text, int64_t limit) {
  return stretch(core::decode_utf8(text), 0, limit, -1);
}

std::string visible_around(std::string_view text, int64_t focus, int64_t limit) {
  return stretch(core::decode_utf8(text), std::max<int64_t>(0, focus - limit / 2), limit, focus);
}

std::string to_text(const Findings& findings) {
  using core::counted;
  std::string out = join(findings.files, ", ") + ": " + counted(findings.lines, "line") + ", " +
                    counted(findings.pairs, "pair") + ", " +
                    counted(findings.distinct_sources, "distinct source") + ", " +
                    counted(findings.distinct_targets, "distinct target") + "\n";
  for (const Finding& finding : findings.findings) append_finding(out, finding);
  out += findings.need_care() ? "\nSome of this needs care.\n" : "\nNothing needs care.\n";
  return out;
}

std::string to_json(const Findings& findings) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Finding& finding : findings.findings) {
    nlohmann::ordered_json examples = nlohmann::ordered_json::array();
    for (const Example& example : finding.examples)
      examples.push_back({{"line", example.line}, {"text", example.text}});
    list.push_back({{"kind", finding.kind},
                    {"severity", name_of(finding.severity)},
                    {"count", finding.count},
                    {"explanation", finding.explanation},
                    {"effect", finding.effect},
                    {"examples", std::move(examples)}});
  }
  nlohmann::ordered_json root = {{"version", 1},
                                 {"files", findings.files},
                                 {"lines", findings.lines},
                                 {"pairs", findings.pairs},
                                 {"distinct_sources", findings.distinct_sources},
                                 {"distinct_targets", findings.distinct_targets},
                                 {"needs_care", findings.need_care()},
                                 {"findings", std::move(list)}};
  // A path may hold any bytes: what is no UTF-8 becomes U+FFFD.
  return root.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace attend::data
