#pragma once

#include "base/error.h"
#include "base/file.h"
#include "services/paths.h"

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace quarry::runner {

/// A new directory for one fetch in the plugin's cache, removed on destruction. Locked meanwhile,
/// so that it is not taken for a leftover (quarry/paths.h).
class Scratch {
 public:
  static Result<std::unique_ptr<Scratch>> make(const std::filesystem::path& cache);
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  Scratch(services::TempDirectory directory, FileLock lock);
  services::TempDirectory directory_;
  FileLock lock_;
  std::string path_;
};

/// Directories of an isolated plugin, to which the host's reading is limited: what the plugin names
/// may be anything.
struct OwnPlaces {
  std::filesystem::path cache;  ///< empty if it has none
  std::filesystem::path data;

  /// A directory beneath them, opened. kPermissionDenied for any other, and for one that a link
  /// leads to.
  [[nodiscard]] Result<Fd> open(const std::filesystem::path& directory) const;
};

/// Checks that a plugin may let the host read `directory` in place: an absolute folder that a field
/// of `resource` names, or one beneath it. `configuration`: the instance's; with "local_roots" only
/// what is beneath these, and one that acts for a project must have them. Both JSON.
/// kPermissionDenied otherwise.
Status check_in_place(std::string_view configuration, std::string_view resource,
                      const std::filesystem::path& directory);

}  // namespace quarry::runner
