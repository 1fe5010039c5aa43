#include "cli/terminal_look.h"

#include <cstdlib>
#include <string_view>

#include "attend/core/errors.h"
#include "attend/core/nearest.h"
#include "cli/console.h"

namespace attend::cli {
namespace {

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : value;
}

[[noreturn]] void refuse(const char* flag, const std::string& name,
                         const std::vector<std::string>& choices) {
  std::string list;
  for (const auto& choice : choices) list += (list.empty() ? "" : ", ") + choice;
  throw InvalidArgument(std::string(flag) + ": expected one of " + list + ", found \"" + name +
                        "\"" + core::did_you_mean(name, choices));
}

}  // namespace

render::TerminalColour terminal_colour(const std::string& name) {
  using render::TerminalColour;
  if (name == "truecolor") return TerminalColour::kTrueColour;
  if (name == "256") return TerminalColour::k256;
  if (name == "ascii") return TerminalColour::kAscii;
  if (name != "auto") refuse("--colour", name, {"auto", "truecolor", "256", "ascii"});
  const std::string_view term = environment("TERM");
  if (!stdout_is_terminal() || !environment("NO_COLOR").empty() || term.empty() || term == "dumb")
    return TerminalColour::kAscii;
  const std::string_view colour = environment("COLORTERM");
  if (colour == "truecolor" || colour == "24bit" || term.find("direct") != term.npos)
    return TerminalColour::kTrueColour;
  return term.find("256") != term.npos ? TerminalColour::k256 : TerminalColour::kAscii;
}

render::Background terminal_background(const std::string& name) {
  using render::Background;
  if (name == "dark") return Background::kDark;
  if (name == "light") return Background::kLight;
  if (name != "auto") refuse("--background", name, {"auto", "dark", "light"});
  // "15;0": the colours of text and ground, of the sixteen; 7 and 15 are light.
  const std::string_view colours = environment("COLORFGBG");
  const std::string_view ground = colours.substr(colours.rfind(';') + 1);
  return ground == "7" || ground == "15" ? Background::kLight : Background::kDark;
}

}  // namespace attend::cli
