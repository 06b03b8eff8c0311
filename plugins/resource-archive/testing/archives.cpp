#include "resource-archive/testing/archives.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>
#include <unistd.h>

namespace quarry::resource_archive::testing {

namespace {

constexpr std::size_t kBlock = 512;
using Block = std::array<char, kBlock>;

void put_octal(Block& header, std::size_t at, int width, std::uint64_t value) {
  std::snprintf(header.data() + at, static_cast<std::size_t>(width), "%0*llo", width - 1,
                static_cast<unsigned long long>(value));
}

void put_text(Block& header, std::size_t at, std::string_view text) {
  constexpr std::size_t kMost = 100;
  std::copy_n(text.begin(), std::min(text.size(), kMost), header.data() + at);
}

}  // namespace

TempDirectory::TempDirectory() {
  std::string name = std::filesystem::temp_directory_path() / "archive-XXXXXX";
  path_ = ::mkdtemp(name.data());
}

TempDirectory::~TempDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_file(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

bool run_in(const std::filesystem::path& directory, const std::string& command) {
  const std::string line = "cd '" + directory.string() + "' && (" + command + ") >/dev/null 2>&1";
  return std::system(line.c_str()) == 0;
}

std::map<std::string, std::string> files_of(const std::filesystem::path& directory) {
  std::map<std::string, std::string> out;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
    if (!entry.is_regular_file() || entry.is_symlink()) continue;
    out[entry.path().lexically_relative(directory).string()] = content_of(entry.path());
  }
  return out;
}

void write_many_kinds(const std::filesystem::path& root) {
  write_file(root / "x/a.md", "text\n");
  write_file(root / "x/empty", "");
  write_file(root / ("x/" + std::string(120, 'n') + "/" + std::string(150, 'm')), "long name");
  write_file(root / "x/caf\xc3\xa9.txt", "composed");
  write_file(root / "x/cafe\xcc\x81.txt", "decomposed");
  write_file(root / "x/Case", "upper");
  write_file(root / "x/case", "lower");
  write_file(root / "x/with space & \\ sign", "odd");
  std::string bytes;
  for (int i = 0; i < 300000; ++i) bytes += static_cast<char>(i * 7 % 251);
  write_file(root / "x/bytes", bytes);
  std::filesystem::create_symlink("a.md", root / "x/link");
  std::filesystem::create_hard_link(root / "x/a.md", root / "x/z-hard.md");
}

Tar& Tar::file(const std::string& name, const std::string& text) {
  return member(name, '0', text, text.size());
}

Tar& Tar::link(char type, const std::string& name, const std::string& target) {
  return member(name, type, {}, 0, target);
}

// The layout of POSIX.1-1988 (ustar).
Tar& Tar::member(const std::string& name, char type, const std::string& text, std::uint64_t size,
                 const std::string& target) {
  Block header{};
  put_text(header, 0, name);
  put_octal(header, 100, 8, 0644);
  put_octal(header, 108, 8, 0);
  put_octal(header, 116, 8, 0);
  put_octal(header, 124, 12, size);
  put_octal(header, 136, 12, 0);
  header[156] = type;
  put_text(header, 157, target);
  put_text(header, 257, std::string_view("ustar\00000", 8));
  std::memset(header.data() + 148, ' ', 8);
  unsigned sum = 0;
  for (const char c : header) sum += static_cast<unsigned char>(c);
  put_octal(header, 148, 7, sum);
  bytes_.append(header.data(), header.size());
  bytes_ += text;
  bytes_.append((kBlock - text.size() % kBlock) % kBlock, '\0');
  return *this;
}

std::string Tar::end() const {
  return bytes_ + std::string(2 * kBlock, '\0');
}

}  // namespace quarry::resource_archive::testing
