// One figure of a notebook as SVG.
#pragma once

#include <optional>
#include <string>

#include "attend/lessons/notebook.h"

namespace attend::lessons {

/// The caption of a figure; nothing for an entry that is none (text, steps, tables, panels).
std::optional<Bilingual> figure_caption(const Entry& entry);

/// The figure, under `title` (empty: none, as where the caption stands beside it). Of an animation
/// the last frame. Empty for an entry that is no figure.
std::string figure_svg(const Entry& entry, const std::string& title);

}  // namespace attend::lessons
