#include "base/file.h"
#include "plugins/compose.h"
#include "plugins/installed_plugins.h"
#include "plugins/plugin_files.h"

#include <cerrno>
#include <fcntl.h>
#include <set>
#include <unistd.h>

#include <sys/sendfile.h>
#include <sys/stat.h>

namespace quarry::plugins {
namespace {

namespace fs = std::filesystem;

/// A directory to copy from, kept open so that it stays the same one.
struct Source {
  fs::path path;
  Fd directory;
};

Error refused(const fs::path& file, std::string_view cause) {
  return {Code::kInvalidArgument, compose("{} {}", file.string(), cause),
          "a plugin consists of regular files beside its manifest"};
}

Result<Fd> open_regular(const Source& source, const std::string& name, std::size_t most) {
  const auto file = source.path / name;
  Fd opened(::openat(source.directory.get(), name.c_str(),
                     O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!opened && errno == ELOOP) return refused(file, "is a symbolic link");
  struct stat status {};
  if (!opened || ::fstat(opened.get(), &status) != 0) return system_error(file.string(), errno);
  if (!S_ISREG(status.st_mode)) return refused(file, "is not a regular file");
  if (static_cast<std::uint64_t>(status.st_size) > most) {
    return refused(file, compose("has more than {} bytes", most));
  }
  return opened;
}

/// Copies at most `most` bytes, since the file may grow meanwhile.
Status copy_bytes(int from, int to, std::size_t most) {
  std::size_t copied = 0;
  while (copied <= most) {
    const ssize_t count = ::sendfile(to, from, nullptr, most + 1 - copied);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return system_error("copying", errno);
    if (count == 0) return {};
    copied += static_cast<std::size_t>(count);
  }
  return Error(Code::kInvalidArgument, compose("it has more than {} bytes", most));
}

Status copy_file_to(const Source& source, const fs::path& to, const std::string& name,
                    std::size_t most) {
  const auto from = open_regular(source, name, most);
  if (!from) return from.error();
  const Fd target(::open((to / name).c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!target) return system_error((to / name).string(), errno);
  auto copied = copy_bytes(from->get(), target.get(), most);
  return copied ? copied : std::move(copied.error()).in((source.path / name).string());
}

bool exists(const Source& source, std::string_view name) {
  struct stat status {};
  return ::fstatat(source.directory.get(), std::string(name).c_str(), &status,
                   AT_SYMLINK_NOFOLLOW) == 0;
}

}  // namespace

std::set<std::string> schema_files(const Manifest& manifest) {
  std::set<std::string> names;
  for (const auto& component : manifest.components) {
    names.insert(component.schema_file);
    names.insert(component.configuration_schema_file);
  }
  for (const auto& other : {std::string(), std::string(kManifestFile), std::string(kSignatureFile),
                            manifest.file.filename().string()}) {
    names.erase(other);
  }
  return names;
}

Result<Manifest> copy_plugin(const fs::path& from, const fs::path& to) {
  const Source source{from, Fd(::open(from.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC))};
  if (!source.directory) return system_error(from.string(), errno);
  const auto copy = [&](std::string_view name, std::size_t most) {
    return copy_file_to(source, to, std::string(name), most);
  };
  if (auto done = copy(kManifestFile, kMaxManifest); !done) return std::move(done.error());
  auto manifest = read_manifest(to / kManifestFile);
  if (!manifest) return manifest;
  const auto file = manifest->file.filename().string();
  if (file == kManifestFile || file == kSignatureFile) {
    return refused(to / file, "cannot be the plugin's shared object");
  }
  if (auto done = copy(file, kMaxFile); !done) return std::move(done.error());
  for (const auto& name : schema_files(*manifest)) {
    if (auto done = copy(name, kMaxSchema); !done) return std::move(done.error());
  }
  if (!exists(source, kSignatureFile)) return manifest;
  if (auto done = copy(kSignatureFile, kMaxSignature); !done) return std::move(done.error());
  return manifest;
}

}  // namespace quarry::plugins
