# SPDX-License-Identifier: MIT
# drover_test, drover_script_test and the libraries that tests share.

set(DROVER_TEST_RESULTS "${PROJECT_BINARY_DIR}/test-results")

# drover_test_library(NAME include-dir...) makes drover_NAME from tests/NAME/*.cpp.
function(drover_test_library name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/${name}/*.cpp")
  if(sources)
    add_library(drover_${name} STATIC ${sources})
    drover_target_options(drover_${name})
    target_include_directories(drover_${name} PUBLIC "${PROJECT_SOURCE_DIR}/tests" PRIVATE ${ARGN})
  else()
    add_library(drover_${name} INTERFACE)
    target_include_directories(drover_${name} INTERFACE "${PROJECT_SOURCE_DIR}/tests")
  endif()
endfunction()

# drover_test(NAME path.cpp LAYERS layer... [LIBS target...] [RAPIDCHECK] [LONG])
# LONG: built always, run only by `./dev test --long`. DROVER_LONG=1 is set then, for tests that only grow their counts.
function(drover_test name source)
  cmake_parse_arguments(PARSE_ARGV 2 arg "RAPIDCHECK;LONG" "" "LAYERS;LIBS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "drover_test(${name}): unknown arguments ${arg_UNPARSED_ARGUMENTS}")
  endif()
  list(TRANSFORM arg_LAYERS PREPEND drover_)
  set(target test_${name})
  add_executable(${target} ${source})
  drover_target_options(${target})
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/tests" "${PROJECT_SOURCE_DIR}/src"
                                               "${PROJECT_SOURCE_DIR}/include")
  target_compile_definitions(${target} PRIVATE DROVER_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                                               DROVER_DATA_DEFAULT="${PROJECT_SOURCE_DIR}/../shared/data")
  target_link_libraries(${target} PRIVATE drover_support ${arg_LAYERS} ${arg_LIBS} GTest::gtest_main Threads::Threads)
  if(arg_RAPIDCHECK)
    target_link_libraries(${target} PRIVATE rapidcheck rapidcheck_gtest)
  endif()
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
  add_test(NAME ${name} COMMAND ${target} WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
  set(labels unit)
  if(arg_LONG)
    list(APPEND labels long)
  endif()
  set_tests_properties(${name} PROPERTIES LABELS "${labels}" TIMEOUT 1800
                       ENVIRONMENT "GTEST_OUTPUT=xml:${DROVER_TEST_RESULTS}/${name}.xml")
endfunction()

# drover_script_test(NAME command...): exit status 0 passes, 77 skips, anything else fails.
function(drover_script_test name)
  add_test(NAME ${name} COMMAND ${ARGN} WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
  set_tests_properties(${name} PROPERTIES LABELS script TIMEOUT 1200 SKIP_RETURN_CODE 77)
endfunction()
