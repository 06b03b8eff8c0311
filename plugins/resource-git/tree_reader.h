#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace quarry::resource_git {

/// One entry of a commit's tree.
struct TreeEntry {
  enum class Kind { kFile, kLink, kSubmodule, kDirectory };
  Kind kind = Kind::kFile;
  std::string id;          ///< of the blob; of a submodule, its commit
  std::uint64_t size = 0;  ///< of a file; 0 when it was not asked for
  std::string path;        ///< any bytes but NUL
};

/// Reads what `git ls-tree -z` prints, with or without sizes, cut anywhere.
class TreeReader {
 public:
  /// A false answer of `on_entry` ends the reading.
  explicit TreeReader(std::function<bool(TreeEntry entry)> on_entry)
      : on_entry_(std::move(on_entry)) {}
  /// False when the reading ended or what comes is no such list.
  [[nodiscard]] bool take(std::string_view bytes);
  /// Whether everything so far was whole entries.
  [[nodiscard]] bool whole() const { return rest_.empty(); }

 private:
  std::function<bool(TreeEntry)> on_entry_;
  std::string rest_;
};

/// Reads what `git cat-file --batch` prints, cut anywhere.
class BlobReader {
 public:
  /// A blob's bytes, lent for the call. A false answer ends the reading.
  explicit BlobReader(std::function<bool(std::string_view bytes)> on_blob)
      : on_blob_(std::move(on_blob)) {}
  /// False when the reading ended, an object is missing, or what comes is something else.
  [[nodiscard]] bool take(std::string_view bytes);

 private:
  bool take_head(std::string_view& bytes);
  bool take_body(std::string_view& bytes);

  std::function<bool(std::string_view)> on_blob_;
  std::string head_;
  std::string body_;
  std::uint64_t left_ = 0;  ///< bytes of the blob, and the newline behind it, still to come
  bool in_body_ = false;
};

/// Whether a path can be a file's on any system: no empty, ".", ".." or ".git" part, and neither
/// longer nor deeper than a snapshot takes.
bool is_fit(std::string_view path);

/// Whether a file's bytes stand for others that Git LFS keeps elsewhere; `size` is then theirs.
bool is_lfs_pointer(std::string_view bytes, std::uint64_t& size);

}  // namespace quarry::resource_git
