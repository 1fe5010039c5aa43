# The installed tree: the program, the folders as static libraries, their headers, the presets, and a
# CMake package, so that find_package(attend) gives attend::attend. tests/consumer uses it.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(_attend_package "${CMAKE_INSTALL_LIBDIR}/cmake/attend")
get_property(_attend_folders GLOBAL PROPERTY ATTEND_FOLDER_TARGETS)
install(TARGETS attend ${_attend_folders} EXPORT attend
        ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(EXPORT attend NAMESPACE attend:: FILE attendTargets.cmake DESTINATION "${_attend_package}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/attend" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
        FILES_MATCHING PATTERN "*.h" PATTERN kernels EXCLUDE)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/configs" DESTINATION "${CMAKE_INSTALL_DATADIR}/attend"
        COMPONENT program FILES_MATCHING PATTERN "*.toml")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")

if(TARGET attend_program)
  # LibTorch stays where it was found, and the installed program must find it there.
  set_target_properties(attend_program PROPERTIES INSTALL_RPATH "${LibTorch_ROOT}/lib")
  install(TARGETS attend_program RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT program)
endif()

configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/attendConfig.cmake.in" "${PROJECT_BINARY_DIR}/attendConfig.cmake"
  INSTALL_DESTINATION "${_attend_package}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/attendConfigVersion.cmake"
                                 COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/attendConfig.cmake"
              "${PROJECT_BINARY_DIR}/attendConfigVersion.cmake"
              "${PROJECT_SOURCE_DIR}/cmake/AttendDependencies.cmake"
              "${PROJECT_SOURCE_DIR}/cmake/FindLibTorch.cmake"
        DESTINATION "${_attend_package}")
