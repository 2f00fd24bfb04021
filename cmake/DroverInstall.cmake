# SPDX-License-Identifier: MIT
# Install rules; find_package(drover) gives drover::core, COMPONENTS io adds drover::io and its packages.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(drover_config_dir "${CMAKE_INSTALL_LIBDIR}/cmake/drover")
set(drover_core_targets drover_core)
foreach(layer IN LISTS DROVER_LAYERS)
  list(APPEND drover_core_targets drover_${layer})
endforeach()

install(TARGETS ${drover_core_targets} EXPORT drover-core ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(EXPORT drover-core NAMESPACE drover:: FILE drover-core-targets.cmake DESTINATION "${drover_config_dir}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/drover" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
if(TARGET drover_io)
  install(TARGETS drover_io EXPORT drover-io ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
  install(EXPORT drover-io NAMESPACE drover:: FILE drover-io-targets.cmake DESTINATION "${drover_config_dir}")
endif()
if(TARGET drover)
  install(TARGETS drover RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()

configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/drover-config.cmake.in"
                              "${PROJECT_BINARY_DIR}/drover-config.cmake" INSTALL_DESTINATION "${drover_config_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/drover-config-version.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/drover-config.cmake" "${PROJECT_BINARY_DIR}/drover-config-version.cmake"
        DESTINATION "${drover_config_dir}")
