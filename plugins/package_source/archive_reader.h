#pragma once

#include "package_source/file.h"
#include "package_source/unpack_budget.h"
#include "package_source/zip_index.h"

#include <quarry/host.hpp>

#include <array>
#include <clocale>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct archive;
struct archive_entry;

namespace quarry::package_source {

/// A failure, or nothing.
using Problem = std::optional<Failure>;

enum class Fault {
  kEmptyFile,
  kNoArchive,  ///< neither of the formats that are read
  kDamaged,
  kHostile,  ///< has what no program of a publisher writes
  kTooMuch,  ///< exceeds a limit
};
/// Words the failure of an archive. `what` continues its name, as in "is compressed more than
/// once".
using RefuseArchive = std::function<Failure(Fault fault, const std::string& what)>;

/// A function of libarchive that adds a format or a compression, such as
/// archive_read_support_format_tar. The caller names them, so that a plugin links those alone that
/// it reads.
using ArchiveSupport = int (*)(archive*);

/// A file that is read as an archive. The referenced objects must outlive its readers.
struct ArchiveFile {
  const Call& call;
  const File& file;
  std::vector<ArchiveSupport> support;
  bool may_be_zip = false;  ///< `support` has archive_read_support_format_zip_seekable
  RefuseArchive refuse;
};

struct ArchiveMember {
  enum class Kind { kFile, kFolder, kSymbolicLink, kHardLink, kOther };
  Kind kind = Kind::kOther;
  std::string name;    ///< any bytes; empty when it cannot be read
  std::string target;  ///< of a link
  std::uint64_t size = 0;
  bool has_size = true;  ///< false: the archive does not state it
  bool encrypted = false;
  std::string compression;  ///< of a member of a zip, as in "deflation"
};

/// Sets the locale "C" for this thread: libarchive then passes names on as they are, where in a
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

/// One pass over an archive, within limits. One thread.
class ArchiveReader {
 public:
  ArchiveReader(const ArchiveFile& file, const UnpackLimits& limits);
  ~ArchiveReader();
  ArchiveReader(const ArchiveReader&) = delete;
  ArchiveReader& operator=(const ArchiveReader&) = delete;

  /// Goes to the next member, past what was not read of the present one; false at the end.
  Outcome<bool> next(ArchiveMember& member);
  /// Reads the member, whose size was stated; false when its compression is not known.
  Outcome<bool> read(const ArchiveMember& member, std::string& out);
  /// The next bytes of the member; empty at its end.
  Outcome<std::string_view> piece();

 private:
  static long read_some(archive*, void* self, const void** bytes);
  static std::int64_t skip_some(archive*, void* self, std::int64_t size);
  static std::int64_t seek_to(archive*, void* self, std::int64_t offset, int whence);

  void describe(archive_entry* entry, ArchiveMember& member);
  std::string name_of(archive_entry* entry);
  /// Decompresses the rest of the member, where the next one lies behind it.
  Problem pass_over();
  /// How far a compressed tar is decompressed; nullopt where members are passed over by a seek.
  [[nodiscard]] std::optional<std::uint64_t> position() const;
  Problem check_position();
  [[nodiscard]] Problem too_much(const UnpackBudget::Exceeded& exceeded) const;
  [[nodiscard]] Failure failure() const;

  const ArchiveFile& file_;
  UnpackBudget budget_;
  PlainLocale locale_;
  std::unique_ptr<archive, int (*)(archive*)> archive_;
  std::int64_t at_ = 0;
  std::int64_t size_ = 0;
  std::array<char, std::size_t{64} << 10> buffer_{};
  std::array<char, std::size_t{64} << 10> piece_{};
  bool is_zip_ = false;
  bool in_member_ = false;
  std::optional<ZipIndex> index_;
  std::size_t members_ = 0;
};

}  // namespace quarry::package_source
