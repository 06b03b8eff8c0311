# The page at /ui/: bundled by esbuild, compressed, and compiled into the plugin. QUARRY_PAGE_SOURCE
# is the source file with it; without the npm packages one without files. QUARRY_PAGE_BUNDLE is the
# command that bundles one of its sources, for tests.
set(npm ${PROJECT_SOURCE_DIR}/build/npm)
set(esbuild ${npm}/@esbuild/linux-x64/bin/esbuild)
set(page ${CMAKE_CURRENT_BINARY_DIR}/page)
set(page_sources ${CMAKE_CURRENT_SOURCE_DIR}/page)
set(QUARRY_PAGE_SOURCE ${page}/page_files.cpp)
set(embed ${page_sources}/embed.cmake)
file(MAKE_DIRECTORY ${page})

set(missing "")
foreach(package IN ITEMS @esbuild/linux-x64 marked preact prismjs)
  if(NOT EXISTS ${npm}/${package}/package.json)
    list(APPEND missing ${package})
  endif()
endforeach()
if(missing)
  message(WARNING "The page at /ui/ is left out: npm packages are missing (${missing}). "
                  "Run scripts/install-npm-packages build.")
  add_custom_command(OUTPUT ${QUARRY_PAGE_SOURCE}
    COMMAND ${CMAKE_COMMAND} -DOUT=${QUARRY_PAGE_SOURCE} -P ${embed}
    DEPENDS ${embed} VERBATIM)
  return()  # from this file
endif()

file(GLOB sources CONFIGURE_DEPENDS ${page_sources}/src/*.ts ${page_sources}/src/*.tsx)
set(QUARRY_PAGE_BUNDLE ${CMAKE_COMMAND} -E env NODE_PATH=${npm} ${esbuild} --bundle
    --main-fields=module,main --log-override:import-is-undefined=error --log-level=warning)
set(bundle ${QUARRY_PAGE_BUNDLE} --minify --target=es2022,chrome110,firefox115,safari16)
set(files index.html tokens.html page.css page.js)
list(TRANSFORM files PREPEND ${page}/ OUTPUT_VARIABLE outputs)
add_custom_command(OUTPUT ${outputs}
  COMMAND ${bundle} --format=esm --jsx=automatic --jsx-import-source=preact
          ${page_sources}/src/main.tsx --outfile=page.js
  COMMAND ${bundle} ${page_sources}/page.css --outfile=page.css
  COMMAND ${CMAKE_COMMAND} -E copy ${page_sources}/index.html index.html
  COMMAND sed "s|<html |<html data-api=\"/ui/api\" |" index.html > tokens.html
  DEPENDS ${sources} ${page_sources}/page.css ${page_sources}/index.html
          ${PROJECT_SOURCE_DIR}/scripts/npm-packages.txt
  WORKING_DIRECTORY ${page} VERBATIM)
add_custom_command(OUTPUT ${QUARRY_PAGE_SOURCE}
  COMMAND ${CMAKE_COMMAND} -DOUT=${QUARRY_PAGE_SOURCE} "-DFILES=${files}" -P ${embed}
  DEPENDS ${embed} ${outputs}
  WORKING_DIRECTORY ${page} VERBATIM)
