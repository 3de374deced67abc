# What every target of the project has in common.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# Warnings and sanitizers of our own code.
function(arete_own_code target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow $<$<BOOL:${ARETE_WERROR}>:-Werror>)
  if(ARETE_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${ARETE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(${target} PRIVATE -fsanitize=${ARETE_SANITIZE})
  endif()
endfunction()

# arete_library(name): the library arete_<name> of all sources in this folder, known outside as arete::<name>.
function(arete_library name)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  if(NOT sources)
    return()
  endif()
  set(target arete_${name})
  add_library(${target} STATIC ${sources})
  add_library(arete::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  target_compile_features(${target} PUBLIC cxx_std_20)
  # Positions are exact only when no two operations are fused: callers that inline the kernel need it as well. g++ 12 drops the
  # rounding of double(float(x)) where its SLP vectoriser takes two of them together (unit_core: a pair of roundings).
  target_compile_options(${target} PUBLIC -ffp-contract=off $<$<CXX_COMPILER_ID:GNU>:-fno-tree-slp-vectorize>)
  target_include_directories(${target}
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
           $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/arete>
    PRIVATE ${PROJECT_SOURCE_DIR}/src)
  arete_own_code(${target})
  set_property(GLOBAL APPEND PROPERTY ARETE_LIBRARIES ${target})
endfunction()

# arete_tests(name FILES... LINK targets...): a GoogleTest program registered with ctest under its own name.
function(arete_tests name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINK;LABELS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_LINK} GTest::gmock GTest::gtest_main)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests)
  target_compile_definitions(${name} PRIVATE ARETE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  arete_own_code(${name})
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS "${arg_LABELS}" TIMEOUT 900)
  if(ARETE_SANITIZE STREQUAL "thread")
    set_tests_properties(${name} PROPERTIES ENVIRONMENT
      "TSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/tsan.supp die_after_fork=0")
  endif()
endfunction()

# Installs headers, libraries, licences and the package files for find_package(arete).
function(arete_install)
  get_property(libraries GLOBAL PROPERTY ARETE_LIBRARIES)
  install(TARGETS ${libraries} EXPORT areteTargets)
  install(EXPORT areteTargets NAMESPACE arete:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/arete)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/arete DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/kernel DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/arete)
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
  install(FILES ${PROJECT_SOURCE_DIR}/third_party/three/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME LICENSE.three)
  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/areteConfig.cmake.in
    ${PROJECT_BINARY_DIR}/areteConfig.cmake INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/arete)
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/areteConfigVersion.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/areteConfig.cmake ${PROJECT_BINARY_DIR}/areteConfigVersion.cmake
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/arete)
endfunction()
