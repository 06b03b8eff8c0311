function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/sdk --component sdk)

function(build_example name variant)
  set(directory ${WORK}/${name}-${variant})
  run(${CMAKE_COMMAND} -G Ninja -S ${SOURCE}/examples/${name} -B ${directory}
      -DCMAKE_PREFIX_PATH=${WORK}/sdk -DCMAKE_BUILD_TYPE=Debug ${ARGN})
  run(${CMAKE_COMMAND} --build ${directory})
  run(${CMAKE_CTEST_COMMAND} --test-dir ${directory} --output-on-failure --no-tests=error)
endfunction()

find_program(CLANG clang)
find_program(CLANGXX clang++)
file(GLOB examples RELATIVE ${SOURCE}/examples ${SOURCE}/examples/*)
foreach(example IN LISTS examples)
  build_example(${example} default)
  if(CLANG AND CLANGXX)
    build_example(${example} clang -DCMAKE_C_COMPILER=${CLANG} -DCMAKE_CXX_COMPILER=${CLANGXX}
                  -DCMAKE_CXX_FLAGS=-fno-rtti)
  endif()
endforeach()
file(REMOVE_RECURSE ${WORK})
