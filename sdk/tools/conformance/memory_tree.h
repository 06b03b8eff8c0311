#pragma once

#include "plugins/resource_type.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace quarry::conformance {

/// The files of a fetch, in memory; paths are checked as a snapshot checks them. One thread at a
/// time.
class MemoryTree final : public plugins::Tree {
 public:
  /// `scratch`: parent of the scratch directory. Accepts at most `most` additions.
  explicit MemoryTree(std::filesystem::path scratch, std::size_t most = SIZE_MAX)
      : scratch_(scratch.string()), most_(most) {}

  Status add_file(std::string_view path, std::string_view bytes) override;
  Status add_described(std::string_view path, std::string_view bytes,
                       plugins::FileFacts facts) override;
  Result<bool> keep_file(std::string_view path) override;
  Status add_directory(const std::filesystem::path& directory) override;
  [[nodiscard]] std::uint64_t file_limit() const override { return 4u << 20; }
  Status add_large(std::string_view path, std::uint64_t size) override;
  Status add_link(std::string_view path) override;
  Status use_in_place(const std::filesystem::path& directory) override;
  Result<std::string_view> scratch() override;

  /// Digests of the files, sizes of large ones, and names of links and directories, by path.
  [[nodiscard]] const std::map<std::string, std::string>& entries() const { return entries_; }
  /// Files of the last snapshot, for keep_file.
  void set_last(std::map<std::string, std::string> last) { last_ = std::move(last); }

 private:
  Status add(std::string_view path, std::string content);
  Status add_absolute(std::string_view kind, const std::filesystem::path& directory);

  std::string scratch_;
  std::size_t most_;
  std::map<std::string, std::string> entries_;
  std::map<std::string, std::string> last_;
};

}  // namespace quarry::conformance
