# Shaders are compiled by glslc while building and embedded: no file is read at run time.

find_program(ARETE_GLSLC glslc REQUIRED)

function(arete_shader target source output)
  add_custom_command(OUTPUT ${output}
    COMMAND ${ARETE_GLSLC} --target-env=vulkan1.2 -Werror ${ARGN} -I ${PROJECT_SOURCE_DIR} -MD -MF ${output}.d
            -mfmt=num -o ${output} ${source}
    DEPENDS ${source} DEPFILE ${output}.d COMMENT "Compiling shader ${source}" VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()

# arete_shaders(target FILES...): compiles each GLSL file and puts NAME.spv.inc, the words of the module as a
# comma-separated list, into the target's include path. Files include others by their path from the project's root.
function(arete_shaders target)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target}_shaders)
  file(MAKE_DIRECTORY ${folder})
  foreach(shader ${ARGN})
    get_filename_component(source ${shader} ABSOLUTE)
    get_filename_component(name ${shader} NAME)
    arete_shader(${target} ${source} ${folder}/${name}.spv.inc -O)
  endforeach()
  target_include_directories(${target} PRIVATE ${folder})
endfunction()

# arete_exact_shaders(target FILES...): the same for shaders that compute positions. Nothing is optimised before the driver
# sees the module, and a second one, NAME.nearest.spv.inc, asks for round-to-nearest-even: for devices that offer it.
function(arete_exact_shaders target)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target}_shaders)
  file(MAKE_DIRECTORY ${folder})
  foreach(shader ${ARGN})
    get_filename_component(source ${shader} ABSOLUTE)
    get_filename_component(name ${shader} NAME)
    arete_shader(${target} ${source} ${folder}/${name}.spv.inc -O0)
    arete_shader(${target} ${source} ${folder}/${name}.nearest.spv.inc -O0 -DARETE_ROUND_TO_NEAREST)
  endforeach()
  target_include_directories(${target} PRIVATE ${folder})
endfunction()
