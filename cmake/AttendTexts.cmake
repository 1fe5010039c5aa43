# attend_texts(output HEADER header NAMESPACE namespace FUNCTION function FILES files...): writes a C++
# source that holds the files as text, when one has changed. The header declares
#   const std::vector<std::pair<std::string_view, std::string_view>>& function();
# which gives (name without ending, text) of each.
function(attend_texts output)
  cmake_parse_arguments(ARG "" "HEADER;NAMESPACE;FUNCTION" "FILES" ${ARGN})
  set(entries "")
  foreach(file IN LISTS ARG_FILES)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
    get_filename_component(name "${file}" NAME_WE)
    file(READ "${file}" text)
    string(APPEND entries "      {\"${name}\", R\"attend_text(${text})attend_text\"},\n")
  endforeach()
  file(CONFIGURE OUTPUT "${output}" CONTENT [[
#include "@ARG_HEADER@"

namespace @ARG_NAMESPACE@ {

const std::vector<std::pair<std::string_view, std::string_view>>& @ARG_FUNCTION@() {
  static const std::vector<std::pair<std::string_view, std::string_view>> all = {
@entries@  };
  return all;
}

}  // namespace @ARG_NAMESPACE@
]] @ONLY)
endfunction()
