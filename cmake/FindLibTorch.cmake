# Finds LibTorch without the package that its wheel brings, which calls for a CUDA toolkit when the
# wheel is a CUDA build. Looks, in this order, in
#   ATTEND_LIBTORCH (a CMake or environment variable: the folder with include/ and lib/; nothing else
#   is then looked at), CMAKE_PREFIX_PATH (likewise), .deps/libtorch of the project, an importable
#   Python torch, /usr, /usr/local.
# Versions below 2.6 and builds with the std::string of before C++11 are rejected with their path.
# Defines LibTorch::LibTorch, LibTorch_ROOT, LibTorch_VERSION and LibTorch_CUDA (whether the build
# carries CUDA). tools/find_libtorch.sh looks in the same way before there is a CMake.

set(_libtorch_minimum 2.6)

function(_libtorch_candidates out)
  if(ATTEND_LIBTORCH)
    set(${out} "${ATTEND_LIBTORCH}" PARENT_SCOPE)
    return()
  elseif(NOT "$ENV{ATTEND_LIBTORCH}" STREQUAL "")
    set(${out} "$ENV{ATTEND_LIBTORCH}" PARENT_SCOPE)
    return()
  endif()
  set(found "")
  string(REPLACE ":" ";" from_environment "$ENV{CMAKE_PREFIX_PATH}")
  foreach(prefix IN LISTS CMAKE_PREFIX_PATH from_environment)
    list(APPEND found "${prefix}" "${prefix}/torch")
  endforeach()
  list(APPEND found "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../.deps/libtorch/torch")
  find_program(python NAMES python3 python NO_CACHE)
  if(python)
    execute_process(
      COMMAND "${python}" -c "import importlib.util as u
s = u.find_spec('torch')
print(list(s.submodule_search_locations)[0] if s else '')"
      OUTPUT_VARIABLE from_python OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    list(APPEND found ${from_python})
  endif()
  set(${out} ${found} /usr /usr/local PARENT_SCOPE)
endfunction()

function(_libtorch_library out name folder)
  # The second is where Debian keeps them.
  find_library(file ${name} PATHS "${folder}/lib" "${folder}/lib/${CMAKE_LIBRARY_ARCHITECTURE}"
               NO_DEFAULT_PATH NO_CACHE)
  set(${out} "${file}" PARENT_SCOPE)
endfunction()

# `problem` is empty when the folder serves, "absent" when there is nothing to speak of.
function(_libtorch_check folder out_version out_problem)
  set(${out_version} "" PARENT_SCOPE)
  set(version_file "${folder}/include/torch/csrc/api/include/torch/version.h")
  if(NOT EXISTS "${version_file}")
    set(${out_problem} absent PARENT_SCOPE)
    return()
  endif()
  # From 2.9 on that file includes another, which holds the numbers.
  if(EXISTS "${folder}/include/torch/headeronly/version.h")
    set(version_file "${folder}/include/torch/headeronly/version.h")
  endif()
  set(version "")
  foreach(part MAJOR MINOR PATCH)
    file(STRINGS "${version_file}" line REGEX "define TORCH_VERSION_${part} +[0-9]+" LIMIT_COUNT 1)
    string(REGEX MATCH "[0-9]+$" number "${line}")
    list(APPEND version "${number}")
  endforeach()
  string(REPLACE ";" "." version "${version}")
  set(${out_version} "${version}" PARENT_SCOPE)
  set(problem "")
  _libtorch_library(c10 c10 "${folder}")
  _libtorch_library(cpu torch_cpu "${folder}")
  _libtorch_library(torch torch "${folder}")
  if(version VERSION_LESS _libtorch_minimum)
    set(problem "version ${version} is below ${_libtorch_minimum}")
  elseif(NOT c10 OR NOT cpu OR NOT torch)
    set(problem "headers are there, libraries are not")
  else()
    # c10::Error's constructor, when it takes the old std::string: linking would fail far from here.
    file(STRINGS "${c10}" old REGEX "_ZN3c105ErrorC[12]ENS_14SourceLocationESs" LIMIT_COUNT 1)
    if(old)
      set(problem "built with the std::string of before C++11 (_GLIBCXX_USE_CXX11_ABI=0)")
    endif()
  endif()
  set(${out_problem} "${problem}" PARENT_SCOPE)
endfunction()

function(_libtorch_target folder cuda_out)
  foreach(name torch torch_cpu c10 torch_cuda c10_cuda)
    _libtorch_library(${name} ${name} "${folder}")
  endforeach()
  set(${cuda_out} FALSE PARENT_SCOPE)
  set(link "${torch}" "${torch_cpu}" "${c10}")
  set(keep "")
  if(torch_cuda AND c10_cuda)
    set(${cuda_out} TRUE PARENT_SCOPE)
    list(APPEND link "${torch_cuda}" "${c10_cuda}")
    # What CUDA's libraries need (the driver, say) may be missing where we build.
    set(keep "-Wl,--allow-shlib-undefined")
  endif()
  if(NOT APPLE)
    # A plain g++ may link with --as-needed, which drops libtorch and CUDA in silence: keep them.
    set(link ${keep} "-Wl,--push-state,--no-as-needed" ${link} "-Wl,--pop-state")
  endif()
  add_library(LibTorch::LibTorch INTERFACE IMPORTED)
  # Without it some headers include all of ATen/Functions.h: half as much again to compile.
  set_property(TARGET LibTorch::LibTorch PROPERTY INTERFACE_COMPILE_DEFINITIONS AT_PER_OPERATOR_HEADERS)
  set_target_properties(
    LibTorch::LibTorch
    PROPERTIES INTERFACE_INCLUDE_DIRECTORIES
               "${folder}/include;${folder}/include/torch/csrc/api/include"
               INTERFACE_LINK_LIBRARIES "${link}")
endfunction()

set(LibTorch_ROOT "")
set(LibTorch_VERSION "")
set(_libtorch_rejected "")
_libtorch_candidates(_libtorch_folders)
foreach(_libtorch_folder IN LISTS _libtorch_folders)
  _libtorch_check("${_libtorch_folder}" _libtorch_version _libtorch_problem)
  if(NOT _libtorch_problem)
    get_filename_component(LibTorch_ROOT "${_libtorch_folder}" ABSOLUTE)
    set(LibTorch_VERSION "${_libtorch_version}")
    break()
  elseif(NOT _libtorch_problem STREQUAL "absent")
    string(APPEND _libtorch_rejected "\n  ${_libtorch_folder}: ${_libtorch_problem}")
  endif()
endforeach()
if(_libtorch_rejected)
  message(STATUS "LibTorch: looked at and rejected:${_libtorch_rejected}")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  LibTorch
  REQUIRED_VARS LibTorch_ROOT
  VERSION_VAR LibTorch_VERSION
  REASON_FAILURE_MESSAGE
    "Set ATTEND_LIBTORCH to the folder that holds LibTorch's include/ and lib/ (in a pip wheel: site-packages/torch), or run 'make setup'. Rejected:${_libtorch_rejected}")

if(LibTorch_FOUND AND NOT TARGET LibTorch::LibTorch)
  _libtorch_target("${LibTorch_ROOT}" LibTorch_CUDA)
endif()
