#include "resource-pypi/testing/index_host.h"

#include "package_source/digest.h"

#include <cstdint>
#include <cstdio>
#include <zlib.h>

namespace quarry::resource_pypi::testing {
namespace {

constexpr std::size_t kBlock = 512;

char tar_type(const Item& item) {
  if (!item.hardlink.empty()) return '1';
  if (item.type == S_IFLNK) return '2';
  return item.type == S_IFIFO ? '6' : '0';
}

std::string padded(std::string bytes) {
  bytes.resize((bytes.size() + kBlock - 1) / kBlock * kBlock, '\0');
  return bytes;
}

std::string tar_header(const std::string& name, const std::string& target, char type,
                       std::size_t size) {
  std::string out(kBlock, '\0');
  const auto put = [&](std::size_t at, const std::string& text) {
    out.replace(at, text.size(), text);
  };
  char digits[13];
  put(0, name);
  put(100, "0000644");
  std::snprintf(digits, sizeof digits, "%011zo", size);
  put(124, digits);
  put(148, "        ");
  out[156] = type;
  put(157, target);
  put(257, "ustar  ");
  unsigned sum = 0;
  for (const char c : out) sum += static_cast<unsigned char>(c);
  std::snprintf(digits, sizeof digits, "%06o", sum);
  put(148, std::string(digits) + '\0');
  return out;
}

/// In the format of GNU tar, in which a long name is an entry before the file's own.
std::string tar_entry(const Item& item) {
  constexpr std::size_t kLongestName = 100;
  const bool has_bytes = tar_type(item) == '0';
  std::string out;
  if (item.path.size() > kLongestName) {
    out = tar_header("././@LongLink", "", 'L', item.path.size() + 1) + padded(item.path + '\0');
  }
  const std::string target = item.type == S_IFLNK ? item.content : item.hardlink;
  out += tar_header(item.path.substr(0, kLongestName), target, tar_type(item),
                    has_bytes ? item.content.size() : 0);
  return has_bytes ? out + padded(item.content) : out;
}

std::string gzipped(std::string text) {
  constexpr int kGzip = 15 + 16;
  std::string out(text.size() + 1024, '\0');
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, kGzip, 8, Z_DEFAULT_STRATEGY);
  stream.next_in = reinterpret_cast<Bytef*>(text.data());
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string little(std::uint64_t value, int bytes) {
  std::string out;
  for (; bytes > 0; --bytes, value >>= 8U) out += static_cast<char>(value & 0xffU);
  return out;
}

/// The part that both headers of a stored entry have: from the flags to the length of the name.
std::string zip_facts(const Item& item) {
  constexpr unsigned kUtf8Name = 0x800;
  const auto* bytes = reinterpret_cast<const Bytef*>(item.content.data());
  const auto sum = crc32(0, bytes, static_cast<uInt>(item.content.size()));
  return little(kUtf8Name, 2) + little(0, 6) + little(sum, 4) + little(item.content.size(), 4) +
         little(item.content.size(), 4) + little(item.path.size(), 2) + little(0, 2);
}

std::string zipped(const std::vector<Item>& items) {
  std::string out;
  std::string directory;
  for (const Item& item : items) {
    const std::string facts = zip_facts(item);
    directory += "PK\1\2" + little(20, 2) + little(20, 2) + facts + little(0, 10) +
                 little(out.size(), 4) + item.path;
    out += "PK\3\4" + little(20, 2) + facts + item.path + item.content;
  }
  return out + directory + "PK\5\6" + little(0, 4) + little(items.size(), 2) +
         little(items.size(), 2) + little(directory.size(), 4) + little(out.size(), 4) +
         little(0, 2);
}

}  // namespace

std::string packed(const std::vector<Item>& items, bool zip) {
  if (zip) return zipped(items);
  std::string out;
  for (const Item& item : items) out += tar_entry(item);
  return gzipped(out + std::string(2 * kBlock, '\0'));
}

std::string sha256(std::string_view bytes) {
  package_source::Digest digest("sha256");
  digest.add(bytes);
  return digest.hex();
}

void Index::offer(const std::string& name, const std::string& bytes, const std::string& attributes,
                  bool hashed) {
  files[name] = bytes;
  const std::string hash = hashed ? "#sha256=" + sha256(bytes) : "";
  page += "<a href=\"/files/" + name + hash + "\" " + attributes + ">x</a>";
}

HttpResponse Index::answer(const HttpRequest& request) {
  const std::string name = request.url.substr(request.url.rfind('/') + 1);
  const std::string body = name.empty() ? page : files[name];
  const std::string etag = "\"" + sha256(body).substr(0, 8) + "\"";
  if (header(request.headers, "if-none-match") == etag) return {304, {{"ETag", etag, {}}}, {}};
  return {200, {{"Content-Type", "text/html", {}}, {"ETag", etag, {}}}, body};
}

ScratchFolder::ScratchFolder()
    : path_(::testing::TempDir() + "pypi-" + std::to_string(::getpid()) + "-" +
            ::testing::UnitTest::GetInstance()->current_test_info()->name()) {
  clear();
}

ScratchFolder::~ScratchFolder() {
  std::error_code failed;
  std::filesystem::remove_all(path_, failed);
}

void ScratchFolder::clear() const {
  std::filesystem::remove_all(path_);
  std::filesystem::create_directories(path_);
}

}  // namespace quarry::resource_pypi::testing
