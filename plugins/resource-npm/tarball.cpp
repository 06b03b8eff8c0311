#include "resource-npm/tarball.h"

#include "resource-npm/tally.h"
#include "resource-npm/tarball_path.h"
#include "resource-npm/text.h"
#include "resource_files/path.h"
#include "resource_files/text.h"

#include <algorithm>
#include <archive.h>
#include <archive_entry.h>
#include <memory>
#include <unordered_map>

namespace quarry::resource_npm {
namespace {

using resource_files::lower;

constexpr std::size_t kMostPackageJson = std::size_t{4} << 20;
constexpr std::uint64_t kProgressFiles = 1000;  // files

/// The rank of a name as the readme, 0 = not one.
int readme_rank(std::string_view path) {
  const std::string name = lower(path);
  if (name == "readme.md") return 4;
  if (name == "readme.markdown") return 3;
  if (name == "readme") return 2;
  return name.starts_with("readme.") && name.find('/') == name.npos ? 1 : 0;
}

Failure refused(quarry_status status, const std::string& why) {
  return {status,
          "the tarball is refused: " + why,
          "Report it to the package's publisher; another version may be intact.",
          {}};
}

/// Of a tarball that cannot be read to its end.
Failure damaged(const std::string& why) {
  return refused(QUARRY_DATA_LOSS, why);
}

/// Of a tarball that no publisher's tool makes.
Failure hostile(const std::string& why) {
  return refused(QUARRY_PERMISSION_DENIED, why);
}

Failure too_much(const std::string& why) {
  return {QUARRY_RESOURCE_EXHAUSTED,
          "the tarball is refused: " + why,
          "Choose another version of the package. If you trust this one, unpack it yourself and "
          "add its folder as a local resource.",
          {}};
}

std::string in_quotes(std::string_view path) {
  return "\"" + shown(path, 120) + "\"";
}

class Unpacker {
 public:
  Unpacker(std::string_view bytes, const resource_files::UnpackLimits& limits, const Call& call,
           Tree& tree)
      : bytes_(bytes), budget_(limits, bytes.size()), call_(call), tree_(tree) {}

  Outcome<Tarball> run() {
    // The first pass sums all entries, so that a tarball with too much in it adds nothing.
    if (auto failure = each([this](archive_entry* entry) { return survey(entry); })) {
      return *failure;
    }
    if (auto failure = each([this](archive_entry* entry) { return take(entry); })) return *failure;
    out_.notes = tally_.notes();
    return std::move(out_);
  }

 private:
  using Failed = std::optional<Failure>;

  [[nodiscard]] std::string reason() const {
    const char* text = ::archive_error_string(archive_.get());
    return text != nullptr ? text : "it is no gzip'd tar";
  }

  Failed each(const auto& use) {
    archive_.reset(::archive_read_new());
    ::archive_read_support_filter_gzip(archive_.get());
    ::archive_read_support_format_tar(archive_.get());
    if (::archive_read_open_memory(archive_.get(), bytes_.data(), bytes_.size()) != ARCHIVE_OK) {
      return damaged(reason());
    }
    for (bool is_empty = true;; is_empty = false) {
      if (call_.over()) return call_.why();
      archive_entry* entry = nullptr;
      const int status = ::archive_read_next_header(archive_.get(), &entry);
      if (status == ARCHIVE_EOF) return is_empty ? damaged("it is empty") : Failed();
      if (status != ARCHIVE_OK && status != ARCHIVE_WARN) return damaged(reason());
      if (::archive_filter_count(archive_.get()) > 2) {  // the last one is the tarball itself
        return damaged("it is compressed more than once");
      }
      if (auto failure = use(entry)) return failure;
    }
  }

  Failed survey(archive_entry* entry) {
    const std::uint64_t size = size_of(entry);
    auto exceeded = budget_.add_entry();
    if (!exceeded) exceeded = budget_.reach(position(), size);
    // Hard links are left out, and large files are not written.
    const bool is_file =
        ::archive_entry_filetype(entry) == AE_IFREG && ::archive_entry_hardlink(entry) == nullptr;
    if (!exceeded && is_file) {
      exceeded = size > tree_.file_limit() ? budget_.add_listed(size) : budget_.add_file(size);
    }
    return exceeded ? too_much("it unpacks to " + *exceeded) : skip_data();
  }

  static std::uint64_t size_of(archive_entry* entry) {
    return static_cast<std::uint64_t>(std::max<la_int64_t>(::archive_entry_size(entry), 0));
  }

  [[nodiscard]] std::uint64_t position() const {
    const auto bytes = std::max<la_int64_t>(::archive_filter_bytes(archive_.get(), 0), 0);
    return static_cast<std::uint64_t>(bytes);
  }

  Failed take(archive_entry* entry) {
    const char* said = ::archive_entry_pathname(entry);
    if (said == nullptr) return damaged("it holds a file without a name");
    const auto path = stripped_path(said);
    if (!path) return hostile("the path " + in_quotes(said) + " leads out of it");
    if (::archive_entry_hardlink(entry) != nullptr) return leave_out(*path, Left::kHardLink);
    switch (::archive_entry_filetype(entry)) {
      case AE_IFDIR:
        return skip_data();
      case AE_IFREG:
        return take_file(*path, entry);
      case AE_IFLNK:
        return take_link(*path);
      default:
        return hostile(in_quotes(said) + " is neither a file nor a directory");
    }
  }

  Failed leave_out(const std::string& path, Left why) {
    tally_.add(why, path);
    return skip_data();
  }

  /// True if the tree can have the path; otherwise counts it in the tally.
  bool is_taken(const std::string& path) {
    if (path.empty())
      tally_.add(Left::kOutside, "");
    else if (!resource_files::fits_tree(path))
      tally_.add(Left::kLongPath, path);
    else
      return true;
    return false;
  }

  Failed take_link(const std::string& path) {
    if (!is_taken(path) || seen_.contains(path)) return std::nullopt;
    tally_.add(Left::kSymbolicLink, path);
    seen_[path] = 0;
    return tree_.add_link(path) ? Failed() : Failed(rejected());
  }

  Failed take_file(const std::string& path, archive_entry* entry) {
    if (!is_taken(path)) return skip_data();
    const std::uint64_t bytes = size_of(entry);
    if (bytes > tree_.file_limit()) return take_large(path, bytes);
    if (auto failure = read(bytes)) return failure;
    const auto [known, is_new] = seen_.try_emplace(path, std::hash<std::string>()(content_));
    if (!is_new) {
      if (known->second != std::hash<std::string>()(content_)) tally_.add(Left::kTwice, path);
      return std::nullopt;
    }
    keep(path);
    return tree_.add_file(path, content_) ? Failed() : Failed(rejected());
  }

  Failed take_large(const std::string& path, std::uint64_t bytes) {
    if (auto failure = skip_data()) return failure;
    if (!seen_.try_emplace(path, bytes).second) {
      tally_.add(Left::kTwice, path);
      return std::nullopt;
    }
    keep_name(path);
    return tree_.add_large(path, bytes) ? Failed() : Failed(rejected());
  }

  void keep_name(const std::string& path) {
    out_.names.insert(lower(path.substr(0, path.find('/'))));
    if (++out_.files % kProgressFiles == 0) {
      call_.progress(R"({"message":"unpacking","done":)" + std::to_string(out_.files) + "}");
    }
  }

  void keep(const std::string& path) {
    keep_name(path);
    if (path == "package.json" && content_.size() <= kMostPackageJson) {
      out_.package_json = content_;
    }
    if (const int rank = readme_rank(path); rank > readme_rank_) {
      readme_rank_ = rank;
      out_.readme = content_;
    }
  }

  /// Reads the file's bytes into content_.
  Failed read(std::uint64_t bytes) {
    content_.resize(bytes);
    std::size_t have = 0;
    while (have < content_.size()) {
      const auto got = ::archive_read_data(archive_.get(), content_.data() + have,
                                           std::min<std::size_t>(content_.size() - have, kPiece));
      if (got < 0) return damaged(reason());
      if (got == 0) return damaged("a file is shorter than it says");
      have += static_cast<std::size_t>(got);
      if (auto failure = check()) return failure;
    }
    return std::nullopt;
  }

  Failed skip_data() {
    const void* block = nullptr;
    std::size_t size = 0;
    la_int64_t offset = 0;
    while (true) {
      const int status = ::archive_read_data_block(archive_.get(), &block, &size, &offset);
      if (status == ARCHIVE_EOF) return std::nullopt;
      if (status != ARCHIVE_OK && status != ARCHIVE_WARN) return damaged(reason());
      if (auto failure = check()) return failure;
    }
  }

  /// After each piece: fails when the call is over or a limit is exceeded.
  Failed check() {
    if (call_.over()) return call_.why();
    const auto exceeded = budget_.reach(position(), 0);
    return exceeded ? Failed(too_much("it unpacks to " + *exceeded)) : std::nullopt;
  }

  /// The host replaces the message.
  static Failure rejected() { return {QUARRY_CANCELLED, "the files were not accepted", {}, {}}; }

  static constexpr std::size_t kPiece = std::size_t{1} << 20;

  std::string_view bytes_;
  resource_files::UnpackBudget budget_;
  const Call& call_;
  Tree& tree_;
  std::unique_ptr<archive, int (*)(archive*)> archive_{nullptr, ::archive_read_free};
  std::string content_;
  std::unordered_map<std::string, std::size_t> seen_;  // hash of the content by path
  int readme_rank_ = 0;
  Tally tally_;
  Tarball out_;
};

}  // namespace

Outcome<Tarball> unpack(std::string_view bytes, const resource_files::UnpackLimits& limits,
                        const Call& call, Tree& tree) {
  return Unpacker(bytes, limits, call, tree).run();
}

}  // namespace quarry::resource_npm
