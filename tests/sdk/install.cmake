# Installs the SDK from the build folder ${BUILD} into the empty prefix ${SDK}.
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

file(REMOVE_RECURSE ${SDK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${SDK} --component sdk)
