#pragma once

#include "resource-archive/zip_index.h"

#include <quarry/host.hpp>

#include <array>
#include <clocale>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

struct archive;
struct archive_entry;

namespace quarry::resource_archive {

struct Member {
  enum class Kind { kFile, kFolder, kSymbolicLink, kHardLink, kOther };
  Kind kind = Kind::kOther;
  std::string name;    ///< any bytes; empty when it cannot be read
  std::string target;  ///< of a hard link
  std::uint64_t size = 0;
  bool encrypted = false;
};

/// Sets the "C" locale for this thread: libarchive then passes names on as they are, where in a
/// UTF-8 locale it would change them to normal form C.
class PlainLocale {
 public:
  PlainLocale();
  ~PlainLocale();
  PlainLocale(const PlainLocale&) = delete;
  PlainLocale& operator=(const PlainLocale&) = delete;

 private:
  locale_t plain_;
  locale_t before_;
};

/// One pass over an archive. One thread.
class Reader {
 public:
  enum class Step { kMember, kEnd, kFailed };
  enum class Content { kWhole, kMore, kUnsupported, kFailed };

  Reader(const Call& call, const std::string& file);
  ~Reader();
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  /// The next member; kFailed: failure() says why.
  Step next(Member& member);
  /// Reads the content of the present member. kMore: it has more than `most` bytes.
  Content read(std::string& out, std::uint64_t most);
  /// Decompresses what of the present member is not read yet, where the next member lies behind it;
  /// false when it fails, or when more than `most` bytes came. `count` is increased by them.
  bool pass_over(std::uint64_t most, std::uint64_t& count);

  /// How far a compressed tar is decompressed. Nothing where members are passed over by a seek.
  [[nodiscard]] std::optional<std::uint64_t> position() const;
  [[nodiscard]] std::uint64_t packed_size() const { return static_cast<std::uint64_t>(size_); }

  [[nodiscard]] Failure failure() const;

 private:
  static long read_some(archive*, void* self, const void** bytes);
  static std::int64_t skip_some(archive*, void* self, std::int64_t size);
  static std::int64_t seek_to(archive*, void* self, std::int64_t offset, int whence);

  bool open(const std::string& file);
  void describe(archive_entry* entry, Member& member);
  std::string name_of(const char* raw);

  const Call& call_;
  PlainLocale locale_;
  archive* archive_;
  int file_ = -1;
  std::int64_t at_ = 0;
  std::int64_t size_ = 0;
  std::array<char, std::size_t{64} << 10> buffer_{};
  bool opened_ = false;
  bool too_large_ = false;
  bool is_zip_ = false;
  std::optional<ZipIndex> index_;
  std::size_t members_ = 0;
};

/// The commit that "git archive" notes in the archives it makes, 40 or 64 digits; else empty.
std::string commit_of(const std::string& file);

}  // namespace quarry::resource_archive
