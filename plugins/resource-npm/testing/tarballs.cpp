#include "resource-npm/testing/tarballs.h"

#include <cstdio>
#include <cstring>
#include <zlib.h>

namespace quarry::resource_npm::testing {
namespace {

constexpr std::size_t kBlock = 512;

void put(std::string& header, std::size_t at, std::size_t most, std::string_view text) {
  text = text.substr(0, most);
  header.replace(at, text.size(), text);
}

void put_octal(std::string& header, std::size_t at, int digits, unsigned long value) {
  char text[32];
  std::snprintf(text, sizeof text, "%0*lo", digits, value);
  put(header, at, static_cast<std::size_t>(digits), text);
}

}  // namespace

std::string gzipped(std::string_view bytes) {
  z_stream stream{};
  ::deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(::deflateBound(&stream, bytes.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  ::deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  ::deflateEnd(&stream);
  return out;
}

TarBuilder& TarBuilder::entry(char type, std::string_view path, std::string_view bytes,
                              std::string_view link, long size) {
  std::string header(kBlock, '\0');
  put(header, 0, 100, path);
  put_octal(header, 100, 7, 0644);
  put_octal(header, 108, 7, 0);
  put_octal(header, 116, 7, 0);
  put_octal(header, 124, 11, size < 0 ? bytes.size() : static_cast<unsigned long>(size));
  put_octal(header, 136, 11, 499162500);
  header[156] = type;
  put(header, 157, 100, link);
  put(header, 257, 8, std::string_view("ustar\00000", 8));
  header.replace(148, 8, 8, ' ');
  unsigned long sum = 0;
  for (const char c : header) sum += static_cast<unsigned char>(c);
  put_octal(header, 148, 6, sum);
  header[154] = '\0';
  tar_ += header;
  tar_ += bytes;
  tar_.resize((tar_.size() + kBlock - 1) / kBlock * kBlock, '\0');
  return *this;
}

TarBuilder& TarBuilder::pax_file(std::string_view path, std::string_view bytes) {
  const std::string record = " path=" + std::string(path) + "\n";
  std::size_t size = record.size() + 1;
  while (std::to_string(size).size() + record.size() != size) ++size;
  entry('x', "PaxHeader/file", std::to_string(size) + record);
  return entry('0', "package/short", bytes);
}

TarBuilder& TarBuilder::gnu_file(std::string_view path, std::string_view bytes) {
  entry('L', "././@LongLink", std::string(path) + '\0');
  return entry('0', "package/short", bytes);
}

std::string small_package() {
  return TarBuilder()
      .file("package/package.json",
            R"({"name":"small","version":"1.0.0","description":"A small package",)"
            R"("dependencies":{"other":"^2"}})")
      .file("package/README.md", "# small\n\nIt adds numbers.\n")
      .file("package/lib/index.js", "export const add = (a, b) => a + b;\n")
      .packed();
}

}  // namespace quarry::resource_npm::testing
