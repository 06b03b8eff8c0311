#include "package_source/zip_index.h"

#include <quarry/tree_rules.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace quarry::package_source {

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

/// The characters of the bytes 0x80 to 0xFF in code page 437.
constexpr std::array<std::uint16_t, 128> kCp437{
    0x00C7, 0x00FC, 0x00E9, 0x00E2, 0x00E4, 0x00E0, 0x00E5, 0x00E7, 0x00EA, 0x00EB, 0x00E8, 0x00EF,
    0x00EE, 0x00EC, 0x00C4, 0x00C5, 0x00C9, 0x00E6, 0x00C6, 0x00F4, 0x00F6, 0x00F2, 0x00FB, 0x00F9,
    0x00FF, 0x00D6, 0x00DC, 0x00A2, 0x00A3, 0x00A5, 0x20A7, 0x0192, 0x00E1, 0x00ED, 0x00F3, 0x00FA,
    0x00F1, 0x00D1, 0x00AA, 0x00BA, 0x00BF, 0x2310, 0x00AC, 0x00BD, 0x00BC, 0x00A1, 0x00AB, 0x00BB,
    0x2591, 0x2592, 0x2593, 0x2502, 0x2524, 0x2561, 0x2562, 0x2556, 0x2555, 0x2563, 0x2551, 0x2557,
    0x255D, 0x255C, 0x255B, 0x2510, 0x2514, 0x2534, 0x252C, 0x251C, 0x2500, 0x253C, 0x255E, 0x255F,
    0x255A, 0x2554, 0x2569, 0x2566, 0x2560, 0x2550, 0x256C, 0x2567, 0x2568, 0x2564, 0x2565, 0x2559,
    0x2558, 0x2552, 0x2553, 0x256B, 0x256A, 0x2518, 0x250C, 0x2588, 0x2584, 0x258C, 0x2590, 0x2580,
    0x03B1, 0x00DF, 0x0393, 0x03C0, 0x03A3, 0x03C3, 0x00B5, 0x03C4, 0x03A6, 0x0398, 0x03A9, 0x03B4,
    0x221E, 0x03C6, 0x03B5, 0x2229, 0x2261, 0x00B1, 0x2265, 0x2264, 0x2320, 0x2321, 0x00F7, 0x2248,
    0x00B0, 0x2219, 0x00B7, 0x221A, 0x207F, 0x00B2, 0x25A0, 0x00A0};

void put(std::uint32_t code, std::string& out) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += {static_cast<char>(0xC0 | (code >> 6U)), static_cast<char>(0x80 | (code & 0x3FU))};
  } else {
    out +=
        {static_cast<char>(0xE0 | (code >> 12U)), static_cast<char>(0x80 | ((code >> 6U) & 0x3FU)),
         static_cast<char>(0x80 | (code & 0x3FU))};
  }
}

/// Where the directory is.
struct End {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  std::string comment;
};

/// Replaces values that do not fit into 32 bits by those of the 64-bit end. The size that this
/// states is not used: libarchive reads entries up to the end, whatever it is.
void read_end64(const File& file, std::uint64_t end_at, End& end) {
  if (end_at < kLocatorSize) return;
  const std::string locator = file.read(end_at - kLocatorSize, kLocatorSize).value_or("");
  if (!locator.starts_with("PK\x06\x07")) return;
  const std::string end64 = file.read(number(locator, 8, 8), kEnd64Size).value_or("");
  if (!end64.starts_with("PK\x06\x06")) return;
  end.offset = std::min(number(end64, 48, 8), end_at);
  end.size = end_at - end.offset;
}

std::optional<End> find_end(const File& file) {
  constexpr std::uint64_t kTail = std::uint64_t{16} << 10;  // as far as libarchive looks
  const std::uint64_t tail_at = file.size() - std::min(file.size(), kTail);
  const std::string tail = file.read(tail_at, file.size() - tail_at).value_or("");
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

std::string from_cp437(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    put(byte < 0x80 ? byte : kCp437[byte - 0x80U], out);
  }
  return out;
}

std::string ZipEntry::readable() const {
  std::string out = utf8 || detail::is_utf8(name) || !dos ? name : from_cp437(name);
  if (dos) std::ranges::replace(out, '\\', '/');
  return out;
}

std::optional<ZipIndex> read_zip_index(const File& file) {
  const auto end = find_end(file);
  if (!end) return std::nullopt;
  if (end->size > kMostDirectory) return ZipIndex{{}, {}, true};
  const std::string directory = file.read(end->offset, end->size).value_or("");
  ZipIndex index{{}, end->comment, false};
  ZipEntry entry;
  // As libarchive does, passes over what stands before the first entry.
  for (std::size_t at = std::min(directory.find("PK\x01\x02"), directory.size());
       read_entry(directory, at, entry);) {
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

}  // namespace quarry::package_source
