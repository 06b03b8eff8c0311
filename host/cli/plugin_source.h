#pragma once

#include "base/error.h"
#include "cli/plugin_indexes.h"
#include "cli/verb.h"
#include "config/config.h"
#include "plugins/plugin_index.h"
#include "services/paths.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace quarry::cli {

/// The plugin that a user named: a folder, a manifest, an archive, or an id in an index.
class PluginSource {
 public:
  /// `index`: name of the index to look into; empty = all, for names that are ids.
  PluginSource(std::string named, std::string index, const config::Config& config,
               services::Paths::Roots roots);

  /// The directory of its manifest. What was fetched or unpacked lies there as long as this object
  /// lives.
  Result<std::filesystem::path> directory(Context& context);
  /// The path or the URL from which it came; known afterwards.
  [[nodiscard]] const std::string& text() const { return text_; }
  /// Fails if an index described another plugin than that of the manifest.
  [[nodiscard]] Status check(const plugins::Manifest& manifest) const;
  /// Ids in the indexes that were read.
  [[nodiscard]] const std::vector<std::string>& offered_ids() const { return offered_ids_; }

 private:
  struct Chosen {
    plugins::IndexedPlugin plugin;
    plugins::IndexedVersion version;
  };

  [[nodiscard]] Result<bool> is_in_index() const;
  Result<std::filesystem::path> from_path(Context& context);
  Result<std::filesystem::path> from_index(Context& context);
  Status choose(Context& context, PluginIndexes& indexes);
  Status download(Context& context, PluginIndexes& indexes,
                  const std::filesystem::path& file) const;
  Result<std::filesystem::path> unpack(const std::filesystem::path& archive, Context& context);
  Result<std::filesystem::path> temporary();

  const std::string named_;
  const std::string index_;
  const config::Config& config_;
  services::Paths paths_;
  std::string text_;
  std::optional<Chosen> chosen_;
  std::vector<std::string> offered_ids_;
  std::vector<services::TempDirectory> temporaries_;
};

}  // namespace quarry::cli
