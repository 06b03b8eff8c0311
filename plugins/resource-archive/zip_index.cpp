#include "resource-archive/zip_index.h"

#include "resource-archive/names.h"

#include <algorithm>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

#include <sys/stat.h>

namespace quarry::resource_archive {

namespace {

constexpr std::size_t kEndSize = 22;      // end of central directory
constexpr std::size_t kLocatorSize = 20;  // of the 64-bit end
constexpr std::size_t kEnd64Size = 56;
constexpr std::size_t kEntrySize = 46;
constexpr std::size_t kMostDirectory = std::size_t{256} << 20;
constexpr std::size_t kMostEntries = 2'000'000;
constexpr std::uint64_t kIn64 = 0xFFFFFFFFU;  // the value stands in the 64-bit fields

/// An integer of `size` bytes at `at`, the lowest byte first.
std::uint64_t number(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint64_t value = 0;
  for (std::size_t i = size; i > 0; --i) {
    value = (value << 8U) | static_cast<unsigned char>(bytes[at + i - 1]);
  }
  return value;
}

class File {
 public:
  explicit File(const std::string& path) : file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    struct stat facts {};
    if (file_ >= 0 && ::fstat(file_, &facts) == 0) size = static_cast<std::uint64_t>(facts.st_size);
  }
  ~File() {
    if (file_ >= 0) ::close(file_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  /// `count` bytes from `offset`; empty when the file does not have them.
  [[nodiscard]] std::string part(std::uint64_t offset, std::uint64_t count) const {
    if (offset > size || count > size - offset) return {};
    std::string out(count, '\0');
    std::size_t done = 0;
    while (done < out.size()) {
      const ssize_t got =
          ::pread(file_, out.data() + done, out.size() - done, static_cast<off_t>(offset + done));
      if (got <= 0) return {};
      done += static_cast<std::size_t>(got);
    }
    return out;
  }

  std::uint64_t size = 0;

 private:
  int file_;
};

/// Where the directory is.
struct End {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  std::string comment;
};

/// Replaces values that do not fit into 32 bits by those of the 64-bit end.
void read_end64(const File& file, std::uint64_t end_at, End& end) {
  if (end_at < kLocatorSize) return;
  const std::string locator = file.part(end_at - kLocatorSize, kLocatorSize);
  if (!locator.starts_with("PK\x06\x07")) return;
  const std::string end64 = file.part(number(locator, 8, 8), kEnd64Size);
  if (!end64.starts_with("PK\x06\x06")) return;
  end.size = number(end64, 40, 8);
  end.offset = number(end64, 48, 8);
}

std::optional<End> find_end(const File& file) {
  constexpr std::uint64_t kTail = std::uint64_t{16} << 10;  // as far as libarchive looks
  const std::uint64_t tail_at = file.size - std::min(file.size, kTail);
  const std::string tail = file.part(tail_at, file.size - tail_at);
  if (tail.size() < kEndSize) return std::nullopt;
  const auto at = tail.rfind("PK\x05\x06", tail.size() - kEndSize);
  if (at == std::string::npos) return std::nullopt;
  const std::uint64_t end_at = tail_at + at;
  const std::uint64_t size = number(tail, at + 12, 4);
  // The directory ends where its end begins, also where a program stands before the archive.
  End end{end_at - std::min(end_at, size), size,
          tail.substr(at + kEndSize, number(tail, at + 20, 2))};
  read_end64(file, end_at, end);
  return end;
}

/// The offset of the local header in the 64-bit extra field, behind sizes that stand there too.
std::uint64_t offset64(std::string_view extra, std::size_t before) {
  while (extra.size() >= 4) {
    const std::uint64_t size = number(extra, 2, 2);
    if (size > extra.size() - 4) return kIn64;
    if (number(extra, 0, 2) == 1) {
      return size >= before + 8 ? number(extra, 4 + before, 8) : kIn64;
    }
    extra.remove_prefix(4 + size);
  }
  return kIn64;
}

/// Reads the entry at `at` and moves `at` behind it; false when there is none.
bool read_entry(std::string_view directory, std::size_t& at, ZipEntry& entry) {
  if (directory.size() - at < kEntrySize || directory.substr(at, 4) != "PK\x01\x02") return false;
  const std::string_view fixed = directory.substr(at, kEntrySize);
  const std::size_t name = number(fixed, 28, 2);
  const std::size_t extra = number(fixed, 30, 2);
  const std::size_t comment = number(fixed, 32, 2);
  if (directory.size() - at - kEntrySize < name + extra + comment) return false;
  constexpr std::uint64_t kUtf8Flag = 0x800;
  entry.utf8 = (number(fixed, 8, 2) & kUtf8Flag) != 0;
  const std::uint64_t system = number(fixed, 5, 1);
  entry.dos = system == 0 || system == 10 || system == 11;  // FAT, NTFS, VFAT
  entry.name = directory.substr(at + kEntrySize, name);
  entry.name.resize(std::min(entry.name.size(), entry.name.find('\0')));  // as libarchive does
  entry.offset = number(fixed, 42, 4);
  if (entry.offset == kIn64) {
    const std::size_t before =
        (number(fixed, 24, 4) == kIn64 ? 8U : 0U) + (number(fixed, 20, 4) == kIn64 ? 8U : 0U);
    entry.offset = offset64(directory.substr(at + kEntrySize + name, extra), before);
  }
  at += kEntrySize + name + extra + comment;
  return true;
}

}  // namespace

bool ZipEntry::matches(std::string_view said) const {
  if (said == name) return true;
  std::string slashes = name;
  std::ranges::replace(slashes, '\\', '/');
  // An extra field may hold another form of a name that is not ASCII.
  return said == slashes ||
         !std::ranges::all_of(name, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

std::string ZipEntry::readable() const {
  std::string out = utf8 || is_utf8(name) || !dos ? name : from_cp437(name);
  if (dos) std::ranges::replace(out, '\\', '/');
  return out;
}

std::optional<ZipIndex> read_zip_index(const std::string& path) {
  const File file(path);
  const auto end = find_end(file);
  if (!end) return std::nullopt;
  if (end->size > kMostDirectory) return ZipIndex{{}, {}, true};
  const std::string directory = file.part(end->offset, end->size);
  ZipIndex index{{}, end->comment, false};
  ZipEntry entry;
  for (std::size_t at = 0; read_entry(directory, at, entry);) {
    if (index.entries.size() == kMostEntries) return ZipIndex{{}, {}, true};
    entry.place = index.entries.size();
    index.entries.push_back(std::move(entry));
    entry = {};
  }
  const auto order = [](const ZipEntry& e) { return std::pair(e.offset, e.place); };
  std::ranges::sort(index.entries, {}, order);
  const auto same = std::ranges::unique(index.entries, {}, &ZipEntry::offset);
  index.entries.erase(same.begin(), same.end());
  return index;
}

}  // namespace quarry::resource_archive
