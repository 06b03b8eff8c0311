#include "resource-pypi/unpack.h"

#include "resource_files/left_out.h"
#include "resource_files/path.h"

#include <algorithm>
#include <archive.h>
#include <archive_entry.h>
#include <filesystem>
#include <locale.h>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace quarry::resource_pypi {
namespace {

/// libarchive converts names by the thread's character set; the process's own may be ASCII.
class Utf8Here {
 public:
  Utf8Here() : utf8_(newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr)) {
    if (utf8_ != nullptr) before_ = uselocale(utf8_);
  }
  ~Utf8Here() {
    if (utf8_ == nullptr) return;
    uselocale(before_);
    freelocale(utf8_);
  }
  Utf8Here(const Utf8Here&) = delete;
  Utf8Here& operator=(const Utf8Here&) = delete;

 private:
  locale_t utf8_;
  locale_t before_ = nullptr;
};

using ArchiveReader = std::unique_ptr<archive, decltype(&archive_read_free)>;

Failure damaged(const std::string& name, const std::string& how) {
  return {QUARRY_DATA_LOSS, name + " " + how, "Choose another version or format.", {}};
}

Failure of_archive(const std::string& name, archive* reader) {
  const char* said = archive_error_string(reader);
  return damaged(name, "cannot be unpacked: " + std::string(said == nullptr ? "damaged" : said));
}

Outcome<ArchiveReader> open(const std::string& path, const std::string& name) {
  constexpr std::size_t kBlock = 64U << 10;
  ArchiveReader reader(archive_read_new(), archive_read_free);
  if (name.ends_with(".zip") || name.ends_with(".whl")) {
    archive_read_support_format_zip_seekable(reader.get());
  } else {
    archive_read_support_format_tar(reader.get());
    archive_read_support_filter_gzip(reader.get());
    archive_read_support_filter_bzip2(reader.get());
  }
  if (archive_read_open_filename(reader.get(), path.c_str(), kBlock) != ARCHIVE_OK) {
    return of_archive(name, reader.get());
  }
  return reader;
}

enum class Kind { kFile, kLink, kHardLink, kLeftOut };

struct Entry {
  Kind kind = Kind::kFile;
  std::string path;
  std::string target;  ///< of a hard link
  std::uint64_t size = 0;
};

/// A plain path; nullopt when it leads out of the archive or cannot be a name.
std::optional<std::string> safe_path(const char* given) {
  if (given == nullptr || *given == '\0' || *given == '/') return std::nullopt;
  return resource_files::plain_path(given);
}

std::uint64_t size_of(const std::string& path) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  return error ? 0 : size;
}

class Unpacker {
 public:
  Unpacker(const Call& call, const std::string& path, const std::string& name, Tree& tree,
           const resource_files::UnpackLimits& limits)
      : call_(call), path_(path), name_(name), tree_(tree), budget_(limits, size_of(path)) {}

  Outcome<Unpacked> run() {
    const Utf8Here utf8;
    // The first pass checks every entry, so that a bad archive adds nothing.
    if (auto failed = each([&](archive* reader, Entry& entry) { return survey(reader, entry); })) {
      return *failed;
    }
    if (last_.empty()) return damaged(name_, "has no files");
    if (auto failed = check_folders()) return *failed;
    find_root();
    position_ = 0;
    is_surveyed_ = true;
    if (auto failed = each([&](archive* reader, Entry& entry) { return add(reader, entry); })) {
      return *failed;
    }
    note_omitted();
    return std::move(out_);
  }

 private:
  using Failed = std::optional<Failure>;

  Failed each(const auto& use) {
    auto reader = open(path_, name_);
    if (!reader) return reader.failure();
    archive_entry* raw = nullptr;
    while (true) {
      if (call_.over()) return call_.why();
      const int status = archive_read_next_header(reader->get(), &raw);
      if (status == ARCHIVE_EOF) return std::nullopt;
      if (status != ARCHIVE_OK && status != ARCHIVE_WARN) return of_archive(name_, reader->get());
      if (archive_filter_count(reader->get()) > 2) {  // the last one is the file itself
        return damaged(name_, "is compressed more than once");
      }
      ++position_;
      auto entry = entry_of(raw);
      if (!entry) return entry.failure();
      if (auto failed = count_entry()) return failed;
      if (entry->path.empty()) continue;  // a folder
      if (!can_be_kept(*entry)) {
        if (!is_surveyed_) left_out_.add(entry->path);
        continue;
      }
      if (auto failed = use(reader->get(), *entry)) return failed;
    }
  }

  Outcome<Entry> entry_of(archive_entry* raw) const {
    const char* given = archive_entry_pathname(raw);
    auto path = safe_path(given);
    if (!path) {
      return damaged(name_, "has the path \"" + std::string(given == nullptr ? "" : given) +
                                "\", which leads out of it");
    }
    Entry entry{Kind::kFile, std::move(*path), {}, 0};
    if (const char* target = archive_entry_hardlink(raw)) {
      entry.kind = Kind::kHardLink;
      auto safe = safe_path(target);
      if (!safe) return damaged(name_, "has a hard link out of it, " + entry.path);
      entry.target = std::move(*safe);
      return entry;
    }
    const auto type = archive_entry_filetype(raw);
    if (type == AE_IFDIR) entry.path.clear();
    if (type == AE_IFLNK) entry.kind = Kind::kLink;
    if (type != AE_IFREG && type != AE_IFDIR && type != AE_IFLNK) {
      return damaged(name_, "has a device or pipe, " + entry.path);
    }
    if (type == AE_IFREG && !archive_entry_size_is_set(raw)) {
      return damaged(name_, "does not state the size of " + entry.path);
    }
    const auto size = archive_entry_size(raw);
    entry.size = type == AE_IFREG ? static_cast<std::uint64_t>(std::max<la_int64_t>(size, 0)) : 0;
    return entry;
  }

  /// Each entry counts in the first pass.
  Failed count_entry() {
    if (is_surveyed_) return std::nullopt;
    const auto exceeded = budget_.add_entry();
    return exceeded ? too_much(*exceeded) : std::nullopt;
  }

  /// The root does not count, because it is left out.
  static bool can_be_kept(const Entry& entry) {
    return resource_files::fits_tree(entry.path, 1) && resource_files::fits_tree(entry.target, 1);
  }

  [[nodiscard]] bool is_zip() const { return name_.ends_with(".zip") || name_.ends_with(".whl"); }

  /// LZMA and PPMd may demand gigabytes of memory, and no builder uses them.
  [[nodiscard]] bool is_plainly_packed(archive* reader) const {
    if (!is_zip()) return true;
    const std::string_view method = archive_format_name(reader);  // "ZIP 2.0 (deflation)"
    return method.ends_with("(deflation)") || method.ends_with("(uncompressed)") ||
           method.ends_with("(bzip)");
  }

  Failed survey(archive* reader, const Entry& entry) {
    if (!is_plainly_packed(reader)) {
      return damaged(name_, "is packed in a way that is not read: " +
                                std::string(archive_format_name(reader)));
    }
    // Hard links count as well: each becomes a copy.
    std::uint64_t size = entry.size;
    if (entry.kind == Kind::kHardLink) {
      const auto target = sizes_.find(entry.target);
      if (target == sizes_.end()) {
        return damaged(name_, "has a hard link to no file, " + entry.path);
      }
      size = target->second;
      const auto origin = origins_.find(entry.target);  // of a link to a link
      const std::string& file = origin == origins_.end() ? entry.target : origin->second;
      copies_[file].push_back({entry.path, position_});
      origins_[entry.path] = file;
    }
    if (const auto exceeded = count(reader, entry.kind, size)) return too_much(*exceeded);
    sizes_[entry.path] = size;
    last_[entry.path] = position_;
    return entry.kind == Kind::kFile ? skip(reader) : std::nullopt;
  }

  /// Adds an entry to the sums: a large file is never written, and in a ZIP not even read.
  resource_files::UnpackBudget::Exceeded count(archive* reader, Kind kind, std::uint64_t size) {
    if (!is_zip() && kind == Kind::kFile) {
      const auto position = std::max<la_int64_t>(archive_filter_bytes(reader, 0), 0);
      if (auto exceeded = budget_.reach(static_cast<std::uint64_t>(position), size))
        return exceeded;
    }
    if (size > tree_.file_limit()) return budget_.add_listed(size);
    return budget_.add_file(size, kind == Kind::kHardLink);
  }

  [[nodiscard]] Failed too_much(const std::string& what) const {
    return Failure{QUARRY_RESOURCE_EXHAUSTED,
                   name_ + " unpacks to " + what,
                   "Choose another version or format. If you trust it, unpack it yourself and add "
                   "its folder as a local resource.",
                   {}};
  }

  /// Reads over an entry in pieces, so that a cancelled call stops.
  Failed skip(archive* reader) {
    if (is_zip()) return std::nullopt;  // it seeks
    const void* data = nullptr;
    std::size_t size = 0;
    la_int64_t offset = 0;
    while (true) {
      const int status = archive_read_data_block(reader, &data, &size, &offset);
      if (status == ARCHIVE_EOF) return std::nullopt;
      if (status != ARCHIVE_OK && status != ARCHIVE_WARN) return of_archive(name_, reader);
      if (call_.over()) return call_.why();
    }
  }

  /// A path is a file or a folder, not both.
  [[nodiscard]] Failed check_folders() const {
    for (const auto& [path, position] : last_) {
      for (auto at = path.find('/'); at != std::string::npos; at = path.find('/', at + 1)) {
        if (last_.find(path.substr(0, at)) == last_.end()) continue;
        return damaged(name_, "has " + path.substr(0, at) + " as a file and as a folder");
      }
    }
    return std::nullopt;
  }

  void find_root() {
    const std::string& first = last_.begin()->first;
    const std::string root = first.substr(0, first.find('/') + 1);
    const bool all = !root.empty() && std::all_of(last_.begin(), last_.end(), [&](const auto& at) {
      return at.first.starts_with(root);
    });
    // The folders of a wheel are packages and belong to the paths.
    if (all && !name_.ends_with(".whl")) out_.root = root.substr(0, root.size() - 1);
  }

  [[nodiscard]] std::string shown(const std::string& path) const {
    return out_.root.empty() ? path : path.substr(out_.root.size() + 1);
  }

  Failed add(archive* reader, const Entry& entry) {
    const auto last = last_.find(entry.path);
    if (last == last_.end()) return damaged(name_, "changed while it was read");
    // Of entries with one path the last counts, as when it is unpacked to a disk.
    if (last->second != position_ && copies_.find(entry.path) == copies_.end()) return {};
    if (entry.kind == Kind::kHardLink) return {};  // added with its target
    if (entry.kind == Kind::kLink) return accepted(add_link(shown(entry.path)));
    return add_regular(reader, entry);
  }

  bool add_link(const std::string& path) {
    ++links_;
    if (resource_files::fits_tree(path)) return tree_.add_link(path);
    left_out_.add(path);
    return true;
  }

  Failed add_regular(archive* reader, const Entry& entry) {
    std::vector<std::string> paths;
    if (last_[entry.path] == position_) paths.push_back(entry.path);
    if (const auto copies = copies_.find(entry.path); copies != copies_.end()) {
      for (const auto& [path, position] : copies->second) {
        if (last_[path] == position) paths.push_back(path);
      }
    }
    std::string bytes;
    if (entry.size <= tree_.file_limit()) {
      if (auto failed = read(reader, entry, bytes)) return failed;
    }
    for (const std::string& path : paths) {
      const std::string at = shown(path);
      if (!resource_files::fits_tree(at)) {
        left_out_.add(at);
        continue;
      }
      const bool large = entry.size > tree_.file_limit();
      const bool added = large ? tree_.add_large(at, entry.size) : tree_.add_file(at, bytes);
      if (!added) return accepted(false);
      out_.has_overview = out_.has_overview || at == kOverview;
    }
    if (is_metadata(shown(entry.path))) out_.metadata = std::move(bytes);
    return std::nullopt;
  }

  [[nodiscard]] bool is_metadata(const std::string& path) const {
    if (!name_.ends_with(".whl")) return path == "PKG-INFO";
    return path.ends_with(".dist-info/METADATA") && std::count(path.begin(), path.end(), '/') == 1;
  }

  Failed read(archive* reader, const Entry& entry, std::string& bytes) {
    bytes.resize(entry.size);
    std::size_t have = 0;
    while (have < bytes.size()) {
      if (call_.over()) return call_.why();
      const auto got = archive_read_data(reader, bytes.data() + have, bytes.size() - have);
      if (got < 0) return of_archive(name_, reader);
      if (got == 0) return damaged(name_, "ends within " + entry.path);
      have += static_cast<std::size_t>(got);
    }
    char more = 0;
    const auto after = archive_read_data(reader, &more, 1);  // checks the entry's checksum too
    if (after < 0) return of_archive(name_, reader);
    if (after > 0) return damaged(name_, "has more bytes than it states in " + entry.path);
    return std::nullopt;
  }

  /// The host writes the message of what it did not accept.
  static Failed accepted(bool yes) {
    if (yes) return std::nullopt;
    return Failure{QUARRY_RESOURCE_EXHAUSTED, "the files were not accepted", {}, {}};
  }

  void note_omitted() {
    if (left_out_.count > 0) out_.notes.push_back(left_out_.note_of_long_paths());
    if (links_ > 0) {
      out_.notes.push_back(std::to_string(links_) +
                           " symbolic links are listed, and not followed.");
    }
  }

  const Call& call_;
  const std::string& path_;
  const std::string& name_;
  Tree& tree_;
  resource_files::UnpackBudget budget_;
  Unpacked out_;
  std::size_t position_ = 0;
  bool is_surveyed_ = false;
  resource_files::LeftOut left_out_;
  std::size_t links_ = 0;
  std::map<std::string, std::size_t> last_;  ///< position of the entry that counts, by path
  std::unordered_map<std::string, std::uint64_t> sizes_;
  /// Paths and positions of hard links, by the file that they lead to.
  std::unordered_map<std::string, std::vector<std::pair<std::string, std::size_t>>> copies_;
  std::unordered_map<std::string, std::string> origins_;  ///< that file, by hard link
};

}  // namespace

Outcome<Unpacked> unpack(const Call& call, const std::string& path, const std::string& name,
                         Tree& tree, const resource_files::UnpackLimits& limits) {
  return Unpacker(call, path, name, tree, limits).run();
}

}  // namespace quarry::resource_pypi
