# attend_folder(name DEPENDS targets... PRIVATE targets...): the static library attend_<name> of the
# sources in attend/<name>. A folder without sources is an interface, so links stay as written.

function(attend_compile_options target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wno-unused-parameter)
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
  cmake_parse_arguments(ARG "" "" "DEPENDS;PRIVATE" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/attend/${name}/*.cpp")
  set(target attend_${name})
  if(sources)
    add_library(${target} STATIC ${sources})
    target_include_directories(${target} PUBLIC "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>"
                                                "$<INSTALL_INTERFACE:include>")
    target_link_libraries(${target} PUBLIC ${ARG_DEPENDS} PRIVATE ${ARG_PRIVATE})
    attend_compile_options(${target})
  else()
    add_library(${target} INTERFACE)
    target_include_directories(${target} INTERFACE "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>"
                                                   "$<INSTALL_INTERFACE:include>")
    target_link_libraries(${target} INTERFACE ${ARG_DEPENDS})
  endif()
  set_property(GLOBAL APPEND PROPERTY ATTEND_FOLDER_TARGETS ${target})
endfunction()
