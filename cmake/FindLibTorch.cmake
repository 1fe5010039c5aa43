# Finds LibTorch without the package that its wheel brings, which calls for a CUDA toolkit when the
# wheel is a CUDA build. Looks, in this order, in
#   ATTEND_LIBTORCH (a CMake or environment variable: the folder with include/ and lib/),
#   CMAKE_PREFIX_PATH, .deps/libtorch of the project, an importable Python torch, /usr.
# Defines LibTorch::LibTorch, LibTorch_ROOT, LibTorch_VERSION and LibTorch_CUDA (whether the build
# carries CUDA). Versions below 2.6 are rejected with their path.

set(_libtorch_minimum 2.6)
set(_libtorch_candidates "")
if(ATTEND_LIBTORCH)
  list(APPEND _libtorch_candidates "${ATTEND_LIBTORCH}")
elseif(DEFINED ENV{ATTEND_LIBTORCH})
  list(APPEND _libtorch_candidates "$ENV{ATTEND_LIBTORCH}")
else()
  foreach(_prefix IN LISTS CMAKE_PREFIX_PATH)
    list(APPEND _libtorch_candidates "${_prefix}" "${_prefix}/torch")
  endforeach()
  list(APPEND _libtorch_candidates "${CMAKE_CURRENT_LIST_DIR}/../.deps/libtorch/torch")
  find_program(_libtorch_python NAMES python3 python)
  if(_libtorch_python)
    execute_process(
      COMMAND "${_libtorch_python}" -c
              "import importlib.util as u; s = u.find_spec('torch'); print(list(s.submodule_search_locations)[0] if s else '')"
      OUTPUT_VARIABLE _libtorch_from_python OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(_libtorch_from_python)
      list(APPEND _libtorch_candidates "${_libtorch_from_python}")
    endif()
  endif()
  list(APPEND _libtorch_candidates /usr /usr/local)
endif()

set(_libtorch_rejected "")
set(LibTorch_ROOT "")
foreach(_candidate IN LISTS _libtorch_candidates)
  # Debian keeps version.h in the multiarch-free include folder as well.
  set(_version_file "${_candidate}/include/torch/csrc/api/include/torch/version.h")
  if(NOT EXISTS "${_version_file}")
    continue()
  endif()
  # From 2.9 on that file includes another, which holds the numbers.
  if(EXISTS "${_candidate}/include/torch/headeronly/version.h")
    set(_version_file "${_candidate}/include/torch/headeronly/version.h")
  endif()
  file(STRINGS "${_version_file}" _version_lines REGEX "define TORCH_VERSION_(MAJOR|MINOR|PATCH) ")
  string(REGEX REPLACE ".*MAJOR ([0-9]+).*MINOR ([0-9]+).*PATCH ([0-9]+).*" "\\1.\\2.\\3" _version
                       "${_version_lines}")
  if(_version VERSION_LESS _libtorch_minimum)
    string(APPEND _libtorch_rejected "\n  ${_candidate}: version ${_version} is below ${_libtorch_minimum}")
    continue()
  endif()
  find_library(_libtorch_c10 c10 PATHS "${_candidate}/lib" NO_DEFAULT_PATH NO_CACHE)
  find_library(_libtorch_cpu torch_cpu PATHS "${_candidate}/lib" NO_DEFAULT_PATH NO_CACHE)
  find_library(_libtorch_torch torch PATHS "${_candidate}/lib" NO_DEFAULT_PATH NO_CACHE)
  if(NOT _libtorch_c10 OR NOT _libtorch_cpu OR NOT _libtorch_torch)
    string(APPEND _libtorch_rejected "\n  ${_candidate}: headers are there, libraries are not")
    unset(_libtorch_c10)
    unset(_libtorch_cpu)
    unset(_libtorch_torch)
    continue()
  endif()
  set(LibTorch_ROOT "${_candidate}")
  set(LibTorch_VERSION "${_version}")
  break()
endforeach()

include(FindPackageHandleStandardArgs)
if(_libtorch_rejected AND NOT LibTorch_ROOT)
  message(STATUS "LibTorch: looked at and rejected:${_libtorch_rejected}")
endif()
find_package_handle_standard_args(
  LibTorch
  REQUIRED_VARS LibTorch_ROOT
  VERSION_VAR LibTorch_VERSION
  REASON_FAILURE_MESSAGE
    "Set ATTEND_LIBTORCH to the folder that holds LibTorch's include/ and lib/ (in a pip wheel: site-packages/torch), or run 'make setup'.${_libtorch_rejected}")

if(LibTorch_FOUND AND NOT TARGET LibTorch::LibTorch)
  add_library(LibTorch::LibTorch INTERFACE IMPORTED)
  set_target_properties(
    LibTorch::LibTorch
    PROPERTIES INTERFACE_INCLUDE_DIRECTORIES
               "${LibTorch_ROOT}/include;${LibTorch_ROOT}/include/torch/csrc/api/include")
  find_library(_libtorch_cuda torch_cuda PATHS "${LibTorch_ROOT}/lib" NO_DEFAULT_PATH NO_CACHE)
  find_library(_libtorch_c10_cuda c10_cuda PATHS "${LibTorch_ROOT}/lib" NO_DEFAULT_PATH NO_CACHE)
  # Plain g++ links with --as-needed, which drops libtorch and CUDA in silence: keep them.
  set(_libtorch_link "LINKER:--push-state,--no-as-needed" "${_libtorch_torch}" "${_libtorch_cpu}"
                     "${_libtorch_c10}")
  set(LibTorch_CUDA FALSE)
  if(_libtorch_cuda AND _libtorch_c10_cuda)
    set(LibTorch_CUDA TRUE)
    list(APPEND _libtorch_link "${_libtorch_cuda}" "${_libtorch_c10_cuda}")
  endif()
  list(APPEND _libtorch_link "LINKER:--pop-state" "LINKER:-rpath,${LibTorch_ROOT}/lib"
       "LINKER:-rpath-link,${LibTorch_ROOT}/lib")
  if(APPLE)
    set(_libtorch_link "${_libtorch_torch}" "${_libtorch_cpu}" "${_libtorch_c10}"
                       "LINKER:-rpath,${LibTorch_ROOT}/lib")
  endif()
  set_target_properties(LibTorch::LibTorch PROPERTIES INTERFACE_LINK_LIBRARIES "${_libtorch_link}")
endif()
