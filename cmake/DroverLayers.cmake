# SPDX-License-Identifier: MIT
# Layers: src/<name>/*.cpp becomes the static library drover_<name>, exported as drover::<name>.

set(DROVER_LAYERS "" CACHE INTERNAL "Core layers, bottom first")

# drover_layer(NAME [DEPENDS layer...]); a layer without sources is an interface library, so the tree always configures.
function(drover_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "DEPENDS")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/${name}/*.cpp")
  list(TRANSFORM arg_DEPENDS PREPEND drover_)
  set(target drover_${name})
  if(sources)
    add_library(${target} STATIC ${sources})
    drover_target_options(${target})
    target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/src")
    set(scope PUBLIC)
  else()
    add_library(${target} INTERFACE)
    target_compile_features(${target} INTERFACE cxx_std_20)
    set(scope INTERFACE)
  endif()
  target_include_directories(${target} ${scope} "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>"
                                                "$<INSTALL_INTERFACE:include>")
  target_link_libraries(${target} ${scope} ${arg_DEPENDS})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  add_library(drover::${name} ALIAS ${target})
  set(DROVER_LAYERS ${DROVER_LAYERS} ${name} CACHE INTERNAL "")
endfunction()

# drover::core is the sum of the layer archives, not one more archive: no object can end up twice in one link.
function(drover_core)
  add_library(drover_core INTERFACE)
  list(TRANSFORM ARGN PREPEND drover_ OUTPUT_VARIABLE tops)
  target_link_libraries(drover_core INTERFACE ${tops})
  set_target_properties(drover_core PROPERTIES EXPORT_NAME core)
  add_library(drover::core ALIAS drover_core)
endfunction()
