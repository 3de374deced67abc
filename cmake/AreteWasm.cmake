# Our sources as one wasm32 module: no imports, exports by name in the sources.
find_program(ARETE_WASM_CLANG NAMES clang++ clang++-14)
find_program(ARETE_WASM_LINKER NAMES wasm-ld wasm-ld-14)
set(ARETE_WASM_CXX)
if(ARETE_WASM_CLANG AND ARETE_WASM_LINKER)
  set(probe ${CMAKE_BINARY_DIR}/CMakeFiles/arete_wasm_probe.cpp)
  file(CONFIGURE OUTPUT ${probe} CONTENT "#include <vector>\nstd::vector<int> numbers(3);\n")
  execute_process(COMMAND ${ARETE_WASM_CLANG} --target=wasm32-wasi -mexec-model=reactor -fno-exceptions ${probe} -o ${probe}.wasm
    RESULT_VARIABLE result OUTPUT_QUIET ERROR_QUIET)
  if(result EQUAL 0)
    set(ARETE_WASM_CXX ${ARETE_WASM_CLANG})
  endif()
endif()

# arete_wasm(output sources...): sources are relative to the project.
function(arete_wasm output)
  # Highway's headers lie among the host's, which must come last.
  get_target_property(highway hwy::hwy INTERFACE_INCLUDE_DIRECTORIES)
  set(flags --target=wasm32-wasi -std=c++20 -O3 -msimd128 -fno-exceptions -fno-rtti -ffp-contract=off
    -Wall -Wextra -Wpedantic -Wshadow $<$<BOOL:${ARETE_WERROR}>:-Werror>
    -I ${PROJECT_SOURCE_DIR}/include -I ${PROJECT_SOURCE_DIR} -I ${PROJECT_SOURCE_DIR}/src
    -idirafter $<IF:$<BOOL:${highway}>,${highway},/usr/include>)
  set(objects)
  foreach(source ${ARGN})
    string(REPLACE "/" "_" object ${source})
    set(object ${CMAKE_CURRENT_BINARY_DIR}/wasm/${object}.o)
    add_custom_command(OUTPUT ${object}
      COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} ${ARETE_WASM_CXX} ${flags} -MD -MF ${object}.d -c ${PROJECT_SOURCE_DIR}/${source}
        -o ${object}
      DEPENDS ${PROJECT_SOURCE_DIR}/${source} DEPFILE ${object}.d COMMENT "Building ${source} for wasm32" VERBATIM)
    list(APPEND objects ${object})
  endforeach()
  file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/wasm)
  add_custom_command(OUTPUT ${output}
    COMMAND ${ARETE_WASM_CXX} --target=wasm32-wasi -mexec-model=reactor -O3 -Wl,--strip-all ${objects} -o ${output}
    DEPENDS ${objects} COMMENT "Linking ${output}" VERBATIM)
endfunction()
