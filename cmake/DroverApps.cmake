# SPDX-License-Identifier: MIT
# The program `drover` (apps/cli and the measurements of bench/), in <build>/bin; absent while apps/cli has no sources.
file(GLOB_RECURSE drover_cli_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/apps/cli/*.cpp")
file(GLOB drover_bench_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/bench/*.cpp")
if(drover_cli_sources)
  find_package(CLI11 2.1 REQUIRED)
  find_package(TBB REQUIRED)
  find_package(Threads REQUIRED)
  add_executable(drover ${drover_cli_sources} ${drover_bench_sources})
  drover_target_options(drover)
  target_include_directories(drover PRIVATE "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/apps/cli"
                                            "${PROJECT_SOURCE_DIR}")
  target_compile_definitions(drover PRIVATE DROVER_VERSION="${PROJECT_VERSION}")
  target_link_libraries(drover PRIVATE drover_io CLI11::CLI11 fmt::fmt nlohmann_json::nlohmann_json TBB::tbb
                        Threads::Threads)
  set_target_properties(drover PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
endif()
