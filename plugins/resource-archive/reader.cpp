#include "resource-archive/reader.h"

#include "resource-archive/names.h"
#include "resource-archive/url.h"
#include "resource_files/answer.h"

#include <algorithm>
#include <archive.h>
#include <archive_entry.h>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

#include <sys/stat.h>

namespace quarry::resource_archive {

namespace {

constexpr std::size_t kPiece = std::size_t{64} << 10;

void support_filters(archive* reader) {
  archive_read_support_filter_gzip(reader);
  archive_read_support_filter_bzip2(reader);
  archive_read_support_filter_xz(reader);
  archive_read_support_filter_zstd(reader);
}

Member::Kind kind_of(archive_entry* entry) {
  if (archive_entry_hardlink(entry) != nullptr) return Member::Kind::kHardLink;
  switch (archive_entry_filetype(entry)) {
    case AE_IFREG:
      return Member::Kind::kFile;
    case AE_IFDIR:
      return Member::Kind::kFolder;
    case AE_IFLNK:
      return Member::Kind::kSymbolicLink;
    default:
      return Member::Kind::kOther;
  }
}

}  // namespace

PlainLocale::PlainLocale()
    : plain_(newlocale(LC_ALL_MASK, "C", nullptr)), before_(uselocale(plain_)) {}

PlainLocale::~PlainLocale() {
  uselocale(before_);
  if (plain_ != nullptr) freelocale(plain_);
}

Reader::Reader(const Call& call, const std::string& file)
    : call_(call), archive_(archive_read_new()) {
  if (archive_ != nullptr) opened_ = open(file);
}

Reader::~Reader() {
  if (archive_ != nullptr) archive_read_free(archive_);
  if (file_ >= 0) ::close(file_);
}

bool Reader::open(const std::string& file) {
  file_ = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat facts {};
  if (file_ < 0 || ::fstat(file_, &facts) != 0) {
    archive_set_error(archive_, errno, "cannot be opened: %s", std::strerror(errno));
    return false;
  }
  size_ = facts.st_size;
  support_filters(archive_);
  archive_read_support_format_tar(archive_);
  archive_read_support_format_zip_seekable(archive_);
  archive_read_set_callback_data(archive_, this);
  archive_read_set_read_callback(archive_, read_some);
  archive_read_set_skip_callback(archive_, skip_some);
  archive_read_set_seek_callback(archive_, seek_to);
  index_ = read_zip_index(file);
  // libarchive would read all of the directory first.
  too_large_ = index_ && index_->too_large;
  return !too_large_ && archive_read_open1(archive_) == ARCHIVE_OK;
}

long Reader::read_some(archive* reader, void* self, const void** bytes) {
  auto& me = *static_cast<Reader*>(self);
  if (me.call_.over()) {
    archive_set_error(reader, EINTR, "cancelled");
    return -1;
  }
  const ssize_t got = ::pread(me.file_, me.buffer_.data(), me.buffer_.size(), me.at_);
  if (got < 0) archive_set_error(reader, errno, "cannot be read: %s", std::strerror(errno));
  me.at_ += std::max<ssize_t>(got, 0);
  *bytes = me.buffer_.data();
  return got;
}

std::int64_t Reader::skip_some(archive*, void* self, std::int64_t size) {
  auto& me = *static_cast<Reader*>(self);
  const std::int64_t skipped = std::clamp<std::int64_t>(size, 0, me.size_ - me.at_);
  me.at_ += skipped;
  return skipped;
}

std::int64_t Reader::seek_to(archive*, void* self, std::int64_t offset, int whence) {
  auto& me = *static_cast<Reader*>(self);
  const std::int64_t base = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? me.at_ : me.size_;
  std::int64_t target = 0;
  if (__builtin_add_overflow(base, offset, &target) || target < 0) return ARCHIVE_FATAL;
  me.at_ = std::min(target, me.size_);
  return me.at_;
}

Reader::Step Reader::next(Member& member) {
  archive_entry* entry = nullptr;
  if (!opened_) return Step::kFailed;
  const int result = archive_read_next_header(archive_, &entry);
  // A warning says that the name is not plain ASCII.
  if (result == ARCHIVE_EOF) return Step::kEnd;
  if (result != ARCHIVE_OK && result != ARCHIVE_WARN) return Step::kFailed;
  is_zip_ = (archive_format(archive_) & ARCHIVE_FORMAT_BASE_MASK) == ARCHIVE_FORMAT_ZIP;
  if (archive_filter_count(archive_) > 2) {  // the last one is the file itself
    archive_set_error(archive_, EILSEQ, "it is compressed more than once");
    return Step::kFailed;
  }
  describe(entry, member);
  return Step::kMember;
}

void Reader::describe(archive_entry* entry, Member& member) {
  member = {};
  member.kind = kind_of(entry);
  member.name = name_of(archive_entry_pathname(entry));
  if (const char* const target = archive_entry_hardlink(entry); target != nullptr) {
    member.target = target;
  }
  member.size = static_cast<std::uint64_t>(std::max<std::int64_t>(0, archive_entry_size(entry)));
  member.encrypted = archive_entry_is_encrypted(entry) != 0;
}

std::string Reader::name_of(const char* raw) {
  const std::size_t number = members_++;
  std::string said = raw == nullptr ? "" : raw;
  if (!is_zip_ || !index_) return said;
  // The index has names that libarchive cannot pass on in this locale, and who wrote them.
  const bool same =
      number < index_->entries.size() && (raw == nullptr || index_->entries[number].matches(said));
  if (!same) {
    index_.reset();
    return said;
  }
  return index_->entries[number].readable();
}

Reader::Content Reader::read(std::string& out, std::uint64_t most) {
  std::array<char, kPiece> piece;
  for (;;) {
    if (call_.over()) return Content::kFailed;
    const la_ssize_t got = archive_read_data(archive_, piece.data(), piece.size());
    if (got == 0) return Content::kWhole;
    if (got == ARCHIVE_FAILED) return Content::kUnsupported;
    if (got < 0) return Content::kFailed;
    if (static_cast<std::uint64_t>(got) > most - out.size()) return Content::kMore;
    out.append(piece.data(), static_cast<std::size_t>(got));
  }
}

std::optional<std::uint64_t> Reader::position() const {
  // Members of a zip, and those of a file that is not compressed, are skipped by a seek.
  if (is_zip_ || archive_filter_count(archive_) < 2) return std::nullopt;
  return static_cast<std::uint64_t>(std::max<la_int64_t>(archive_filter_bytes(archive_, 0), 0));
}

bool Reader::pass_over(std::uint64_t most, std::uint64_t& count) {
  if (!position()) return true;
  const void* bytes = nullptr;
  std::size_t size = 0;
  la_int64_t offset = 0;
  for (;;) {
    if (call_.over()) return false;
    const int result = archive_read_data_block(archive_, &bytes, &size, &offset);
    if (result == ARCHIVE_EOF) return true;
    if (result != ARCHIVE_OK && result != ARCHIVE_WARN) return false;
    count += size;
    if (count > most) return false;
  }
}

Failure Reader::failure() const {
  if (call_.over()) return call_.why();
  constexpr const char* kHint =
      "download it again and check it by tar -t or unzip -t; if it is whole there, the server cut "
      "the transfer";
  if (archive_ == nullptr) return {QUARRY_RESOURCE_EXHAUSTED, "no memory is left", {}, {}};
  if (too_large_) {
    return {QUARRY_RESOURCE_EXHAUSTED,
            "the archive has more than 2000000 entries, or more than 256 MiB of names",
            "name another archive, with less in it",
            {}};
  }
  if (size_ == 0 && file_ >= 0) {
    return field_failure("/url", "leads to an empty file", kHint);
  }
  std::string begin(resource_files::kMostAnswer, '\0');
  const ssize_t got = file_ < 0 ? 0 : ::pread(file_, begin.data(), begin.size(), 0);
  begin.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  if (resource_files::is_web_page(begin)) {
    const std::string title = resource_files::words_of_answer(begin);
    return field_failure(
        "/url", "leads to a web page, not to an archive" + (title.empty() ? "" : ": " + title),
        "open it in a browser: a log-in page, a proxy or the page of a network may answer in its "
        "place");
  }
  // Damage in the first block is found before the format is, and has another number.
  if (archive_format(archive_) == 0 && archive_errno(archive_) == EILSEQ) {
    return field_failure(
        "/url", "does not lead to a tar or zip archive",
        "open it in a browser: the server may have sent a page, or an archive of another kind; "
        "tar (gzip, xz, zstd, bzip2 or plain) and zip can be read");
  }
  const char* const said = archive_error_string(archive_);
  return field_failure(
      "/url", "leads to a damaged archive: " + std::string(said == nullptr ? "unknown" : said),
      kHint);
}

namespace {

/// The value of "comment" in the records of a pax header.
std::string comment_of(std::string_view records) {
  constexpr std::string_view kKey = " comment=";
  const auto key = records.find(kKey);
  if (key == std::string_view::npos) return {};
  const std::string_view value = records.substr(key + kKey.size());
  return std::string(value.substr(0, value.find('\n')));
}

/// The first bytes of the file without its compression.
std::string first_bytes(const std::string& file) {
  std::array<char, 1536> bytes{};
  archive* const reader = archive_read_new();
  if (reader == nullptr) return {};
  support_filters(reader);
  archive_read_support_format_raw(reader);
  archive_entry* entry = nullptr;
  la_ssize_t got = 0;
  if (archive_read_open_filename(reader, file.c_str(), kPiece) == ARCHIVE_OK &&
      archive_read_next_header(reader, &entry) == ARCHIVE_OK) {
    got = archive_read_data(reader, bytes.data(), bytes.size());
  }
  archive_read_free(reader);
  return {bytes.data(), static_cast<std::size_t>(std::max<la_ssize_t>(got, 0))};
}

}  // namespace

std::string commit_of(const std::string& file) {
  constexpr std::size_t kBlock = 512;
  constexpr std::size_t kKindOffset = 156;
  std::string said;
  const std::string bytes = first_bytes(file);
  if (bytes.starts_with("PK")) {
    const auto index = read_zip_index(file);
    if (index) said = index->comment;
  } else if (bytes.size() > kBlock && bytes[kKindOffset] == 'g') {
    said = comment_of(std::string_view(bytes).substr(kBlock, kBlock));
  }
  return (said.size() == 40 || said.size() == 64) && is_hex(said) ? said : std::string();
}

}  // namespace quarry::resource_archive
