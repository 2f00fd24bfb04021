# SPDX-License-Identifier: MIT
# drover::io: files in and out. The only library that needs packages.
find_package(fmt 9 REQUIRED)
find_package(tomlplusplus 3.3 REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(PNG REQUIRED)
find_package(pugixml 1.12 REQUIRED)
find_package(ZLIB REQUIRED)
find_package(zstd 1.5 REQUIRED)

file(GLOB_RECURSE drover_io_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/io/*.cpp")
if(drover_io_sources)
  add_library(drover_io STATIC ${drover_io_sources})
  drover_target_options(drover_io)
  target_include_directories(drover_io PRIVATE "${PROJECT_SOURCE_DIR}/src")
  target_link_libraries(drover_io PUBLIC drover_core PRIVATE fmt::fmt tomlplusplus::tomlplusplus PNG::PNG pugixml::pugixml
                        ZLIB::ZLIB zstd::libzstd_shared "$<BUILD_INTERFACE:nlohmann_json::nlohmann_json>")
else()
  add_library(drover_io INTERFACE)
  target_link_libraries(drover_io INTERFACE drover_core)
endif()
set_target_properties(drover_io PROPERTIES EXPORT_NAME io)
add_library(drover::io ALIAS drover_io)
