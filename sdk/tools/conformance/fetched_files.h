#pragma once

#include "base/error.h"
#include "plugins/resource_type.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace quarry::conformance {

/// Takes the files of one fetch; paths are checked as a snapshot checks them. There is no last
/// snapshot. [any thread]
class FetchedFiles final : public plugins::Tree {
 public:
  struct Rules {
    std::filesystem::path scratch;  ///< directory for the fetch, made when it is asked for
    std::filesystem::path to = {};  ///< an empty directory for the files; empty = none is written
    std::size_t most = SIZE_MAX;    ///< files
  };
  struct File {
    std::uint64_t bytes = 0;
    std::string left_out = {};  ///< why its content is not read
    std::string sha256 = {};
    plugins::FileFacts facts = {};
    friend bool operator==(const File&, const File&) = default;
  };

  explicit FetchedFiles(Rules rules)
      : rules_(std::move(rules)), scratch_(rules_.scratch.string()) {}

  Status add_file(std::string_view path, std::string_view bytes) override;
  Status add_described(std::string_view path, std::string_view bytes,
                       plugins::FileFacts facts) override;
  Result<bool> keep_file(std::string_view path) override;
  Status add_directory(const std::filesystem::path& directory) override;
  [[nodiscard]] std::uint64_t file_limit() const override { return kFileLimit; }
  Status add_large(std::string_view path, std::uint64_t size) override;
  Status add_link(std::string_view path) override;
  Status use_in_place(const std::filesystem::path& directory) override;
  Result<std::string_view> scratch() override;

  // After the fetch.
  /// By path.
  [[nodiscard]] const std::map<std::string, File>& files() const { return files_; }
  /// Directory to be read in place; empty = none.
  [[nodiscard]] const std::filesystem::path& in_place() const { return in_place_; }

 private:
  static constexpr std::uint64_t kFileLimit = 4u << 20;

  Status add(std::string_view path, File file, std::string_view bytes);
  Status write(const std::string& path, std::string_view bytes) const;

  const Rules rules_;
  const std::string scratch_;
  std::mutex mutex_;
  std::map<std::string, File> files_;
  std::filesystem::path in_place_;
};

}  // namespace quarry::conformance
