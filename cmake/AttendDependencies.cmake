# One interface target for each dependency, so that folders name what they use and no more.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)

add_library(attend_zlib INTERFACE)
find_package(ZLIB REQUIRED)
target_link_libraries(attend_zlib INTERFACE ZLIB::ZLIB Threads::Threads)

# Header-only; linked PRIVATE, so that no public header depends on them.
function(attend_header_only target header package)
  find_path(${target}_INCLUDE ${header} REQUIRED)
  add_library(${target} INTERFACE)
  if(NOT ${target}_INCLUDE STREQUAL "/usr/include")
    target_include_directories(${target} SYSTEM INTERFACE "${${target}_INCLUDE}")
  endif()
endfunction()
attend_header_only(attend_json nlohmann/json.hpp nlohmann-json3-dev)
attend_header_only(attend_toml toml++/toml.h libtomlplusplus-dev)
attend_header_only(attend_cli11 CLI/CLI.hpp libcli11-dev)
attend_header_only(attend_fmt fmt/format.h libfmt-dev)
# The wheel of LibTorch carries fmt 12, which shadows the system's: use it without its library.
target_compile_definitions(attend_fmt INTERFACE FMT_HEADER_ONLY=1)
target_compile_definitions(attend_toml INTERFACE TOML_EXCEPTIONS=1)

find_path(UTF8PROC_INCLUDE utf8proc.h REQUIRED)
find_library(UTF8PROC_LIBRARY utf8proc REQUIRED)
add_library(attend_utf8proc INTERFACE)
target_link_libraries(attend_utf8proc INTERFACE "${UTF8PROC_LIBRARY}")

find_path(SENTENCEPIECE_INCLUDE sentencepiece_processor.h REQUIRED)
find_library(SENTENCEPIECE_LIBRARY sentencepiece REQUIRED)
find_library(SENTENCEPIECE_TRAIN_LIBRARY sentencepiece_train REQUIRED)
add_library(attend_sentencepiece INTERFACE)
target_link_libraries(attend_sentencepiece INTERFACE "${SENTENCEPIECE_TRAIN_LIBRARY}"
                                                     "${SENTENCEPIECE_LIBRARY}")

# PNG is our SVG through librsvg; without it the program says so when a PNG is asked for.
add_library(attend_rsvg INTERFACE)
pkg_check_modules(RSVG IMPORTED_TARGET librsvg-2.0)
if(RSVG_FOUND)
  target_link_libraries(attend_rsvg INTERFACE PkgConfig::RSVG)
  target_compile_definitions(attend_rsvg INTERFACE ATTEND_HAVE_RSVG=1)
endif()
