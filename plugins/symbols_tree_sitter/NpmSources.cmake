# quarry_npm_sources(<library> <version variable> PACKAGE <npm package> SOURCES <file>…
#                    [INCLUDES <folder>…] [OPTIMISE <level>])
#
# A static library of C sources in an npm package that scripts/npm-packages.txt lists: sources of
# others, so without our warnings and sanitizers. Files and folders are those of the package, and a
# file that it does not have is left out. The variable gets the package's version.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
             ${PROJECT_SOURCE_DIR}/scripts/npm-packages.txt)

function(quarry_npm_sources library version_variable)
  cmake_parse_arguments(NPM "" "PACKAGE;OPTIMISE" "SOURCES;INCLUDES" ${ARGN})
  set(package ${PROJECT_SOURCE_DIR}/build/npm/${NPM_PACKAGE})
  file(STRINGS ${PROJECT_SOURCE_DIR}/scripts/npm-packages.txt line REGEX "^${NPM_PACKAGE} ")
  string(REGEX REPLACE "^[^ ]+ ([^ ]+) .*" "\\1" listed "${line}")
  set(found "nothing")
  if(EXISTS ${package}/package.json)
    file(READ ${package}/package.json description)
    string(JSON found GET "${description}" version)
  endif()
  if(NOT found STREQUAL listed)
    message(FATAL_ERROR "${package} has ${found}, and version \"${listed}\" of ${NPM_PACKAGE} is "
                        "listed. Run scripts/install-npm-packages build.")
  endif()
  list(TRANSFORM NPM_SOURCES PREPEND ${package}/)
  list(TRANSFORM NPM_INCLUDES PREPEND ${package}/)
  set(files "")
  foreach(file IN LISTS NPM_SOURCES)
    if(EXISTS ${file})
      list(APPEND files ${file})
    endif()
  endforeach()
  if(NOT NPM_OPTIMISE)
    set(NPM_OPTIMISE 1)
  endif()
  add_library(${library} STATIC ${files})
  target_include_directories(${library} SYSTEM PRIVATE ${NPM_INCLUDES})
  set_target_properties(${library} PROPERTIES UNITY_BUILD OFF C_CLANG_TIDY ""
    COMPILE_OPTIONS "-w;-O${NPM_OPTIMISE};-fno-sanitize=all;-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=")
  set(${version_variable} ${listed} PARENT_SCOPE)
endfunction()
