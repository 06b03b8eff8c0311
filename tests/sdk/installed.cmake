function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

function(ask_about_notes)
  set(home ${WORK}/home)
  file(WRITE ${home}/quarry.toml "plugin_path = [\"${WORK}/resource-notes-cpp-default/lib/quarry/plugins\"]
[[resource]]
type = \"notes\"
name = \"mine\"
notes = [\"The zebra ships on Friday.\", \"Nobody works on Sunday.\"]
")
  execute_process(
    COMMAND ${CMAKE_COMMAND} -E env HOME=${home} XDG_CACHE_HOME=${home}/cache XDG_STATE_HOME=${home}/state
            XDG_CONFIG_HOME=${home}/config ${QUARRY} ask --config quarry.toml "When does the zebra ship?"
    WORKING_DIRECTORY ${home} OUTPUT_VARIABLE answer COMMAND_ERROR_IS_FATAL ANY)
  if(NOT answer MATCHES "mine:note-1.md#L1")
    message(FATAL_ERROR "the answer does not cite the note:\n${answer}")
  endif()
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
ask_about_notes()
file(REMOVE_RECURSE ${WORK})
