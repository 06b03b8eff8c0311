cmake_minimum_required(VERSION 3.25)
function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/sdk --component sdk)

function(build_example name variant)
  set(directory ${WORK}/${variant}/${name})
  run(${CMAKE_COMMAND} -G Ninja -S ${SOURCE}/examples/${name} -B ${directory}
      -DCMAKE_PREFIX_PATH=${WORK}/sdk -DCMAKE_BUILD_TYPE=Debug ${ARGN})
  run(${CMAKE_COMMAND} --build ${directory})
  run(${CMAKE_CTEST_COMMAND} --test-dir ${directory} --output-on-failure --no-tests=error)
endfunction()

# The three that show the contract in C and C++ are built by both compilers, the others by one.
set(both model-lines-cpp resource-note-c resource-notes-cpp)
find_program(CLANG clang)
find_program(CLANGXX clang++)
file(GLOB examples RELATIVE ${SOURCE}/examples ${SOURCE}/examples/*)
foreach(example IN LISTS examples)
  build_example(${example} default)
  if(CLANG AND CLANGXX AND example IN_LIST both)
    build_example(${example} clang -DCMAKE_C_COMPILER=${CLANG} -DCMAKE_CXX_COMPILER=${CLANGXX}
                  -DCMAKE_CXX_FLAGS=-fno-rtti)
  endif()
endforeach()
run(${CMAKE_COMMAND} -E env QUARRY_BUILD_DIR=${BUILD} QUARRY_SOURCE_DIR=${SOURCE}
    QUARRY_EXAMPLES=${WORK}/default PYTHONDONTWRITEBYTECODE=1
    python3 ${SOURCE}/tests/sdk/test_examples.py)
file(REMOVE_RECURSE ${WORK})
