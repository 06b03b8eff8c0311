#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::resource_git {

/// Counts the content that a snapshot omits, while it is made.
class Notes {
 public:
  void add_submodule(const std::string& path, const std::string& commit);
  void add_lfs_pointer(const std::string& path, std::uint64_t size);
  void add_link() { ++links_; }
  void add_unfit() { ++unfit_; }
  void add_missing_path(const std::string& path);
  /// The text of the tree's .gitmodules.
  void set_modules(std::string_view gitmodules);
  [[nodiscard]] bool has_submodules() const { return !submodules_.empty(); }

  /// At most 20 sentences of at most 300 bytes, valid UTF-8.
  [[nodiscard]] std::vector<std::string> sentences() const;

 private:
  struct Submodule {
    std::string path;
    std::string commit;
  };
  std::vector<Submodule> submodules_;
  std::size_t submodule_count_ = 0;
  std::map<std::string, std::string> urls_;  ///< of submodules, by path
  std::vector<std::string> pointers_;
  std::size_t pointer_count_ = 0;
  std::uint64_t pointer_bytes_ = 0;
  std::uint64_t links_ = 0;
  std::uint64_t unfit_ = 0;
  std::vector<std::string> missing_;
};

/// URLs by path, of the text of a .gitmodules (git-config(1), as far as such a file needs it).
std::map<std::string, std::string> parse_modules(std::string_view text);

}  // namespace quarry::resource_git
