# Writes OUT, a C++ source with FILES (of the working directory, may be none), each compressed.
set(type_of_html text/html)
set(type_of_css text/css)
set(type_of_js text/javascript)
set(arrays "")
set(rows "")
set(number 0)
foreach(file IN LISTS FILES)
  execute_process(COMMAND gzip -9 -n -c ${file} OUTPUT_FILE ${file}.gz COMMAND_ERROR_IS_FATAL ANY)
  file(READ ${file}.gz bytes HEX)
  file(SHA256 ${file}.gz digest)
  string(SUBSTRING ${digest} 0 16 digest)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  string(REGEX REPLACE ".*[.]" "" extension ${file})
  set(content_type "${type_of_${extension}}; charset=utf-8")
  string(APPEND arrays "constexpr unsigned char kFile${number}[] = {${bytes}};\n")
  string(APPEND rows "    {\"${file}\", \"${content_type}\", bytes_of(kFile${number}), \"\\\"${digest}\\\"\"},\n")
  math(EXPR number "${number} + 1")
endforeach()

if(number EQUAL 0)
  file(WRITE ${OUT} "#include \"transport-rest/page.h\"

namespace quarry::rest {

std::span<const PageFile> page_files() {
  return {};
}

}  // namespace quarry::rest
")
  return()
endif()

file(WRITE ${OUT} "#include \"transport-rest/page.h\"

namespace quarry::rest {
namespace {

${arrays}
template <std::size_t kSize>
std::string_view bytes_of(const unsigned char (&bytes)[kSize]) {
  return {reinterpret_cast<const char*>(bytes), kSize};
}

}  // namespace

std::span<const PageFile> page_files() {
  static const PageFile files[] = {
${rows}  };
  return files;
}

}  // namespace quarry::rest
")
