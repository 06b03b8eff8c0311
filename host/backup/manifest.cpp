#include "backup/manifest.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/json_member.h"
#include "base/relative_path.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

#include <nlohmann/json.hpp>

namespace quarry::backup {
namespace {

constexpr int kFormat = 1;
constexpr const char* kFile = "backup.json";
constexpr std::array<std::pair<Part, std::string_view>, 3> kNames = {
    {{Part::kConfiguration, "configuration"},
     {Part::kHistory, "history"},
     {Part::kStore, "store"}}};

Json to_json(const BackedUpFile& file) {
  Json out{{"path", file.path},
           {"part", name_of(file.part)},
           {"bytes", file.bytes},
           {"sha256", file.sha256}};
  if (!file.origin.empty()) out["origin"] = file.origin;
  return out;
}

Error malformed(const std::filesystem::path& file, const std::string& why) {
  return {Code::kDataLoss, file.string() + " is no manifest of a backup: " + why,
          "Use another backup."};
}

/// Nothing if a member is missing or wrong.
std::optional<BackedUpFile> read_file_entry(const Json& said) {
  if (!said.is_object()) return std::nullopt;
  const auto path = normalise_relative_path(text_of(said, "path"));
  const auto part = part_named(text_of(said, "part"));
  const Json bytes = said.value("bytes", Json());
  const std::string digest = text_of(said, "sha256");
  const bool valid = path && !path->empty() && *path == text_of(said, "path") && part &&
                     bytes.is_number_unsigned() && is_sha256_hex(digest);
  if (!valid) return std::nullopt;
  return BackedUpFile{*path, *part, text_of(said, "origin"), bytes.get<std::uint64_t>(), digest};
}

/// kPermissionDenied unless the bytes can only be the owner's.
Status check_owner(const std::filesystem::path& file) {
  Status own = restrict_to_owner(file);
  if (!own && own.error().code == Code::kPermissionDenied) {
    own.error().hint = "Check where the backup comes from; its files must be your own.";
  }
  return own;
}

}  // namespace

std::string_view name_of(Part part) {
  return std::ranges::find(kNames, part, &std::pair<Part, std::string_view>::first)->second;
}

std::optional<Part> part_named(std::string_view name) {
  const auto* const found =
      std::ranges::find(kNames, name, &std::pair<Part, std::string_view>::second);
  return found == kNames.end() ? std::nullopt : std::optional(found->first);
}

bool Manifest::has(Part part) const {
  return std::ranges::find(files, part, &BackedUpFile::part) != files.end();
}

const BackedUpFile* Manifest::find(std::string_view path) const {
  const auto found = std::ranges::find(files, path, &BackedUpFile::path);
  return found == files.end() ? nullptr : &*found;
}

Result<BackedUpFile> describe(const std::filesystem::path& directory, std::string path, Part part,
                              std::string origin) {
  const auto file = directory / path;
  const Fd opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!opened || ::fsync(opened.get()) != 0) {
    return system_error("cannot write " + file.string(), errno);
  }
  std::error_code failed;
  const auto bytes = std::filesystem::file_size(file, failed);
  if (failed) return system_error("cannot read " + file.string(), failed.value());
  auto digest = sha256_file(file);
  if (!digest) return std::move(digest).error();
  return BackedUpFile{std::move(path), part, std::move(origin), bytes, std::move(*digest)};
}

Status write_manifest(const std::filesystem::path& directory, const Manifest& manifest) {
  Json files = Json::array();
  for (const BackedUpFile& file : manifest.files) files.push_back(to_json(file));
  const Json out{{"format", kFormat},
                 {"quarry", manifest.version},
                 {"created", manifest.created},
                 {"files", std::move(files)}};
  return write_file_atomically(directory / kFile, out.dump(2) + "\n");
}

Result<Manifest> read_manifest(const std::filesystem::path& directory) {
  const auto file = directory / kFile;
  if (Status own = check_owner(file); !own) {
    Error error = std::move(own).error();
    if (error.code == Code::kNotFound) error.hint = "Name the directory of a backup.";
    return error;
  }
  const auto text = read_file(file);
  if (!text) return text.error();
  const auto said = parse_json(*text);
  if (!said || !said->is_object()) return malformed(file, "it is not JSON");
  const Json format = said->value("format", Json());
  if (!format.is_number_unsigned()) return malformed(file, "it has no format");
  if (format != kFormat) {
    return Error{Code::kUnsupported,
                 file.string() + " has the format " + format.dump() + ", and this program knows " +
                     std::to_string(kFormat),
                 "Use the newer Quarry that made the backup."};
  }
  Manifest out{text_of(*said, "quarry"), text_of(*said, "created"), {}};
  const Json files = said->value("files", Json());
  for (const Json& entry : files) {
    auto read = read_file_entry(entry);
    if (!read) return malformed(file, "an entry of its files is wrong");
    out.files.push_back(std::move(*read));
  }
  if (out.files.empty()) return malformed(file, "it has no files");
  return out;
}

Status verify(const std::filesystem::path& directory, const BackedUpFile& file) {
  const auto path = directory / file.path;
  if (Status own = check_owner(path); !own) return own;
  const auto digest = sha256_file(path);
  if (!digest) return digest.error();
  if (*digest == file.sha256) return {};
  return Error{Code::kDataLoss, path.string() + " is not as it was when the backup was made",
               "Use another backup."};
}

}  // namespace quarry::backup
