#pragma once

#include "base/clock.h"
#include "base/error.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::backup {

/// What can be backed up and restored by itself.
enum class Part { kConfiguration, kHistory, kStore };
inline constexpr Part kParts[] = {Part::kConfiguration, Part::kHistory, Part::kStore};

/// "configuration", "history" or "store".
[[nodiscard]] std::string_view name_of(Part part);
[[nodiscard]] std::optional<Part> part_named(std::string_view name);

/// One file of a backup.
struct BackedUpFile {
  std::string path;  ///< beneath the backup's directory, as normalise_relative_path gives it
  Part part = Part::kConfiguration;
  std::string origin;  ///< the file it is a copy of; empty for those that were written for it
  std::uint64_t bytes = 0;
  std::string sha256;  ///< 64 hexadecimal digits
};

/// The content of backup.json, which is written last: a directory without it is no backup.
struct Manifest {
  std::string version;  ///< of the program that made the backup
  std::string created;  ///< RFC 3339
  std::vector<BackedUpFile> files;

  [[nodiscard]] bool has(Part part) const;
  /// Null if there is no file of that path.
  [[nodiscard]] const BackedUpFile* find(std::string_view path) const;
};

/// Describes a file that was written into `directory`, and makes it durable.
Result<BackedUpFile> describe(const std::filesystem::path& directory, std::string path, Part part,
                              std::string origin);

Status write_manifest(const std::filesystem::path& directory, const Manifest& manifest);
/// kUnsupported for one of a later format; kNotFound if there is none. A manifest that others may
/// write to, or that belongs to another user, is rejected.
Result<Manifest> read_manifest(const std::filesystem::path& directory);

/// Checks the size, digest and owner of a file of the backup; kDataLoss if its bytes are others.
Status verify(const std::filesystem::path& directory, const BackedUpFile& file);

}  // namespace quarry::backup
