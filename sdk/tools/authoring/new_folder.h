#pragma once

#include "base/error.h"

#include <filesystem>
#include <map>
#include <string>

namespace quarry::authoring {

/// Texts of files by their paths beneath a folder, with '/' as separator.
using FolderFiles = std::map<std::string, std::string>;

/// Writes `files` to `folder`, an absolute path, which must not exist or be an empty directory; its
/// parent must exist. Replaces nothing, and a failure leaves nothing. A folder that does not exist
/// appears whole: when the process is killed before, only a directory ".quarry-new-…" is left
/// beside it. Modes are those of the umask.
Status write_new_folder(const std::filesystem::path& folder, const FolderFiles& files);

}  // namespace quarry::authoring
