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
  std::uint64_t size = 0;  ///< of a file; 0 when not requested
  std::string path;        ///< any bytes but NUL
};

/// Parses the output of `git ls-tree -z`, with or without sizes, cut anywhere.
class TreeReader {
 public:
  /// Reading ends when `on_entry` returns false.
  explicit TreeReader(std::function<bool(TreeEntry entry)> on_entry)
      : on_entry_(std::move(on_entry)) {}
  /// False when the reading ended or the input is not such a list.
  [[nodiscard]] bool take(std::string_view bytes);
  /// True if the input so far consists of complete entries.
  [[nodiscard]] bool whole() const { return rest_.empty(); }

 private:
  std::function<bool(TreeEntry)> on_entry_;
  std::string rest_;
};

/// Parses the output of `git cat-file --batch`, cut anywhere.
class BlobReader {
 public:
  /// `on_blob` gets a blob's bytes, lent for the call; returning false ends the reading.
  explicit BlobReader(std::function<bool(std::string_view bytes)> on_blob)
      : on_blob_(std::move(on_blob)) {}
  /// False when the reading ended, an object is missing, or the input is invalid.
  [[nodiscard]] bool take(std::string_view bytes);

 private:
  bool take_head(std::string_view& bytes);
  bool take_body(std::string_view& bytes);

  std::function<bool(std::string_view)> on_blob_;
  std::string head_;
  std::string body_;
  std::uint64_t left_ = 0;  ///< bytes of the blob and its newline still to come
  bool in_body_ = false;
};

/// True if a path is valid on any system: no empty, ".", ".." or ".git" part, and neither longer
/// nor deeper than a snapshot accepts.
bool is_fit(std::string_view path);

/// True if a file is a pointer to content in Git LFS; `size` is then the content's size.
bool is_lfs_pointer(std::string_view bytes, std::uint64_t& size);

}  // namespace quarry::resource_git
