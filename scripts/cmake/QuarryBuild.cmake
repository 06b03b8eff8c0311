# Settings of every target of this tree: language level, warnings, sanitizers, cache, layout.

set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
# An error: a target with other flags than its precompiled header would parse the headers as text.
set(CMAKE_PCH_WARN_INVALID ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
# The same layout of program and plugins as after installation, so that one rule finds them.
set(QUARRY_PLUGIN_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib/quarry/plugins)

find_program(QUARRY_CCACHE ccache)
if(QUARRY_CCACHE)
  set(launcher ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      CCACHE_NOHASHDIR=1 CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} ${QUARRY_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
endif()

find_program(QUARRY_MOLD mold)
if(QUARRY_MOLD)
  add_link_options(-fuse-ld=mold)
endif()

add_compile_options(-pthread -Wall -Wextra -Wpedantic -Wshadow -Werror
                    "-ffile-prefix-map=${CMAKE_SOURCE_DIR}/=")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ collects its garbage after half a GiB: a tenth less time for a quarter more memory.
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:--param=ggc-min-heapsize=524288>)
  # g++ 12 reports these inside its own library headers.
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>
                      -Wno-maybe-uninitialized -Wno-restrict -Wno-stringop-overflow
                      -Wno-array-bounds)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # std::ranges::stable_sort of libstdc++ 12 calls a function that C++17 deprecates.
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-deprecated-declarations>)
endif()
# A unit includes files as if they were headers, and a file's own names are visible to the files
# after it. These warnings are about that. g++ keeps the one about names that hide others for the
# product: a file of it gives its own names no common words.
set(unit "$<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>")
add_compile_options($<$<AND:${unit},$<COMPILE_LANG_AND_ID:CXX,Clang>>:-Wno-shadow>
                    $<$<AND:${unit},$<COMPILE_LANG_AND_ID:CXX,GNU>>:-Wno-subobject-linkage>)
if(QUARRY_SANITIZE)
  add_compile_options(-fsanitize=${QUARRY_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${QUARRY_SANITIZE})
  if(QUARRY_SANITIZE MATCHES "undefined")
    add_compile_options(-fno-sanitize-recover=undefined)
  endif()
endif()

find_package(Threads REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(Boost 1.81 REQUIRED)
find_package(PkgConfig REQUIRED)

# Asio and Beast headers only declare; each program or plugin that uses them compiles the
# definitions once.
add_library(quarry_boost INTERFACE)
target_include_directories(quarry_boost SYSTEM INTERFACE ${Boost_INCLUDE_DIRS})
target_compile_definitions(quarry_boost INTERFACE BOOST_ASIO_SEPARATE_COMPILATION
                           BOOST_BEAST_SEPARATE_COMPILATION BOOST_ASIO_NO_DEPRECATED)
target_link_libraries(quarry_boost INTERFACE Threads::Threads)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 does not see that a coroutine's frame is freed by the allocator that Asio took it from.
  target_compile_options(quarry_boost INTERFACE -Wno-mismatched-new-delete)
endif()
if(QUARRY_SANITIZE MATCHES "thread" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Asio's fences, which the sanitizer does not support and our ordering does not depend on.
  target_compile_options(quarry_boost INTERFACE -Wno-tsan)
endif()

# quarry_module(<name> [SOURCES …] [TESTS …] [SLOW …] [CONCURRENT_TESTS …] [CONCURRENT_SLOW …]
#               [PUBLIC …] [PRIVATE …])
# One folder of the host: a static library `quarry_<name>` and its unit tests `<name>_tests`.
# CONCURRENT_TESTS form a separate program, which also runs under the thread sanitizer. SLOW and
# CONCURRENT_SLOW are as in quarry_test.
function(quarry_module name)
  cmake_parse_arguments(MODULE "" "" "SOURCES;TESTS;CONCURRENT_TESTS;PUBLIC;PRIVATE;TEST_LINK;SLOW;CONCURRENT_SLOW" ${ARGN})
  add_library(quarry_${name} STATIC ${MODULE_SOURCES})
  target_include_directories(quarry_${name} PUBLIC ${PROJECT_SOURCE_DIR}/host)
  target_link_libraries(quarry_${name} PUBLIC ${MODULE_PUBLIC} PRIVATE ${MODULE_PRIVATE})
  if(name STREQUAL QUARRY_PCH_MODULE)
    target_precompile_headers(quarry_${name} PRIVATE ${PROJECT_SOURCE_DIR}/host/base/pch.h)
  else()
    target_precompile_headers(quarry_${name} REUSE_FROM quarry_${QUARRY_PCH_MODULE})
  endif()
  if(MODULE_TESTS)
    quarry_test(${name}_tests SOURCES ${MODULE_TESTS} SLOW ${MODULE_SLOW}
                LINK quarry_${name} ${MODULE_PRIVATE} ${MODULE_TEST_LINK})
  endif()
  if(MODULE_CONCURRENT_TESTS AND BUILD_TESTING)
    quarry_test(${name}_concurrent_tests SOURCES ${MODULE_CONCURRENT_TESTS} SLOW ${MODULE_CONCURRENT_SLOW}
                LINK quarry_${name} ${MODULE_PRIVATE} ${MODULE_TEST_LINK} LABELS concurrency)
  endif()
endfunction()

# Tests that need paths of this tree include <quarry_places.h>; the others compile the same in any
# directory, and come from the cache.
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/quarry_places.h CONTENT
"#define QUARRY_SOURCE_DIR \"@PROJECT_SOURCE_DIR@\"
#define QUARRY_BUILD_DIR \"@CMAKE_BINARY_DIR@\"
" @ONLY)

# Everything that tests of the part "slow" need and the gate does not.
if(BUILD_TESTING)
  add_custom_target(slow_tests)
endif()

# quarry_test(<target> SOURCES … [LINK …] [LABELS …] [SLOW <pattern>…] [PART <part>]): a GoogleTest
# program, one CTest, which runs in the gate; PART names another part for all of it. SLOW are the tests
# that run in the part "slow" instead, as the CTest <target>.slow: patterns of GoogleTest, each of which
# must match a test. A single test: <target> --gtest_filter=<pattern>.
# The label is "unit" where none is given. Each CTest has its own key and temporary directory
# (tests/canary).
function(quarry_test target)
  if(NOT BUILD_TESTING)
    return()
  endif()
  cmake_parse_arguments(TEST "" "PART" "SOURCES;LINK;LABELS;SLOW" ${ARGN})
  if(NOT TEST_PART)
    set(TEST_PART gate)
  endif()
  if(NOT TEST_LABELS)
    set(TEST_LABELS unit)
  endif()
  find_package(GTest REQUIRED)
  add_executable(${target} ${TEST_SOURCES})
  target_link_libraries(${target} PRIVATE ${TEST_LINK} quarry_test_main)
  target_include_directories(${target} PRIVATE ${CMAKE_BINARY_DIR}/generated)
  set_target_properties(${target} PROPERTIES UNITY_BUILD_BATCH_SIZE 20)
  # The tests themselves need not be fast: half the compile time.
  target_compile_options(${target} PRIVATE -O0 $<$<AND:${unit},$<COMPILE_LANG_AND_ID:CXX,GNU>>:-Wno-shadow>)
  get_property(pch_owner GLOBAL PROPERTY QUARRY_TEST_PCH)
  if(pch_owner)
    target_precompile_headers(${target} REUSE_FROM ${pch_owner})
  else()
    set_property(GLOBAL PROPERTY QUARRY_TEST_PCH ${target})
    target_precompile_headers(${target} PRIVATE
      $<$<COMPILE_LANGUAGE:CXX>:${PROJECT_SOURCE_DIR}/tests/canary/quarry_test_pch.h>)
  endif()
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  if(NOT TEST_PART STREQUAL "gate")
    set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL ON)
    add_dependencies(${TEST_PART}_tests ${target})
  endif()
  if("concurrency" IN_LIST TEST_LABELS)
    if(NOT TARGET concurrent_tests)
      add_custom_target(concurrent_tests)
    endif()
    add_dependencies(concurrent_tests ${target})
  endif()
  set(filter "")
  if(TEST_SLOW)
    list(JOIN TEST_SLOW ":" slow)
    set(filter --gtest_filter=-${slow})
    add_test(NAME ${target}.slow COMMAND ${target} --gtest_brief=1 --gtest_filter=${slow})
    set_tests_properties(${target}.slow PROPERTIES TIMEOUT 2400 COST 200 LABELS "${TEST_LABELS};slow")
  endif()
  add_test(NAME ${target} COMMAND ${target} --gtest_brief=1 ${filter})
  set_tests_properties(${target} PROPERTIES TIMEOUT 1200 LABELS "${TEST_LABELS};${TEST_PART}")
endfunction()

# quarry_python_test(<name> PART <part> MODULES <module>… [LABELS …] [ENVIRONMENT …] [PROPERTIES …]):
# unit tests of Python in modules of this folder, one CTest, which know the source and the build.
function(quarry_python_test name)
  cmake_parse_arguments(TEST "" "PART" "MODULES;LABELS;ENVIRONMENT;PROPERTIES" ${ARGN})
  add_test(NAME ${name}
    COMMAND ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/tests/run_unittest.py ${TEST_MODULES}
    WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES
    TIMEOUT 2400
    LABELS "${TEST_LABELS};${TEST_PART}"
    ENVIRONMENT "QUARRY_BUILD_DIR=${CMAKE_BINARY_DIR};QUARRY_SOURCE_DIR=${PROJECT_SOURCE_DIR};PYTHONDONTWRITEBYTECODE=1;${TEST_ENVIRONMENT}"
    ${TEST_PROPERTIES})
endfunction()
