include(${CMAKE_CURRENT_LIST_DIR}/QuarrySdkTargets.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/QuarryPlugin.cmake)
