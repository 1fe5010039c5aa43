// Attention maps from JSON and CSV: what is accepted is sound, can be drawn, and is written and
// read to the same.
#include <cmath>

#include "attend/render/attention_map.h"
#include "attend/render/check.h"
#include "attend/render/map_csv.h"
#include "attend/render/svg_map.h"
#include "attend/render/terminal.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace attend;

bool is_same(float a, float b) { return a == b || (!std::isfinite(a) && !std::isfinite(b)); }

void require_same(const render::AttentionMap& a, const render::AttentionMap& b) {
  fuzz::require(a.panels.size() == b.panels.size());
  for (size_t i = 0; i < a.panels.size(); ++i) {
    const render::MapPanel& p = a.panels[i];
    const render::MapPanel& q = b.panels[i];
    fuzz::require(p.rows == q.rows && p.columns == q.columns);
    fuzz::require(p.weights.size() == q.weights.size());
    for (size_t k = 0; k < p.weights.size(); ++k)
      fuzz::require(is_same(p.weights[k], q.weights[k]));
  }
}

void check(const render::AttentionMap& map) {
  render::check_map(map, "fuzz");
  require_same(render::from_json(render::to_json(map), "again"), map);
  render::map_to_terminal(map);
  render::map_to_svg(map);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(fuzz::text_of(data, size));
  fuzz::may_refuse([&] { check(render::from_json(text, "input")); });
  fuzz::may_refuse([&] {
    const render::AttentionMap map = render::map_from_csv(text, "input");
    check(map);
    require_same(render::map_from_csv(render::map_to_csv(map), "again"), map);
  });
  return 0;
}
