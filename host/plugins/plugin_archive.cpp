#include "plugins/plugin_archive.h"

#include "base/file.h"
#include "base/printable.h"
#include "plugins/archive_listing.h"
#include "plugins/compose.h"
#include "plugins/installed_plugins.h"
#include "plugins/manifest.h"
#include "plugins/plugin_files.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>

#include <sys/stat.h>

namespace quarry::plugins {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMemory = 512u << 20;  // of tar and of its decompressor, each
constexpr std::size_t kMostWords = 2048;       // of what tar says

std::string_view decompressor(const fs::path& archive) {
  return archive.extension() == ".zst" ? "--zstd" : "--gzip";
}

Status check_archive(const fs::path& archive) {
  struct stat status {};
  if (::stat(archive.c_str(), &status) != 0) return system_error(archive.string(), errno);
  if (S_ISREG(status.st_mode)) return {};
  return Error(Code::kInvalidArgument, archive.string() + " is not a regular file",
               "name an archive or a folder");
}

/// Runs tar on one archive.
class Tar {
 public:
  Tar(const fs::path& archive, const services::ProcessRunner& programs, const services::Call& call)
      : archive_(archive), programs_(programs), call_(call) {}

  using Output = std::function<Status(std::string_view)>;

  [[nodiscard]] Status list(const Output& output) const {
    return run({"--list", "--verbose", "--numeric-owner", "--quoting-style=escape"},
               ArchiveListing::kMostMembers * ArchiveListing::kLongestLine, output);
  }
  /// Writes the member to its output: tar does that for regular files alone.
  [[nodiscard]] Status extract(const std::string& member, std::size_t most,
                               const Output& output) const {
    return run({"--extract", "--to-stdout", "--no-wildcards", "--", member}, most, output);
  }

 private:
  [[nodiscard]] Status run(const std::vector<std::string>& words, std::size_t most,
                           const Output& output) const {
    services::ProcessSpec spec;
    spec.program = "tar";
    // A name with a colon would be one of another machine; a member's name is left as it is.
    spec.arguments = {"--force-local", "--absolute-names", std::string(decompressor(archive_)),
                      "--file=" + archive_.string()};
    spec.arguments.insert(spec.arguments.end(), words.begin(), words.end());
    spec.environment = {"LC_ALL=C", "TZ=UTC"};
    spec.output_limit = most;
    spec.file_limit = 1;  // it writes none
    spec.memory_limit = kMemory;
    std::string said;
    const auto note = [&said](std::string_view bytes) -> Status {
      said += bytes.substr(0, kMostWords - std::min(said.size(), kMostWords));
      return {};
    };
    const auto ended = programs_.run(spec, call_, {.output = output, .error_output = note});
    if (!ended) return failure(ended.error());
    if (ended->exit == 0 && ended->signal == 0) return {};
    return Error(Code::kInvalidArgument,
                 compose("{} cannot be unpacked: {}", archive_.string(), first_line(said)),
                 "fetch it again; archives are unpacked by the programs tar, and zstd or gzip");
  }

  [[nodiscard]] Error failure(Error error) const {
    if (error.code == Code::kNotFound && error.hint.empty()) {
      error.hint = "install tar, and zstd or gzip";
    } else if (error.code == Code::kDeadlineExceeded) {
      error = Error(Code::kDeadlineExceeded, "unpacking it takes too long", "unpack it yourself");
    }
    return std::move(error).in(archive_.string());
  }

  static std::string first_line(const std::string& said) {
    const auto line = said.substr(0, said.find('\n'));
    return line.empty() ? "tar was stopped" : printable_line(line);
  }

  const fs::path& archive_;
  const services::ProcessRunner& programs_;
  const services::Call& call_;
};

/// Writes files of the archive, which are named as in a directory, into another directory.
class Unpacking {
 public:
  /// `prefix`: of the members' names.
  Unpacking(const Tar& tar, const ArchiveListing& listing, std::string prefix, const fs::path& to)
      : tar_(tar), listing_(listing), prefix_(std::move(prefix)), to_(to) {}

  [[nodiscard]] Status write(std::string_view file, std::size_t most) const {
    const auto member = prefix_ + std::string(file);
    if (!listing_.has(member)) {
      return Error(Code::kInvalidArgument,
                   compose("the archive has no {}, which its manifest names", member),
                   "pack every file that the manifest names");
    }
    if (listing_.size_of(member) > most) {
      return Error(Code::kInvalidArgument,
                   compose("the archive's {} has more than {} bytes", member, most),
                   "it is none of a plugin that works");
    }
    const Fd target(::open((to_ / file).c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!target) return system_error((to_ / file).string(), errno);
    return tar_.extract(member, most, [&](std::string_view bytes) -> Status {
      auto written = write_all(target.get(), bytes);
      return written ? written : std::move(written.error()).in("writing what was unpacked");
    });
  }
  [[nodiscard]] Status write_if_packed(std::string_view file, std::size_t most) const {
    return listing_.has(prefix_ + std::string(file)) ? write(file, most) : Status();
  }

 private:
  const Tar& tar_;
  const ArchiveListing& listing_;
  const std::string prefix_;
  const fs::path& to_;
};

Status unpack_named(const Unpacking& unpacking, const Manifest& manifest) {
  const auto file = manifest.file.filename().string();
  if (auto done = unpacking.write(file, kMaxFile); !done) return done;
  for (const auto& schema : schema_files(manifest)) {
    if (auto done = unpacking.write(schema, kMaxSchema); !done) return done;
  }
  return unpacking.write_if_packed(kSignatureFile, kMaxSignature);
}

}  // namespace

bool is_archive(const fs::path& path) {
  const auto name = path.filename().string();
  return name.ends_with(".tar.zst") || name.ends_with(".tar.gz") || name.ends_with(".tgz");
}

Status unpack_plugin(const fs::path& archive, const fs::path& to,
                     const services::ProcessRunner& programs, const services::Call& call) {
  if (auto regular = check_archive(archive); !regular) return regular;
  const Tar tar(archive, programs, call);
  ArchiveListing listing;
  auto listed = tar.list([&listing](std::string_view bytes) { return listing.read(bytes); });
  if (!listed) return listed;
  if (auto whole = listing.end(); !whole) return whole;
  const auto manifest_member = listing.manifest();
  if (!manifest_member) return manifest_member.error();
  const auto prefix = manifest_member->substr(0, manifest_member->size() - kManifestFile.size());
  const Unpacking unpacking(tar, listing, prefix, to);
  if (auto done = unpacking.write(kManifestFile, kMaxManifest); !done) return done;
  const auto manifest = read_manifest(to / kManifestFile);
  if (!manifest) return manifest.error();
  return unpack_named(unpacking, *manifest);
}

}  // namespace quarry::plugins
