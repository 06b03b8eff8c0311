# Configures, builds and tests the example ${NAME} in ${WORK}, with nothing but the SDK installed in
# ${SDK}. A command's output is shown when it fails.
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} -G Ninja -S ${SOURCE}/examples/${NAME} -B ${WORK} -DCMAKE_PREFIX_PATH=${SDK}
    -DCMAKE_BUILD_TYPE=Debug ${SETTINGS})
run(${CMAKE_COMMAND} --build ${WORK})
run(${CMAKE_CTEST_COMMAND} --test-dir ${WORK} --output-on-failure --no-tests=error)
