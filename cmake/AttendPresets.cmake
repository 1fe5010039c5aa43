# attend_presets(output): writes a C++ source that holds configs/*.toml as text, when one has changed.
function(attend_presets output)
  file(GLOB files CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/configs/*.toml")
  set(entries "")
  foreach(file IN LISTS files)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
    get_filename_component(name "${file}" NAME_WE)
    file(READ "${file}" text)
    string(APPEND entries "      {\"${name}\", R\"attend_toml(${text})attend_toml\"},\n")
  endforeach()
  file(CONFIGURE OUTPUT "${output}" CONTENT [[
#include "cli/presets.h"

namespace attend::cli {

const std::vector<std::pair<std::string_view, std::string_view>>& presets() {
  static const std::vector<std::pair<std::string_view, std::string_view>> all = {
@entries@  };
  return all;
}

}  // namespace attend::cli
]] @ONLY)
endfunction()
