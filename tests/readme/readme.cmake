# SPDX-License-Identifier: MIT
# The embedding shown in README.md, compiled as it stands there and run.
set(readme "${PROJECT_SOURCE_DIR}/README.md")
if(EXISTS "${readme}")
  set_property(DIRECTORY "${PROJECT_SOURCE_DIR}" APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${readme}")
  file(STRINGS "${readme}" markers REGEX "^<!-- embed:begin -->")
endif()
if(markers)
  set(embedding "${PROJECT_BINARY_DIR}/readme/embedding.cpp")
  file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/readme")
  add_custom_command(OUTPUT "${embedding}"
                     COMMAND bash "${PROJECT_SOURCE_DIR}/tests/readme/extract.sh" "${readme}" > "${embedding}"
                     DEPENDS "${readme}" "${PROJECT_SOURCE_DIR}/tests/readme/extract.sh"
                     COMMENT "Extracting the README's embedding" VERBATIM)
  add_executable(readme_embedding "${embedding}")
  drover_target_options(readme_embedding)
  target_link_libraries(readme_embedding PRIVATE drover::core)
  drover_script_test(readme_embedding readme_embedding)
endif()
