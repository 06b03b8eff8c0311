#include "resource-debian/archive.h"

#include <archive.h>

namespace quarry::resource_debian {
namespace {

using package_source::ArchiveFile;
using package_source::Fault;

ArchiveFile archive_file(const Call& call, const package_source::File& file,
                         const std::string& label, package_source::ArchiveSupport format) {
  const auto refuse = [&label](Fault fault, const std::string& what) {
    if (fault == Fault::kTooMuch) {
      return failure(QUARRY_RESOURCE_EXHAUSTED, label + " " + what,
                     "if you trust it, unpack it yourself and add its folder as a local resource");
    }
    if (fault == Fault::kHostile) {
      return failure(QUARRY_DATA_LOSS, label + " " + what,
                     "do not unpack this package; report it to the archive that has it");
    }
    // Its digest is right, so another attempt would give the same.
    return failure(QUARRY_UNSUPPORTED, label + " " + what, "report it to the archive that has it");
  };
  return {call,
          file,
          {archive_read_support_filter_gzip, archive_read_support_filter_bzip2,
           archive_read_support_filter_xz, archive_read_support_filter_lzma,
           archive_read_support_format_empty, format},
          false,
          refuse};
}

}  // namespace

ArchiveFile tar_archive(const Call& call, const package_source::File& file,
                        const std::string& label) {
  return archive_file(call, file, label, archive_read_support_format_tar);
}

Problem unpack_stream(const Call& call, const package_source::File& file, std::uint64_t most,
                      const std::string& label, const std::function<bool(std::string_view)>& take) {
  const ArchiveFile compressed = archive_file(call, file, label, archive_read_support_format_raw);
  package_source::ArchiveReader reader(compressed, {.entries = 1, .bytes = most});
  package_source::ArchiveMember member;
  const auto is_there = reader.next(member);
  if (!is_there) return is_there.failure();
  if (!*is_there) return std::nullopt;
  for (std::uint64_t size = 0;;) {
    const auto bytes = reader.piece();
    if (!bytes) return bytes.failure();
    if (bytes->empty()) return std::nullopt;
    size += bytes->size();
    if (size > most) {
      return compressed.refuse(Fault::kTooMuch,
                               "unpacks to more than " + std::to_string(most) + " bytes");
    }
    if (!take(*bytes)) return failure(QUARRY_INTERNAL, label + " was not read to its end");
  }
}

}  // namespace quarry::resource_debian
