#include "attend/render/text_metrics.h"

#include <utf8proc.h>

#include <algorithm>

#include "attend/core/utf8.h"

namespace attend::render {
namespace {

constexpr char32_t kEmojiVariation = 0xFE0F;

bool is_regional_indicator(char32_t c) { return c >= 0x1F1E6 && c <= 0x1F1FF; }

bool turns_direction(char32_t c) {
  return c == 0x061C || c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E) ||
         (c >= 0x2066 && c <= 0x2069);
}

/// The width of a grapheme is that of its widest part: joined emoji are drawn in one place.
int cluster_width(std::string_view cluster) {
  int width = 0;
  for (const char32_t c : core::decode_utf8(cluster)) {
    const bool is_emoji = c == kEmojiVariation || is_regional_indicator(c);
    width = std::max(width, is_emoji ? 2 : utf8proc_charwidth(static_cast<utf8proc_int32_t>(c)));
  }
  return width;
}

double em_of(char32_t c) {
  if (c >= 0x80) {
    const int columns = utf8proc_charwidth(static_cast<utf8proc_int32_t>(c));
    return columns == 0 ? 0 : columns == 2 ? 1.05 : 0.80;
  }
  if (std::string_view("ijl.,:;'!|I[]()/ ").find(static_cast<char>(c)) != std::string_view::npos)
    return 0.40;
  if (std::string_view("mwMW@%").find(static_cast<char>(c)) != std::string_view::npos) return 1.0;
  if (c == U'f' || c == U't' || c == U'r' || c == U'-') return 0.45;
  if ((c >= U'A' && c <= U'Z') ||
      std::string_view("+<=>#~&").find(static_cast<char>(c)) != std::string_view::npos)
    return 0.84;
  return 0.64;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (char32_t c : core::decode_utf8(text)) {
    if (turns_direction(c)) continue;
    if (c < 0x20) c += 0x2400;
    if (c == 0x7F) c = 0x2421;
    if ((c > 0x7F && c < 0xA0) || c == 0x2028 || c == 0x2029) c = 0xFFFD;
    core::append_utf8(out, c);
  }
  return out;
}

std::vector<std::string> graphemes(std::string_view text) {
  std::vector<std::string> clusters;
  utf8proc_int32_t state = 0;
  utf8proc_int32_t before = 0;
  for (const char32_t c : core::decode_utf8(text)) {
    const auto code = static_cast<utf8proc_int32_t>(c);
    if (clusters.empty() || utf8proc_grapheme_break_stateful(before, code, &state))
      clusters.emplace_back();
    core::append_utf8(clusters.back(), c);
    before = code;
  }
  return clusters;
}

int display_width(std::string_view text) {
  int width = 0;
  for (const std::string& cluster : graphemes(text)) width += cluster_width(cluster);
  return width;
}

std::string cut_to_width(std::string_view text, int width, std::string_view ellipsis) {
  const std::string clean = printable(text);
  if (display_width(clean) <= width) return clean;
  const int room = width - display_width(ellipsis);
  if (room < 0) return "";
  std::string out;
  int used = 0;
  for (const std::string& cluster : graphemes(clean)) {
    used += cluster_width(cluster);
    if (used > room) break;
    out += cluster;
  }
  return out.append(ellipsis);
}

std::string pad_right(std::string_view text, int width, std::string_view ellipsis) {
  std::string out = cut_to_width(text, width, ellipsis);
  return out.append(static_cast<size_t>(std::max(0, width - display_width(out))), ' ');
}

std::string pad_left(std::string_view text, int width, std::string_view ellipsis) {
  const std::string out = cut_to_width(text, width, ellipsis);
  return std::string(static_cast<size_t>(std::max(0, width - display_width(out))), ' ') + out;
}

double text_width_em(std::string_view text) {
  double width = 0;
  for (const std::string& cluster : graphemes(text)) {
    double widest = 0;
    for (const char32_t c : core::decode_utf8(cluster)) {
      const bool is_emoji = c == kEmojiVariation || is_regional_indicator(c) || c >= 0x1F000;
      widest = std::max(widest, is_emoji ? 1.4 : em_of(c));
    }
    width += widest;
  }
  return width;
}

namespace {

bool is_one_of(std::string_view list, const std::string& cluster) {
  const std::string with_blanks = " " + cluster + " ";
  return list.find(with_blanks) != std::string_view::npos;
}

/// Chinese and its kin are written without blanks: a line may end beside any sign of theirs, but
/// not before closing marks, nor after opening ones (of UAX #14 what captions need).
bool may_break(const std::string& before, const std::string& after) {
  constexpr std::string_view kClosing =
      " 。 ， 、 ； ： ！ ？ ） 」 』 》 】 ” ’ … , . ; : ! ? ) ] % ";
  constexpr std::string_view kOpening = " （ 「 『 《 【 “ ‘ ( [ ";
  if (display_width(before) < 2 && display_width(after) < 2) return false;
  return !is_one_of(kClosing, after) && !is_one_of(kOpening, before);
}

}  // namespace

std::vector<std::string> wrap(std::string_view text, double width,
                              const std::function<double(std::string_view)>& measure) {
  std::vector<std::string> lines(1);
  double used = 0;
  std::string word;
  std::string last;
  double word_width = 0;
  const auto place_word = [&] {
    if (used > 0 && used + word_width > width) {
      lines.emplace_back();
      used = 0;
    }
    lines.back() += word;
    used += word_width;
    word.clear();
    word_width = 0;
  };
  for (const std::string& cluster : graphemes(printable(text))) {
    const double step = measure(cluster);
    // A space that ends a line takes no room.
    if (cluster == " " && used + word_width + step > width) {
      place_word();
      if (used + step > width) {
        lines.emplace_back();
        used = 0;
        continue;
      }
    }
    if (word_width + step > width || (!word.empty() && may_break(last, cluster))) place_word();
    word += cluster;
    last = cluster;
    word_width += step;
    if (cluster == " ") place_word();
  }
  if (!word.empty()) place_word();
  for (std::string& line : lines)
    while (line.ends_with(' ')) line.pop_back();
  if (lines.size() > 1 && lines.back().empty()) lines.pop_back();
  return lines;
}

}  // namespace attend::render
