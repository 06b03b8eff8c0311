#include "resource-archive/unpack.h"

#include "package_source/answer.h"
#include "package_source/unpack.h"

#include <quarry/limits.h>

#include <archive.h>

namespace quarry::resource_archive {

namespace {

using package_source::Fault;

constexpr std::size_t kMostMembers = 2'000'000;

/// Adds files with their pages.
class PageSink : public package_source::TreeSink {
 public:
  PageSink(Tree& tree, const std::optional<Pages>& pages) : TreeSink(tree), pages_(pages) {}

  bool add_file(const std::string& path, std::string_view content) override {
    // All facts of one tree have a limit; files beyond it have no page.
    constexpr std::uint64_t kMostFacts = QUARRY_LIMIT_FILE_FACTS / 4 * 3;
    if (pages_ && pages_->each) {
      const std::string page = pages_->page_of(path);
      facts_ += path.size() + page.size();
      if (facts_ < kMostFacts && page.size() <= QUARRY_LIMIT_PERMALINK) {
        return tree_.add_file(quarry::File{path, page}, content);
      }
    }
    return tree_.add_file(path, content);
  }

 private:
  const std::optional<Pages>& pages_;
  std::uint64_t facts_ = 0;
};

Failure refuse(const package_source::File& file, Fault fault, const std::string& what) {
  constexpr const char* kHint =
      "download it again and check it by tar -t or unzip -t; if it is whole there, the server cut "
      "the transfer";
  if (fault == Fault::kTooMuch) {
    return {QUARRY_RESOURCE_EXHAUSTED,
            "the archive " + what,
            "if you trust it, raise max_unpacked_mib in [resource_type.archive], or unpack it "
            "yourself and add its folder as a local resource",
            {}};
  }
  if (fault == Fault::kEmptyFile) return field_failure("/url", "leads to an empty file", kHint);
  const std::string begin =
      file.read(0, std::min<std::uint64_t>(file.size(), package_source::kMostAnswer)).value_or("");
  if (package_source::is_web_page(begin)) {
    const std::string title = package_source::words_of_answer(begin);
    return field_failure(
        "/url", "leads to a web page, not to an archive" + (title.empty() ? "" : ": " + title),
        "open it in a browser: a log-in page, a proxy or the page of a network may answer in its "
        "place");
  }
  if (fault == Fault::kNoArchive) {
    return field_failure(
        "/url", "does not lead to a tar or zip archive",
        "open it in a browser: the server may have sent a page, or an archive of another kind; "
        "tar (gzip, xz, zstd, bzip2 or plain) and zip can be read");
  }
  constexpr std::string_view kCannot = "cannot be unpacked: ";
  return field_failure("/url",
                       "leads to a damaged archive: " +
                           (what.starts_with(kCannot) ? what.substr(kCannot.size()) : "it " + what),
                       kHint);
}

package_source::ArchiveFile archive_file(const Call& call, const package_source::File& file,
                                         package_source::ArchiveSupport format, bool may_be_zip) {
  package_source::ArchiveFile out{
      call,
      file,
      {archive_read_support_filter_gzip, archive_read_support_filter_bzip2,
       archive_read_support_filter_xz, archive_read_support_filter_zstd, format},
      may_be_zip,
      [&file](Fault fault, const std::string& what) { return refuse(file, fault, what); }};
  if (may_be_zip) out.support.push_back(archive_read_support_format_zip_seekable);
  return out;
}

/// Why nothing was added.
Failure nothing_there(const Source& source, const package_source::Unpacked& unpacked) {
  if (unpacked.encrypted.count > 0) {
    return field_failure("/url", "leads to an archive whose files are encrypted",
                         "name one that is not; passwords of archives are not supported");
  }
  if (unpacked.unsupported.count > 0) {
    return field_failure("/url", "leads to an archive whose compression is not known",
                         "name one that is packed as gzip, xz, zstd or bzip2, or by deflate");
  }
  if (unpacked.found == 0) {
    return field_failure(
        "/url",
        "leads to an archive without files" +
            std::string(source.strip > 0
                            ? " that have more than " + std::to_string(source.strip) + " components"
                            : ""),
        source.strip > 0 ? "lower strip" : "name another archive");
  }
  std::string names;
  for (const auto& name : unpacked.top) {
    names += (names.empty() ? "" : ", ") + package_source::shown(name);
  }
  return field_failure("/path", "names nothing in the archive",
                       "its first folders and files are " + names);
}

/// The value of "comment" in the records of a pax header.
std::string comment_of(std::string_view records) {
  constexpr std::string_view kKey = " comment=";
  const auto key = records.find(kKey);
  if (key == std::string_view::npos) return {};
  const std::string_view value = records.substr(key + kKey.size());
  return std::string(value.substr(0, value.find('\n')));
}

}  // namespace

Outcome<std::vector<std::string>> unpack(const Call& call, const Source& source,
                                         const package_source::File& file, const Limits& limits,
                                         const std::optional<Pages>& pages, Tree& tree) {
  package_source::UnpackRules rules;
  rules.limits = {.entries = kMostMembers, .bytes = limits.unpacked};
  rules.strip = source.strip;
  rules.beneath = source.path;
  PageSink sink(tree, pages);
  const auto unpacked = package_source::unpack(
      archive_file(call, file, archive_read_support_format_tar, true), rules, sink);
  if (!unpacked) return unpacked.failure();
  if (unpacked->added == 0) return nothing_there(source, *unpacked);
  return unpacked->notes();
}

std::string commit_of(const Call& call, const package_source::File& file) {
  constexpr std::size_t kBlock = 512;
  constexpr std::size_t kKindOffset = 156;
  std::string said;
  if (file.read(0, 2) == "PK") {
    if (const auto index = package_source::read_zip_index(file)) said = index->comment;
  } else {
    const auto unpacked = archive_file(call, file, archive_read_support_format_raw, false);
    package_source::ArchiveReader reader(unpacked, {.entries = 1, .bytes = 1ULL << 40});
    package_source::ArchiveMember member;
    const auto is_there = reader.next(member);
    const auto bytes = is_there && *is_there ? reader.piece() : Outcome<std::string_view>("");
    if (bytes && bytes->size() > kBlock && (*bytes)[kKindOffset] == 'g') {
      said = comment_of(bytes->substr(kBlock, kBlock));
    }
  }
  return (said.size() == 40 || said.size() == 64) && is_hex(said) ? said : std::string();
}

}  // namespace quarry::resource_archive
