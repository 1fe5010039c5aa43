# Tests of the whole: of the build and the set-up by scripts here, of the built program by whatever
# *_test.sh or *_test.cmake lies here. A script gets its own empty folder, and these variables:
#   ATTEND_SOURCE, ATTEND_BUILD   the two trees        ATTEND_WORK      its empty folder
#   ATTEND_PROGRAM                the program, or ""   ATTEND_LIBTORCH  LibTorch's folder, or ""
#   ATTEND_CXX                    the compiler
#   ATTEND_BENCH_STEPS            attend_bench_steps, or ""
#   ATTEND_BENCH_ATTENTION        attend_bench_attention, or ""
#   ATTEND_BENCHES                the folder of all such programs
# A script that ends with status 77 was skipped, and has said why.

function(attend_system_test name)
  cmake_parse_arguments(ARG "" "TIMEOUT" "LABELS" ${ARGN})
  set(script "${CMAKE_CURRENT_SOURCE_DIR}/system/${name}_test")
  set(work "${CMAKE_CURRENT_BINARY_DIR}/work/${name}")
  set(program "")
  if(TARGET attend_program)
    set(program "$<TARGET_FILE:attend_program>")
  endif()
  set(bench_steps "")
  set(bench_attention "")
  if(ATTEND_BENCH AND ATTEND_TORCH)
    set(bench_steps "$<TARGET_FILE:attend_bench_steps>")
    set(bench_attention "$<TARGET_FILE:attend_bench_attention>")
  endif()
  if(EXISTS "${script}.sh")
    set(run bash "${script}.sh")
  else()
    set(run "${CMAKE_COMMAND}" -P "${script}.cmake")
  endif()
  add_test(NAME system.${name}
           COMMAND "${CMAKE_COMMAND}" -E env "ATTEND_SOURCE=${PROJECT_SOURCE_DIR}"
                   "ATTEND_BUILD=${PROJECT_BINARY_DIR}" "ATTEND_WORK=${work}"
                   "ATTEND_PROGRAM=${program}" "ATTEND_LIBTORCH=${LibTorch_ROOT}"
                   "ATTEND_CXX=${CMAKE_CXX_COMPILER}" "ATTEND_BENCH_STEPS=${bench_steps}"
                   "ATTEND_BENCH_ATTENTION=${bench_attention}"
                   "ATTEND_BENCHES=${PROJECT_BINARY_DIR}/bench" bash
                   "${CMAKE_CURRENT_SOURCE_DIR}/system/in_empty_folder.sh" ${run})
  set_tests_properties(system.${name} PROPERTIES LABELS "system;${ARG_LABELS}" SKIP_RETURN_CODE 77
                                                 TIMEOUT 600)
  if(ARG_TIMEOUT)
    set_tests_properties(system.${name} PROPERTIES TIMEOUT ${ARG_TIMEOUT})
  endif()
endfunction()

# Once is enough: the build without LibTorch is for what its folders hold.
if(NOT ATTEND_TORCH)
  return()
endif()
attend_system_test(tree)
attend_system_test(readme)
attend_system_test(recipe)
attend_system_test(libtorch)
attend_system_test(setup)
attend_system_test(consumer)

# Those of the program, found by name. program_train leaves the small models that the others use.
if(TARGET attend_program)
  file(GLOB _scripts CONFIGURE_DEPENDS RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}/system"
       "${CMAKE_CURRENT_SOURCE_DIR}/system/program_*_test.sh")
  foreach(_script IN LISTS _scripts)
    string(REGEX REPLACE "_test\\.sh$" "" _name "${_script}")
    attend_system_test(${_name})
    if(_name STREQUAL "program_train")
      set_tests_properties(system.${_name} PROPERTIES FIXTURES_SETUP trained_models)
    elseif(NOT _name STREQUAL "program_toy")
      set_tests_properties(system.${_name} PROPERTIES FIXTURES_REQUIRED trained_models)
    endif()
  endforeach()
endif()

# The same results as the PyTorch peers.
if(TARGET attend_program AND ATTEND_BENCH)
  attend_system_test(parity LABELS peers)
  attend_system_test(python_loads LABELS peers)
  attend_system_test(bench_attention LABELS peers)
  attend_system_test(bench_decoding LABELS peers)
  attend_system_test(bench_ops LABELS peers)
  attend_system_test(bench_programs)
endif()
