#pragma once

#include "base/error.h"
#include "services/call.h"
#include "services/process.h"

#include <filesystem>

namespace quarry::plugins {

/// True for names that end as those of archives do: .tar.zst, .tar.gz, .tgz
[[nodiscard]] bool is_archive(const std::filesystem::path& path);

/// Writes plugin.toml, and the files that it names, from an archive into `to`, an empty directory.
/// The archive has them at its top or in one folder. The program `tar` lists the members first;
/// nothing is written unless all of them are regular files or directories of bounded size with
/// relative names, and `tar` itself writes no file. kInvalidArgument names the member that is
/// refused. [worker]
Status unpack_plugin(const std::filesystem::path& archive, const std::filesystem::path& to,
                     const services::ProcessRunner& programs, const services::Call& call);

}  // namespace quarry::plugins
