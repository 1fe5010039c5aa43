// The cells of one panel as SVG.
#pragma once

#include <array>
#include <string>

#include "attend/render/attention_map.h"
#include "attend/render/colour.h"
#include "attend/render/map_layout.h"
#include "attend/render/svg_writer.h"
#include "attend/render/value_scale.h"

namespace attend::render {

/// The classes c0..c255 (of the diverging scale d0..d255, since pictures of both kinds may stand in
/// one page) that a picture used, so that only their rules are written.
class CellStyles {
 public:
  explicit CellStyles(Palette palette = Palette::kHeat) : palette_(palette) {}

  /// Class of a level; -1, no finite number, has class "na".
  std::string use(int level);
  /// Class of text on that level: black or white, for each background.
  std::string use_text(int level);
  void write(SvgWriter& svg) const;

 private:
  std::string name(size_t level) const {
    return (palette_ == Palette::kHeat ? "c" : "d") + std::to_string(level);
  }

  Palette palette_;
  std::array<bool, kPaletteSize> used_{};
};

/// A rectangle a cell, with its weight as hover title and, where it fits, as text. (x, y): the top
/// left corner of the matrix.
void draw_cells(SvgWriter& svg, CellStyles& styles, const MapPanel& panel, const ValueScale& scale,
                double cell, double x, double y);

/// A path a colour.
void draw_merged_cells(SvgWriter& svg, CellStyles& styles, const MapPanel& panel,
                       const ValueScale& scale, double cell, double x, double y);

}  // namespace attend::render
