# attend_folder(name DEPENDS targets... PRIVATE targets... SOURCES files...): the static library
# attend_<name> of the sources in attend/<name> and those named. A folder without sources is an interface, so links stay as written.

function(attend_compile_options target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wno-unused-parameter)
  # g++ 12 sees overlaps in every inlined "text" + std::string (GCC PR105651, mended in 13).
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(${target} PRIVATE -Wno-restrict)
  endif()
  if(ATTEND_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(ATTEND_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${ATTEND_SANITIZE} -fno-omit-frame-pointer
                                             -fno-sanitize-recover=all)
    target_link_options(${target} PRIVATE -fsanitize=${ATTEND_SANITIZE})
  endif()
endfunction()

function(attend_folder name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;PRIVATE;SOURCES" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/attend/${name}/*.cpp")
  list(APPEND sources ${ARG_SOURCES})
  set(target attend_${name})
  # What has headers alone is no part of the installed package.
  set(private "")
  foreach(dependency IN LISTS ARG_PRIVATE)
    if(dependency IN_LIST ATTEND_HEADER_ONLY)
      set(dependency "$<BUILD_INTERFACE:${dependency}>")
    endif()
    list(APPEND private "${dependency}")
  endforeach()
  if(sources)
    add_library(${target} STATIC ${sources})
    target_include_directories(${target} PUBLIC "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>"
                                                "$<INSTALL_INTERFACE:include>")
    target_link_libraries(${target} PUBLIC ${ARG_DEPENDS} PRIVATE ${private})
    target_compile_features(${target} PUBLIC cxx_std_20)
    attend_compile_options(${target})
  else()
    add_library(${target} INTERFACE)
    target_include_directories(${target} INTERFACE "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>"
                                                   "$<INSTALL_INTERFACE:include>")
    target_link_libraries(${target} INTERFACE ${ARG_DEPENDS})
    target_compile_features(${target} INTERFACE cxx_std_20)
  endif()
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  set_property(GLOBAL APPEND PROPERTY ATTEND_FOLDER_TARGETS ${target})
endfunction()
