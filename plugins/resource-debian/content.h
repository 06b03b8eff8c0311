// The files of a source package while it is put together. No path of a package ever reaches the
// file system: contents are in one spill file (or in memory), and paths are keys of a map.
#pragma once

#include "package_source/left_out.h"
#include "resource-debian/archive.h"

#include <quarry/resource.hpp>

#include <map>

namespace quarry::resource_debian {

struct Node {
  enum class Kind { kFile, kLink };
  Kind kind = Kind::kFile;
  std::uint64_t at = 0;  ///< of the content, or of a link's target, in the spill
  std::uint64_t size = 0;
  bool kept = true;  ///< false: larger than is stored, only its size is known
};
/// Paths without a leading "./", and no part "." or "..".
using Nodes = std::map<std::string, Node, std::less<>>;

/// The files of one tar archive.
struct Unpacked {
  Nodes nodes;
  package_source::LeftOut devices;
  package_source::LeftOut long_paths;
};

class Spill {
 public:
  /// `folder` empty: in memory.
  explicit Spill(std::string_view folder);

  [[nodiscard]] std::uint64_t size() const { return size_; }
  /// Returns false when the disk is full.
  [[nodiscard]] bool append(std::string_view bytes);
  [[nodiscard]] std::optional<std::string> read(const Node& node) const;

 private:
  package_source::File file_;
  std::uint64_t size_ = 0;
};

/// The largest file whose content is stored, and the most that all may have.
constexpr std::uint64_t kMostOfFile = std::uint64_t{64} << 20;
constexpr std::uint64_t kMostOfAll = (std::uint64_t{4} << 30) - 1;
constexpr package_source::UnpackLimits kLimits{.entries = 1'000'000,
                                               .bytes = std::uint64_t{32} << 30};

/// Unpacks a tar archive into `spill`. Members that lead out of the archive are a failure.
Outcome<Unpacked> unpack(const Call& call, const package_source::File& file,
                         const std::string& label, Spill& spill, bool strip_root);

/// A path of a package as parts joined by '/', without "." and empty parts; nullopt when it is
/// absolute beyond repair: it has a part ".." or a NUL.
std::optional<std::string> clean_path(std::string_view path);

/// Removes `path` and everything beneath it.
void erase_beneath(Nodes& nodes, const std::string& path);
bool has_beneath(const Nodes& nodes, const std::string& path);

/// A part of `path` that is a link, or a file where a directory must be; nullptr if there is none.
const std::string* blocking_parent(const Nodes& nodes, std::string_view path);

/// Sums the files that will be written, before any of them is: those of at most `file_limit` bytes,
/// and copies that patches make. `packed`: the size of all archives of the package.
Problem check_total(const Nodes& nodes, std::uint64_t packed, const std::string& package,
                    std::uint64_t file_limit);

Failure spill_failure();

}  // namespace quarry::resource_debian
