# quarry_add_plugin(<name> ID <id> VERSION <version> SUMMARY <text> SOURCES <file>… | ARCHIVE <file>
#   COMPONENTS <kind>:<name>[:<schema file>[:<configuration schema file>]]…
#   [LICENCE <name>] [LIBRARIES <target>…] [HOSTS <host>…] [PROGRAMS <program>[>=<version>]…] [SECRETS <name>…]
#   [OPT_IN <component name>…] [MINIMUM <major>.<minor>] [VALIDATE <option>…] [ISOLATED] [COMPRESSED]
#   [DEFERRED [ENVIRONMENT <variable>…]])
#
# Builds <name>.so with the entry as its only exported symbol, and writes plugin.toml beside it: the
# data that the host checks before it runs any code (identity, contract, digest, components,
# permissions). Both go to ${QUARRY_PLUGIN_OUTPUT_DIRECTORY}/<name> and are installed to
# lib/quarry/plugins/<name>. OPT_IN names transports that are started only where the configuration
# enables them. The kind is "resource", "model", "pricing", "transport", or one of the drafts "store.draft",
# "symbols.draft", "embedding.draft" and "rerank.draft", which hosts load only if their configuration says so. A schema file is
# the JSON Schema of the component's fields; with it a configuration is checked without loading the
# plugin. A resource type has a second one, for its table [resource_type.<name>]. MINIMUM is the
# oldest version of the contract that the plugin works with; without it, every minor. The test
# validate.<name> runs quarry-validate, with the options of VALIDATE, such as --configuration <file>.
# The version of a program is the oldest that the plugin can use, as in git>=2.31: "quarry doctor"
# reads what `<program> --version` prints. ARCHIVE is a static library with the entry: a target, which is
# compiled as a plugin's sources are and which tests can link, or the file of one in another language such
# as Rust, which the caller makes before, with add_dependencies.
#
# ISOLATED makes hosts that it came with run it in a process of its own; other hosts do so anyway.
#
# DEFERRED says that create and describe of all its components depend on nothing but their tables and
# the variables of ENVIRONMENT (of a secret, on its being set): a host that it came with keeps what they
# return, and loads the plugin when a component is used.
#
# COMPRESSED ships <name>.so.zst, which the host unpacks in memory whenever it loads the plugin: for one
# that has megabytes of tables and is seldom loaded. <name>.so stays in the build directory.
#
# C++ is compiled without GNU extensions, of which the macro "linux" is one.
#
# quarry_schema_headers(<target> <schema file>…)
#
# Lets sources of the target, in C or C++, include the header <file name>.h, which defines the text of
# the file as a string literal named like it: "schema.json.h" defines SCHEMA_JSON. So describe and the
# manifest have one copy of the schema. quarry_add_plugin does this for the plugin and its schema
# files; a test that compiles the plugin's sources does it for itself. The header follows changes of
# the file.

# The version of the contract, from its header in this tree or beside the installed package.
function(_quarry_abi_version major minor)
  set(header ${QUARRY_SDK_INCLUDE}/quarry/abi.h)
  if(NOT QUARRY_SDK_INCLUDE)
    set(header ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../../../include/quarry/abi.h)
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${header})
  foreach(part major minor)
    string(TOUPPER ${part} name)
    file(STRINGS ${header} line REGEX "^#define QUARRY_ABI_${name} ")
    string(REGEX REPLACE ".* ([0-9]+)u$" "\\1" number "${line}")
    set(${${part}} ${number} PARENT_SCOPE)
  endforeach()
endfunction()

function(_quarry_toml_list out)
  list(TRANSFORM ARGN REPLACE "(.+)" "\"\\1\"" OUTPUT_VARIABLE quoted)
  list(JOIN quoted ", " text)
  set(${out} "[${text}]" PARENT_SCOPE)
endfunction()

function(_quarry_manifest out name)
  _quarry_abi_version(major minor)
  set(text "format = 1\nid = \"${PLUGIN_ID}\"\nversion = \"${PLUGIN_VERSION}\"\n")
  string(APPEND text "summary = \"${PLUGIN_SUMMARY}\"\nlicence = \"${PLUGIN_LICENCE}\"\n")
  if(PLUGIN_ISOLATED)
    string(APPEND text "isolation = \"process\"\n")
  endif()
  string(APPEND text "\n[abi]\nbuilt_for = \"${major}.${minor}\"\n")
  string(APPEND text "minimum = \"${PLUGIN_MINIMUM}\"\n")
  string(APPEND text "\n[file]\nname = \"${PLUGIN_FILE}\"\nsha256 = \"@SHA256@\"\n")
  set(digests "")
  foreach(component IN LISTS PLUGIN_COMPONENTS)
    string(REPLACE ":" ";" parts "${component}")
    list(GET parts 0 kind)
    list(GET parts 1 component_name)
    string(APPEND text "\n[[component]]\nkind = \"quarry.${kind}/1\"\nname = \"${component_name}\"\n")
    list(LENGTH parts count)
    if(count GREATER 2)
      list(GET parts 2 schema)
      get_filename_component(schema_name ${schema} NAME)
      string(APPEND text "schema = \"${schema_name}\"\n")
    endif()
    if(count GREATER 3)
      list(GET parts 3 configuration)
      get_filename_component(configuration_name ${configuration} NAME)
      string(APPEND text "configuration = \"${configuration_name}\"\n")
    endif()
    list(REMOVE_AT parts 0 1)
    foreach(schema IN LISTS parts)
      get_filename_component(schema_name ${schema} NAME)
      get_filename_component(schema ${schema} ABSOLUTE)
      file(SHA256 ${schema} digest)
      list(APPEND digests "\"${schema_name}\" = \"${digest}\"\n")
    endforeach()
    if(component_name IN_LIST PLUGIN_OPT_IN)
      string(APPEND text "enabled = false\n")
    endif()
  endforeach()
  _quarry_toml_list(hosts ${PLUGIN_HOSTS})
  set(names "")
  set(oldest "")
  foreach(program IN LISTS PLUGIN_PROGRAMS)
    if(program MATCHES "^(.+)>=(.+)$")
      set(program "${CMAKE_MATCH_1}")
      string(APPEND oldest "\"${CMAKE_MATCH_1}\" = \"${CMAKE_MATCH_2}\"\n")
    endif()
    list(APPEND names "${program}")
  endforeach()
  _quarry_toml_list(programs ${names})
  _quarry_toml_list(secrets ${PLUGIN_SECRETS})
  string(APPEND text "\n[permissions]\nhosts = ${hosts}\nprograms = ${programs}\nsecrets = ${secrets}\n")
  if(oldest)
    string(APPEND text "\n[extra.programs]\n${oldest}")
  endif()
  if(digests)
    list(REMOVE_DUPLICATES digests)
    list(JOIN digests "" digests)
    string(APPEND text "\n[extra.schemas]\n${digests}")
  endif()
  if(PLUGIN_DEFERRED)
    _quarry_toml_list(environment ${PLUGIN_ENVIRONMENT})
    string(APPEND text "\n[extra.deferred]\nenvironment = ${environment}\n")
  endif()
  set(${out} "${text}" PARENT_SCOPE)
endfunction()

# Writes <directory>/plugin.toml, and PLUGIN_FILE beside it where that is compressed, whenever <target>
# is linked, and links it again when the manifest has changed.
function(_quarry_add_manifest target name directory)
  if(NOT PLUGIN_FILE)
    set(PLUGIN_FILE ${name}.so)
  endif()
  _quarry_manifest(manifest ${name})
  set(template ${CMAKE_CURRENT_BINARY_DIR}/${name}.plugin.toml)
  file(GENERATE OUTPUT ${template} CONTENT "${manifest}")
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${template})
  add_custom_command(TARGET ${target} POST_BUILD VERBATIM
    COMMAND ${CMAKE_COMMAND} -DMODULE=$<TARGET_FILE:${target}> -DFILE=${directory}/${PLUGIN_FILE}
            -DTEMPLATE=${template} -DOUTPUT=${directory}/plugin.toml -P ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/QuarryManifest.cmake)
endfunction()

function(quarry_schema_headers target)
  set(directory ${CMAKE_CURRENT_BINARY_DIR}/${target}.schemas)
  foreach(schema IN LISTS ARGN)
    get_filename_component(name ${schema} NAME)
    string(MAKE_C_IDENTIFIER ${name} macro)
    string(TOUPPER ${macro} macro)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${schema})
    file(READ ${schema} text)
    # The '?' would begin a trigraph.
    foreach(character "\\" "\"" "?")
      string(REPLACE "${character}" "\\${character}" text "${text}")
    endforeach()
    string(REPLACE "\n" "\\n\" \\\n  \"" text "${text}")
    string(CONCAT text "/* The text of ${name}. */\n#ifdef __GNUC__\n"
           "#pragma GCC diagnostic ignored \"-Woverlength-strings\"\n#endif\n"
           "#define ${macro} \\\n  \"${text}\"\n")
    set(written "")
    if(EXISTS ${directory}/${name}.h)
      file(READ ${directory}/${name}.h written)
    endif()
    if(NOT written STREQUAL text)
      file(WRITE ${directory}/${name}.h "${text}")
    endif()
  endforeach()
  target_include_directories(${target} PRIVATE ${directory})
endfunction()

function(quarry_add_plugin name)
  cmake_parse_arguments(PLUGIN "ISOLATED;COMPRESSED;DEFERRED" "ID;VERSION;SUMMARY;LICENCE;MINIMUM;ARCHIVE"
                        "SOURCES;LIBRARIES;COMPONENTS;HOSTS;PROGRAMS;SECRETS;OPT_IN;VALIDATE;ENVIRONMENT" ${ARGN})
  if(PLUGIN_ARCHIVE AND NOT PLUGIN_SOURCES)
    set(PLUGIN_SOURCES ${CMAKE_CURRENT_BINARY_DIR}/${name}.archive.cpp)  # CMake wants a source
    file(GENERATE OUTPUT ${PLUGIN_SOURCES} CONTENT "")
    set_source_files_properties(${PLUGIN_SOURCES} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
  endif()
  foreach(required ID VERSION SUMMARY SOURCES COMPONENTS)
    if(NOT PLUGIN_${required})
      message(FATAL_ERROR "quarry_add_plugin(${name}): ${required} is missing")
    endif()
  endforeach()
  if(NOT PLUGIN_LICENCE)
    set(PLUGIN_LICENCE "unspecified")
  endif()
  _quarry_abi_version(major minor)
  if(NOT PLUGIN_MINIMUM)
    set(PLUGIN_MINIMUM ${major}.0)
  elseif(NOT PLUGIN_MINIMUM MATCHES "^${major}[.]([0-9]+)$" OR CMAKE_MATCH_1 GREATER minor)
    message(FATAL_ERROR "quarry_add_plugin(${name}): MINIMUM ${PLUGIN_MINIMUM} is not a version from "
                        "${major}.0 to ${major}.${minor}")
  endif()
  string(REGEX REPLACE ".*[.]" "" minimum_minor ${PLUGIN_MINIMUM})
  if(NOT QUARRY_PLUGIN_OUTPUT_DIRECTORY)
    set(QUARRY_PLUGIN_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib/quarry/plugins)
  endif()
  set(directory ${QUARRY_PLUGIN_OUTPUT_DIRECTORY}/${name})
  set(linked ${directory})
  set(PLUGIN_FILE ${name}.so)
  if(PLUGIN_COMPRESSED)
    set(linked ${CMAKE_CURRENT_BINARY_DIR})
    set(PLUGIN_FILE ${name}.so.zst)
    file(MAKE_DIRECTORY ${directory})
  endif()

  add_library(${name} MODULE ${PLUGIN_SOURCES})
  set(code ${name})
  if(TARGET "${PLUGIN_ARCHIVE}")
    set(code ${PLUGIN_ARCHIVE})
  endif()
  target_compile_features(${code} PRIVATE cxx_std_20)
  target_compile_definitions(${code} PRIVATE QUARRY_MINIMUM_HOST_MINOR=${minimum_minor}u)
  target_link_libraries(${code} PRIVATE Quarry::Sdk ${PLUGIN_LIBRARIES})
  set_target_properties(${name} PROPERTIES
    PREFIX "" SUFFIX ".so" LIBRARY_OUTPUT_DIRECTORY ${linked}
    C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
    CXX_EXTENSIONS OFF
    POSITION_INDEPENDENT_CODE ON BUILD_WITH_INSTALL_RPATH ON
    LINK_DEPENDS ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/quarry-plugin.map)
  # Unique symbols would share state between plugins and pin a library that was closed.
  target_compile_options(${code} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fno-gnu-unique>)
  target_link_options(${name} PRIVATE
    "LINKER:--version-script=${CMAKE_CURRENT_FUNCTION_LIST_DIR}/quarry-plugin.map" LINKER:-z,now)
  if(PLUGIN_ARCHIVE)  # the entry is in an archive; the version script hides the rest of it
    target_link_libraries(${name} PRIVATE ${PLUGIN_ARCHIVE} ${CMAKE_DL_LIBS})
    target_link_options(${name} PRIVATE LINKER:--undefined=quarry_plugin_entry_v1)
    if(NOT TARGET "${PLUGIN_ARCHIVE}")
      set_property(TARGET ${name} APPEND PROPERTY LINK_DEPENDS ${PLUGIN_ARCHIVE})
    endif()
  else()
    target_link_options(${name} PRIVATE LINKER:--exclude-libs,ALL)
  endif()
  # Loading skips unused libraries, and neither copies nor digests a symbol table or functions that
  # nothing calls.
  target_compile_options(${code} PRIVATE
    $<$<CONFIG:Release,MinSizeRel>:-ffunction-sections> $<$<CONFIG:Release,MinSizeRel>:-fdata-sections>)
  target_link_options(${name} PRIVATE LINKER:--as-needed
    $<$<CONFIG:Release,MinSizeRel>:LINKER:-s> $<$<CONFIG:Release,MinSizeRel>:LINKER:--gc-sections>)
  if(NOT QUARRY_SANITIZE)  # the program provides a sanitizer's runtime
    target_link_options(${name} PRIVATE LINKER:-z,defs)
  endif()

  set(files ${directory}/${PLUGIN_FILE} ${directory}/plugin.toml)
  foreach(component IN LISTS PLUGIN_COMPONENTS)
    string(REPLACE ":" ";" schemas "${component}")
    list(REMOVE_AT schemas 0 1)
    foreach(schema IN LISTS schemas)
      get_filename_component(schema_name ${schema} NAME)
      configure_file(${schema} ${directory}/${schema_name} COPYONLY)
      list(APPEND files ${directory}/${schema_name})
      quarry_schema_headers(${code} ${schema})
    endforeach()
  endforeach()
  _quarry_add_manifest(${name} ${name} ${directory})

  install(FILES ${files} DESTINATION lib/quarry/plugins/${name})
  if(BUILD_TESTING)
    add_test(NAME validate.${name} COMMAND Quarry::validate ${QUARRY_VALIDATE_OPTIONS} ${PLUGIN_VALIDATE} ${directory}/plugin.toml)
    set_tests_properties(validate.${name} PROPERTIES TIMEOUT 1200 LABELS "${QUARRY_VALIDATE_LABELS}")
  endif()
  set_property(GLOBAL APPEND PROPERTY QUARRY_PLUGINS ${name})
endfunction()
