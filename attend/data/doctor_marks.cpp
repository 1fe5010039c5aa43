// What other programs have written into words: entities, escapes, marks of cut words.
#include <cctype>
#include <optional>

#include "attend/data/doctor_catalogue.h"

namespace attend::data {
namespace {

// As tokenizer.perl writes &, |, <, >, ', ", [ and ].
constexpr std::string_view kMosesEscapes[] = {"&amp;",  "&#124;", "&lt;",  "&gt;",
                                              "&apos;", "&quot;", "&#91;", "&#93;"};
// Those of them that no web page needs, since the characters mean nothing there.
constexpr std::string_view kMosesOnly[] = {"&apos;", "&#124;", "&#91;", "&#93;"};

bool is_blank_at(std::string_view line, size_t at) {
  return at >= line.size() || line[at] == ' ' || line[at] == '\t';
}

/// The entity that begins at '&': "&amp;", "&#39;", "&nbsp;"; empty where none does.
std::string_view entity_at(std::string_view line, size_t at) {
  for (const std::string_view name : {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;", "&nbsp;"})
    if (line.substr(at).starts_with(name)) return name;
  if (!line.substr(at).starts_with("&#")) return {};
  size_t end = at + 2;
  if (end < line.size() && (line[end] == 'x' || line[end] == 'X')) ++end;
  const size_t digits = end;
  while (end < line.size() && std::isxdigit(static_cast<unsigned char>(line[end]))) ++end;
  const bool whole = end > digits && end < line.size() && line[end] == ';';
  return whole ? line.substr(at, end + 1 - at) : std::string_view{};
}

template <size_t N>
bool is_among(const std::string_view (&list)[N], std::string_view name) {
  for (const std::string_view one : list)
    if (one == name) return true;
  return false;
}

/// Marks of sentences that stand apart, as tokenisers put them: "home ."
bool has_mark_apart(std::string_view line) {
  for (const char mark : {'.', ',', '!', '?', ';', ':'}) {
    const char apart[] = {' ', mark};
    for (size_t at = line.find({apart, 2}); at != std::string_view::npos;
         at = line.find({apart, 2}, at + 1))
      if (is_blank_at(line, at + 2)) return true;
  }
  return false;
}

/// Escapes of Moses stand at the edge of a token; entities of a web page stand where they fall.
std::optional<Kind> kind_of_entities(std::string_view line) {
  bool any = false, all_moses = true, moses_only = false;
  for (size_t at = line.find('&'); at != std::string_view::npos; at = line.find('&', at + 1)) {
    const std::string_view entity = entity_at(line, at);
    if (entity.empty()) continue;
    any = true;
    const bool at_edge =
        at == 0 || is_blank_at(line, at - 1) || is_blank_at(line, at + entity.size());
    all_moses = all_moses && at_edge && is_among(kMosesEscapes, entity);
    moses_only = moses_only || is_among(kMosesOnly, entity);
  }
  if (!any) return std::nullopt;
  return all_moses && (moses_only || has_mark_apart(line)) ? Kind::kMosesEscape : Kind::kEntity;
}

/// "lo@@ wer" of subword-nmt and fastBPE, "▁lower" of SentencePiece; "well @-@ known" is Moses'.
bool has_cut_words(std::string_view line) {
  for (size_t at = line.find("@@"); at != std::string_view::npos; at = line.find("@@", at + 1))
    if (at > 0 && !is_blank_at(line, at - 1) && is_blank_at(line, at + 2)) return true;
  constexpr std::string_view kPiece = "\u2581";
  for (size_t at = line.find(kPiece); at != std::string_view::npos; at = line.find(kPiece, at + 1))
    if (at == 0 || is_blank_at(line, at - 1)) return true;
  return false;
}

bool has_mark_name(std::string_view line) {
  for (const std::string_view name : {"<unk>", "<pad>", "<bos>", "<eos>"})
    if (line.find(name) != std::string_view::npos) return true;
  return false;
}

}  // namespace

void examine_marks(std::string_view line, int64_t number, Tally& tally) {
  const std::optional<Kind> entities = kind_of_entities(line);
  if (entities) tally.add(*entities, number, line);
  if (!entities && line.find(" @-@ ") != std::string_view::npos)
    tally.add(Kind::kMosesEscape, number, line);
  if (has_cut_words(line)) tally.add(Kind::kSubwordMark, number, line);
  if (has_mark_name(line)) tally.add(Kind::kReservedName, number, line);
}

}  // namespace attend::data
