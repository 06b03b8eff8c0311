#include "package_source/archive_reader.h"

#include "package_source/left_out.h"

#include <algorithm>
#include <archive.h>
#include <archive_entry.h>
#include <cerrno>
#include <cstring>

namespace quarry::package_source {

namespace {

ArchiveMember::Kind kind_of(archive_entry* entry) {
  using Kind = ArchiveMember::Kind;
  if (archive_entry_hardlink(entry) != nullptr || archive_entry_hardlink_utf8(entry) != nullptr) {
    return Kind::kHardLink;
  }
  switch (archive_entry_filetype(entry)) {
    case AE_IFREG:
      return Kind::kFile;
    case AE_IFDIR:
      return Kind::kFolder;
    case AE_IFLNK:
      return Kind::kSymbolicLink;
    default:
      return Kind::kOther;
  }
}

/// Names are bytes. Those of a pax header are UTF-8, and may have no form in the locale "C".
std::string bytes_of(const char* plain, const char* utf8) {
  return plain != nullptr ? plain : utf8 != nullptr ? utf8 : "";
}

std::string target_of(archive_entry* entry) {
  const std::string hard =
      bytes_of(archive_entry_hardlink(entry), archive_entry_hardlink_utf8(entry));
  return hard.empty() ? bytes_of(archive_entry_symlink(entry), archive_entry_symlink_utf8(entry))
                      : hard;
}

/// "deflation" of libarchive's "ZIP 2.0 (deflation)".
std::string compression_in(std::string_view format) {
  const auto begin = std::min(format.find('('), format.size() - 1) + 1;
  return std::string(format.substr(begin, format.find(')', begin) - begin));
}

}  // namespace

PlainLocale::PlainLocale()
    : plain_(newlocale(LC_ALL_MASK, "C", nullptr)), before_(uselocale(plain_)) {}

PlainLocale::~PlainLocale() {
  uselocale(before_);
  if (plain_ != nullptr) freelocale(plain_);
}

ArchiveReader::ArchiveReader(const ArchiveFile& file, const UnpackLimits& limits)
    : file_(file),
      budget_(limits, file.file.size()),
      archive_(archive_read_new(), archive_read_free),
      size_(static_cast<std::int64_t>(file.file.size())) {
  for (const ArchiveSupport support : file_.support) support(archive_.get());
  archive_read_set_callback_data(archive_.get(), this);
  archive_read_set_read_callback(archive_.get(), read_some);
  archive_read_set_skip_callback(archive_.get(), skip_some);
  archive_read_set_seek_callback(archive_.get(), seek_to);
  if (file_.may_be_zip) index_ = read_zip_index(file_.file);
}

ArchiveReader::~ArchiveReader() = default;

long ArchiveReader::read_some(archive* reader, void* self, const void** bytes) {
  auto& me = *static_cast<ArchiveReader*>(self);
  if (me.file_.call.over()) {
    archive_set_error(reader, EINTR, "cancelled");
    return -1;
  }
  const auto got = me.file_.file.read_some(static_cast<std::uint64_t>(me.at_), me.buffer_.data(),
                                           me.buffer_.size());
  if (got < 0) archive_set_error(reader, errno, "cannot be read: %s", std::strerror(errno));
  me.at_ += std::max<std::int64_t>(got, 0);
  *bytes = me.buffer_.data();
  return got;
}

std::int64_t ArchiveReader::skip_some(archive*, void* self, std::int64_t size) {
  auto& me = *static_cast<ArchiveReader*>(self);
  const std::int64_t skipped = std::clamp<std::int64_t>(size, 0, me.size_ - me.at_);
  me.at_ += skipped;
  return skipped;
}

std::int64_t ArchiveReader::seek_to(archive*, void* self, std::int64_t offset, int whence) {
  auto& me = *static_cast<ArchiveReader*>(self);
  const std::int64_t base = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? me.at_ : me.size_;
  std::int64_t target = 0;
  if (__builtin_add_overflow(base, offset, &target) || target < 0) return ARCHIVE_FATAL;
  me.at_ = std::min(target, me.size_);
  return me.at_;
}

Outcome<bool> ArchiveReader::next(ArchiveMember& member) {
  if (file_.call.over()) return file_.call.why();
  if (members_ == 0) {
    // libarchive would read all of the directory first.
    if (index_ && index_->too_large) {
      return file_.refuse(Fault::kTooMuch,
                          "has more than 2000000 entries, or more than 256 MiB of names");
    }
    if (archive_read_open1(archive_.get()) != ARCHIVE_OK) return failure();
  } else if (auto failed = pass_over()) {
    return *failed;
  }
  archive_entry* entry = nullptr;
  const int result = archive_read_next_header(archive_.get(), &entry);
  if (result == ARCHIVE_EOF) return false;
  // A warning says that the name is not plain ASCII.
  if (result != ARCHIVE_OK && result != ARCHIVE_WARN) return failure();
  is_zip_ = (archive_format(archive_.get()) & ARCHIVE_FORMAT_BASE_MASK) == ARCHIVE_FORMAT_ZIP;
  if (archive_filter_count(archive_.get()) > 2) {  // the last one is the file itself
    return file_.refuse(Fault::kDamaged, "is compressed more than once");
  }
  describe(entry, member);
  in_member_ = true;
  if (auto failed = too_much(budget_.add_entry())) return *failed;
  const auto reached = position();
  if (auto failed = too_much(reached ? budget_.reach(*reached, member.size)
                                     : budget_.add_listed(member.size))) {
    return *failed;
  }
  return true;
}

void ArchiveReader::describe(archive_entry* entry, ArchiveMember& member) {
  member = {};
  member.kind = kind_of(entry);
  member.name = name_of(entry);
  member.target = target_of(entry);
  member.size = static_cast<std::uint64_t>(std::max<std::int64_t>(0, archive_entry_size(entry)));
  member.has_size = archive_entry_size_is_set(entry) != 0;
  member.encrypted = archive_entry_is_encrypted(entry) != 0;
  if (is_zip_) member.compression = compression_in(archive_format_name(archive_.get()));
}

std::string ArchiveReader::name_of(archive_entry* entry) {
  const std::size_t number = members_++;
  const char* const raw = archive_entry_pathname(entry);
  std::string said = bytes_of(raw, archive_entry_pathname_utf8(entry));
  if (!is_zip_ || !index_) return said;
  const bool same =
      number < index_->entries.size() && (raw == nullptr || index_->entries[number].matches(said));
  if (!same) {
    index_.reset();
    return said;
  }
  return index_->entries[number].readable();
}

Outcome<bool> ArchiveReader::read(const ArchiveMember& member, std::string& out) {
  out.clear();
  for (;;) {
    if (file_.call.over()) return file_.call.why();
    const la_ssize_t got = archive_read_data(archive_.get(), piece_.data(), piece_.size());
    if (got == ARCHIVE_FAILED) return false;
    if (got < 0) return failure();
    if (got == 0 && out.size() == member.size) return true;
    const bool fits = got > 0 && static_cast<std::uint64_t>(got) <= member.size - out.size();
    if (!fits) return file_.refuse(Fault::kDamaged, "has a wrong size of " + shown(member.name));
    out.append(piece_.data(), static_cast<std::size_t>(got));
  }
}

Outcome<std::string_view> ArchiveReader::piece() {
  if (file_.call.over()) return file_.call.why();
  const la_ssize_t got = archive_read_data(archive_.get(), piece_.data(), piece_.size());
  if (got < 0) return failure();
  if (auto failed = check_position()) return *failed;
  return std::string_view(piece_.data(), static_cast<std::size_t>(got));
}

Problem ArchiveReader::pass_over() {
  if (!std::exchange(in_member_, false) || !position()) return std::nullopt;
  const void* bytes = nullptr;
  std::size_t size = 0;
  la_int64_t offset = 0;
  for (;;) {
    if (file_.call.over()) return file_.call.why();
    const int result = archive_read_data_block(archive_.get(), &bytes, &size, &offset);
    if (result == ARCHIVE_EOF) return std::nullopt;
    if (result != ARCHIVE_OK && result != ARCHIVE_WARN) return failure();
    if (auto failed = check_position()) return failed;
  }
}

std::optional<std::uint64_t> ArchiveReader::position() const {
  if (is_zip_ || archive_filter_count(archive_.get()) < 2) return std::nullopt;
  return static_cast<std::uint64_t>(
      std::max<la_int64_t>(archive_filter_bytes(archive_.get(), 0), 0));
}

Problem ArchiveReader::check_position() {
  const auto reached = position();
  return reached ? too_much(budget_.reach(*reached, 0)) : std::nullopt;
}

Problem ArchiveReader::too_much(const UnpackBudget::Exceeded& exceeded) const {
  if (!exceeded) return std::nullopt;
  return file_.refuse(Fault::kTooMuch, "unpacks to " + *exceeded);
}

Failure ArchiveReader::failure() const {
  if (file_.call.over()) return file_.call.why();
  if (size_ == 0) return file_.refuse(Fault::kEmptyFile, "is empty");
  // Damage in the first block is found before the format is, and has another number.
  if (archive_format(archive_.get()) == 0 && archive_errno(archive_.get()) == EILSEQ) {
    return file_.refuse(Fault::kNoArchive, "cannot be unpacked: it is no archive that can be read");
  }
  const char* const said = archive_error_string(archive_.get());
  return file_.refuse(Fault::kDamaged, "cannot be unpacked: " +
                                           std::string(said == nullptr ? "it is damaged" : said));
}

}  // namespace quarry::package_source
