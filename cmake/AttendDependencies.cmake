# One target for each dependency, so that folders name what they use and no more. They are imported:
# an exported folder names them, and the installed package makes them again with this same file, for
# which it sets ATTEND_LINK_ONLY (an installed tree links, and needs none of their headers).
find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)
find_package(PkgConfig REQUIRED)

function(attend_dependency target)
  if(NOT TARGET ${target})
    add_library(${target} INTERFACE IMPORTED)
    target_link_libraries(${target} INTERFACE ${ARGN})
  endif()
endfunction()

attend_dependency(attend_zlib ZLIB::ZLIB Threads::Threads)

find_library(UTF8PROC_LIBRARY utf8proc REQUIRED)
attend_dependency(attend_utf8proc "${UTF8PROC_LIBRARY}")

find_library(HIGHWAY_LIBRARY hwy REQUIRED)
attend_dependency(attend_highway "${HIGHWAY_LIBRARY}")

find_library(SENTENCEPIECE_LIBRARY sentencepiece REQUIRED)
find_library(SENTENCEPIECE_TRAIN_LIBRARY sentencepiece_train REQUIRED)
attend_dependency(attend_sentencepiece "${SENTENCEPIECE_TRAIN_LIBRARY}" "${SENTENCEPIECE_LIBRARY}")

# PNG is our SVG through librsvg; without it the program says so when a PNG is asked for.
attend_dependency(attend_rsvg)
pkg_check_modules(RSVG IMPORTED_TARGET librsvg-2.0)
if(RSVG_FOUND)
  target_link_libraries(attend_rsvg INTERFACE PkgConfig::RSVG)
endif()

if(ATTEND_LINK_ONLY)
  return()
endif()

# All headers below are for our sources; no public header includes one.
function(attend_headers target header)
  find_path(${target}_INCLUDE ${header} REQUIRED)
  attend_dependency(${target})
  target_include_directories(${target} SYSTEM INTERFACE "${${target}_INCLUDE}")
endfunction()

attend_headers(attend_utf8proc utf8proc.h)
attend_headers(attend_sentencepiece sentencepiece_processor.h)
attend_headers(attend_highway hwy/highway.h)
if(RSVG_FOUND)
  target_compile_definitions(attend_rsvg INTERFACE ATTEND_HAVE_RSVG=1)
endif()

set(ATTEND_HEADER_ONLY attend_json attend_toml attend_cli11 attend_fmt)
attend_headers(attend_json nlohmann/json.hpp)
attend_headers(attend_toml toml++/toml.h)
attend_headers(attend_cli11 CLI/CLI.hpp)
attend_headers(attend_fmt fmt/format.h)
# The wheel of LibTorch carries fmt 12, which shadows the system's: use it without its library.
target_compile_definitions(attend_fmt INTERFACE FMT_HEADER_ONLY=1)
target_compile_definitions(attend_toml INTERFACE TOML_EXCEPTIONS=1)
