#include "resource-pypi/kept_file.h"

#include <filesystem>

namespace quarry::resource_pypi {
namespace {

std::string path_in(const CacheEntry& entry) {
  return (entry.path() / "file").string();
}

/// Names the hash too, so that callers find only what they have read themselves, or know the hash
/// of.
std::string entry_name(const std::string& url, const Hash& hash, const std::string& authorization) {
  return "file-" + package_source::sha256_hex(authorization + "\n" + url + "\n" + hash.text());
}

bool has_hash(const Call& call, const std::string& path, const Hash& hash) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rbe"),
                                                             std::fclose);
  if (!file) return false;
  Digest digest(hash.algorithm);
  std::string buffer(std::size_t{256} << 10, '\0');
  while (!call.over()) {
    const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), file.get());
    if (count == 0) break;
    digest.add(std::string_view(buffer).substr(0, count));
  }
  return !call.over() && digest.finish() == hash;
}

}  // namespace

FileKeeper::FileKeeper(const Host& host)
    : entry_(CacheEntry::begin(CacheEntry::cache_of(host))), file_(nullptr, std::fclose) {
  if (entry_) file_.reset(std::fopen(path_in(entry_).c_str(), "wbxe"));
}

void FileKeeper::write(std::string_view bytes) {
  if (file_ && std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size()) {
    file_.reset();
  }
}

void FileKeeper::keep(const std::string& url, const Hash& hash, const std::string& authorization) {
  // An entry of this name has the same bytes.
  if (file_ && std::fflush(file_.get()) == 0) {
    static_cast<void>(entry_.publish(entry_name(url, hash, authorization)));
  }
}

KeptFile::KeptFile(const Host& host, const Call& call, const std::string& url, const Hash& hash,
                   const std::string& authorization)
    : entry_(CacheEntry::open(CacheEntry::cache_of(host), entry_name(url, hash, authorization),
                              CacheEntry::Lock::kExclusive, CacheEntry::until_over(host, call))) {
  if (!entry_) return;
  path_ = path_in(entry_);
  if (has_hash(call, path_, hash)) return;
  path_.clear();
  if (!call.over()) remove();
}

void KeptFile::remove() {
  if (entry_) entry_.remove();
}

}  // namespace quarry::resource_pypi
