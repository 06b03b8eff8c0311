#include "resource-debian/archive.h"

#include <algorithm>
#include <archive.h>
#include <archive_entry.h>
#include <filesystem>
#include <memory>

namespace quarry::resource_debian {
namespace {

struct Freer {
  void operator()(archive* reader) const { archive_read_free(reader); }
};
using Reader = std::unique_ptr<archive, Freer>;

constexpr std::size_t kPiece = std::size_t{128} << 10;

Failure damaged(archive* reader, const std::string& label) {
  const char* const said = archive_error_string(reader);
  // Its digest is right, so another attempt would give the same.
  return failure(QUARRY_UNSUPPORTED,
                 label + " cannot be unpacked: " + shown(said == nullptr ? "it is damaged" : said),
                 "report it to the archive that has it");
}

void support_filters(archive* reader) {
  // Compressions of source packages; libarchive offers others that start programs.
  archive_read_support_filter_gzip(reader);
  archive_read_support_filter_bzip2(reader);
  archive_read_support_filter_xz(reader);
  archive_read_support_filter_lzma(reader);
}

bool open_blob(archive* reader, const Blob& blob) {
  const int opened = blob.path.empty()
                         ? archive_read_open_memory(reader, blob.bytes.data(), blob.bytes.size())
                         : archive_read_open_filename(reader, blob.path.c_str(), kPiece);
  return opened == ARCHIVE_OK;
}

Member::Kind kind_of(archive_entry* entry) {
  if (archive_entry_hardlink(entry) != nullptr || archive_entry_hardlink_utf8(entry) != nullptr) {
    return Member::Kind::kHardLink;
  }
  switch (archive_entry_filetype(entry)) {
    case AE_IFREG:
      return Member::Kind::kFile;
    case AE_IFDIR:
      return Member::Kind::kDirectory;
    case AE_IFLNK:
      return Member::Kind::kLink;
    default:
      return Member::Kind::kOther;
  }
}

// Names are bytes. Those of a pax header are UTF-8, and have no form in the locale "C".
std::string bytes_of(const char* plain, const char* utf8) {
  return plain != nullptr ? plain : utf8 != nullptr ? utf8 : "";
}

std::uint64_t position_of(archive* reader) {
  return static_cast<std::uint64_t>(std::max<la_int64_t>(archive_filter_bytes(reader, 0), 0));
}

std::uint64_t size_of(archive_entry* entry) {
  return static_cast<std::uint64_t>(std::max<la_int64_t>(archive_entry_size(entry), 0));
}

Member member_of(archive_entry* entry) {
  Member out;
  out.kind = kind_of(entry);
  out.path = bytes_of(archive_entry_pathname(entry), archive_entry_pathname_utf8(entry));
  if (out.kind == Member::Kind::kHardLink) {
    out.target = bytes_of(archive_entry_hardlink(entry), archive_entry_hardlink_utf8(entry));
  }
  if (out.kind == Member::Kind::kLink) {
    out.target = bytes_of(archive_entry_symlink(entry), archive_entry_symlink_utf8(entry));
  }
  out.executable = (archive_entry_perm(entry) & 0111U) != 0;
  return out;
}

}  // namespace

Problem unpack_stream(const Call& call, const Blob& blob, std::uint64_t most,
                      const std::string& label, const std::function<bool(std::string_view)>& take) {
  const Reader reader(archive_read_new());
  support_filters(reader.get());
  archive_read_support_format_raw(reader.get());
  archive_read_support_format_empty(reader.get());
  archive_entry* entry = nullptr;
  if (!open_blob(reader.get(), blob)) return damaged(reader.get(), label);
  const int first = archive_read_next_header(reader.get(), &entry);
  if (first == ARCHIVE_EOF) return std::nullopt;
  if (first != ARCHIVE_OK) return damaged(reader.get(), label);
  std::string buffer(kPiece, '\0');
  for (std::uint64_t size = 0;;) {
    if (call.over()) return call.why();
    const la_ssize_t count = archive_read_data(reader.get(), buffer.data(), buffer.size());
    if (count < 0) return damaged(reader.get(), label);
    if (count == 0) return std::nullopt;
    size += static_cast<std::uint64_t>(count);
    if (size > most) {
      return failure(QUARRY_RESOURCE_EXHAUSTED,
                     label + " unpacks to more than " + std::to_string(most) + " bytes",
                     "it is larger than the index states, or than this program accepts");
    }
    if (!take(std::string_view(buffer).substr(0, static_cast<std::size_t>(count)))) {
      return failure(QUARRY_INTERNAL, label + " was not read to its end");
    }
  }
}

std::uint64_t size_of(const Blob& blob) {
  if (blob.path.empty()) return blob.bytes.size();
  std::error_code error;
  const auto size = std::filesystem::file_size(blob.path, error);
  return error ? 0 : size;
}

Failure too_much(const std::string& label, const std::string& exceeded) {
  return failure(QUARRY_RESOURCE_EXHAUSTED, label + " unpacks to " + exceeded,
                 "if you trust it, unpack it yourself and add its folder as a local resource");
}

Problem unpack_tar(const Call& call, const Blob& blob, const std::string& label,
                   const resource_files::UnpackLimits& limits,
                   const std::function<Problem(const Member&, const ReadMember&)>& take) {
  const Reader reader(archive_read_new());
  support_filters(reader.get());
  archive_read_support_format_tar(reader.get());
  archive_read_support_format_empty(reader.get());
  if (!open_blob(reader.get(), blob)) return damaged(reader.get(), label);
  std::string buffer(kPiece, '\0');
  bool broken = false;
  const ReadMember read = [&]() -> std::optional<std::string_view> {
    const la_ssize_t count = archive_read_data(reader.get(), buffer.data(), buffer.size());
    broken = count < 0;
    if (broken || call.over()) return std::nullopt;
    return std::string_view(buffer).substr(0, static_cast<std::size_t>(count));
  };
  archive_entry* entry = nullptr;
  resource_files::UnpackBudget budget(limits, size_of(blob));
  for (;;) {
    if (call.over()) return call.why();
    const int next = archive_read_next_header(reader.get(), &entry);
    if (next == ARCHIVE_EOF) return std::nullopt;
    // A warning is about names that have no form in the locale; their bytes are there.
    if (next != ARCHIVE_OK && next != ARCHIVE_WARN) return damaged(reader.get(), label);
    if (archive_filter_count(reader.get()) > 2) {  // the last one is the file itself
      return failure(QUARRY_UNSUPPORTED, label + " is compressed more than once",
                     "report it to the archive that has it");
    }
    auto exceeded = budget.add_entry();
    if (!exceeded) exceeded = budget.reach(position_of(reader.get()), size_of(entry));
    if (exceeded) return too_much(label, *exceeded);
    auto failed = take(member_of(entry), read);
    if (call.over()) return call.why();
    if (broken) return damaged(reader.get(), label);
    if (failed) return failed;
  }
}

}  // namespace quarry::resource_debian
