// Which colours the terminal shows, from the environment.
#pragma once

#include <string>

#include "attend/render/terminal.h"

namespace attend::cli {

/// "auto", "truecolor", "256" or "ascii". auto: ASCII where standard output is no terminal,
/// NO_COLOR is set or TERM is "dumb"; else by COLORTERM and TERM. Throws InvalidArgument for
/// another name.
render::TerminalColour terminal_colour(const std::string& name);

/// "auto", "dark" or "light". auto: by COLORFGBG where it is set, else dark.
render::Background terminal_background(const std::string& name);

}  // namespace attend::cli
