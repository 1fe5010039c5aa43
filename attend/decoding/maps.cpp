#include "attend/decoding/maps.h"

#include "attend/core/errors.h"
#include "attend/models/heads.h"

namespace attend::decoding {
namespace {

constexpr AttentionKind kOrder[] = {AttentionKind::kCross, AttentionKind::kEncoderSelf,
                                    AttentionKind::kDecoderSelf};

std::string panel_title(const SentenceAttention& attention, int64_t head) {
  std::string title = attention.kind == AttentionKind::kCross         ? "cross-attention"
                      : attention.kind == AttentionKind::kEncoderSelf ? "encoder self-attention"
                                                                      : "decoder self-attention";
  title += ", layer " + std::to_string(attention.layer + 1);
  if (attention.heads > 1) title += ", head " + std::to_string(head + 1);
  return title;
}

void check(const SentenceAttention& attention, size_t queries, size_t keys) {
  if (static_cast<size_t>(attention.queries) != queries ||
      static_cast<size_t>(attention.keys) != keys)
    throw InternalError("[attention_map] " + std::to_string(attention.queries) + " queries and " +
                        std::to_string(attention.keys) + " keys for " + std::to_string(queries) +
                        " and " + std::to_string(keys) + " tokens");
}

}  // namespace

render::AttentionMap attention_map(const std::vector<SentenceAttention>& attention,
                                   const MapLabels& labels) {
  render::AttentionMap map;
  map.row_axis = "written (queries)";
  map.column_axis = "read (keys)";
  for (const AttentionKind kind : kOrder) {
    const auto& rows = kind == AttentionKind::kEncoderSelf ? labels.source : labels.written;
    const auto& columns = kind == AttentionKind::kDecoderSelf ? labels.fed : labels.source;
    for (const SentenceAttention& a : attention) {
      if (a.kind != kind) continue;
      check(a, rows.size(), columns.size());
      const auto cells = a.queries * a.keys;
      for (int64_t h = 0; h < a.heads; ++h)
        map.panels.push_back({panel_title(a, h), kind_name(kind), a.layer, h, rows, columns,
                              std::vector<float>(a.weights.begin() + h * cells,
                                                 a.weights.begin() + (h + 1) * cells)});
    }
  }
  return map;
}

}  // namespace attend::decoding
