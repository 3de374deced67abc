# Installs, configures the outside project against the install, builds and runs it.
function(step)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${ARGN}\nexit code ${code}\n${output}")
  endif()
endfunction()

file(REMOVE_RECURSE ${SCRATCH})
set(flags)
if(SANITIZE)
  set(flags -DCMAKE_CXX_FLAGS=-fsanitize=${SANITIZE})
endif()
step(${CMAKE_COMMAND} --install ${BUILD} --prefix ${SCRATCH}/install)
step(${CMAKE_COMMAND} -G ${GENERATOR} -S ${PROJECT} -B ${SCRATCH}/build -DCMAKE_PREFIX_PATH=${SCRATCH}/install
  -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_BUILD_TYPE=Release ${flags})
step(${CMAKE_COMMAND} --build ${SCRATCH}/build)
step(${SCRATCH}/build/outside)
