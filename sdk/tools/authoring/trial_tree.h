#pragma once

#include "base/error.h"
#include "plugins/resource_type.h"
#include "services/paths.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace quarry::authoring {

/// Takes the files of one fetch: their sizes, and their bytes if a directory is given. There is no
/// last snapshot. [any thread]
class TrialTree final : public plugins::Tree {
 public:
  /// `to`: an empty directory for the files; empty = they are not written.
  TrialTree(std::filesystem::path to, services::Paths& paths) : to_(std::move(to)), paths_(paths) {}

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

  /// [{"path", "bytes", "leftOut"?, "permalink"?, "title"?, "mediaType"?}], by path.
  [[nodiscard]] Json files() const;
  /// Directory to be read in place; empty = none.
  [[nodiscard]] const std::filesystem::path& in_place() const { return in_place_; }

 private:
  static constexpr std::uint64_t kFileLimit = 4u << 20;

  struct File {
    std::uint64_t bytes = 0;
    std::string left_out = {};  ///< why its content is not read
    plugins::FileFacts facts = {};
  };

  Status add(std::string_view path, File file, std::string_view bytes);
  Status write(const std::string& path, std::string_view bytes) const;

  mutable std::mutex mutex_;
  const std::filesystem::path to_;
  services::Paths& paths_;
  std::map<std::string, File> files_;
  std::filesystem::path in_place_;
  std::optional<services::TempDirectory> scratch_;
  std::string scratch_text_;
};

}  // namespace quarry::authoring
