#include "authoring/index_maker.h"

#include "base/directory_entries.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/text.h"
#include "base/time_text.h"
#include "plugins/compose.h"
#include "plugins/elf_file.h"
#include "plugins/module.h"
#include "plugins/plugin_archive.h"
#include "plugins/plugin_files.h"
#include "plugins/plugin_index.h"
#include "plugins/plugin_version.h"
#include "plugins/validation.h"
#include "plugins/web_url.h"

#include <quarry/percent.hpp>

#include <algorithm>
#include <map>
#include <vector>

namespace quarry::authoring {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostYanked = 1u << 20;  // bytes of the list

/// A version and the archive that it was read from.
struct Packed {
  std::string archive;
  std::string id;
  std::string summary;
  std::string licence;
  Json version;
};

Result<std::vector<fs::path>> archives_in(const fs::path& folder) {
  std::error_code failed;
  std::vector<fs::path> out;
  for (const auto& entry : entries_of(folder, failed)) {
    if (plugins::is_archive(entry.path())) out.push_back(entry.path());
  }
  if (failed) return system_error("reading " + folder.string(), failed.value());
  std::ranges::sort(out);
  if (!out.empty()) return out;
  return Error(Code::kNotFound, folder.string() + " has no archives of plugins",
               "pack a plugin: tar --zstd -cf NAME.tar.zst -C BUILD/lib/quarry/plugins NAME");
}

/// Machine of the plugin's file, which must be sound if it is this one.
Result<std::string> machine_of(const plugins::Manifest& manifest) {
  auto stored = plugins::copy_file(manifest);
  if (!stored) return std::move(stored.error());
  const auto copy = plugins::unpack_file(manifest, std::move(*stored));
  if (!copy) return copy.error();
  const auto mapped = MappedFile::open(copy->path());
  if (!mapped) return mapped.error();
  auto machine = plugins::shared_object_machine(mapped->bytes());
  if (!machine) return std::move(machine.error()).in(manifest.file.filename().string());
  if (*machine != plugins::this_machine()) return machine;
  const auto sound = plugins::validate(manifest.path, {}).status();
  return sound ? machine : Result<std::string>(sound.error());
}

Status check_file(const plugins::Manifest& manifest) {
  const auto digest = sha256_file(manifest.file);
  if (!digest) return digest.error();
  if (*digest == manifest.sha256) return {};
  return Error(Code::kInvalidArgument,
               plugins::compose("{} has the SHA-256 {}, its manifest says {}",
                                manifest.file.filename().string(), *digest, manifest.sha256),
               "pack the plugin again, as it was built");
}

class Making {
 public:
  Making(const IndexMaker& maker, const services::Call& call) : maker_(maker), call_(call) {}

  Result<Packed> read(const fs::path& archive) const {
    auto directory = maker_.paths.temp("plugin-index-");
    if (!directory) return std::move(directory.error());
    auto done = plugins::unpack_plugin(archive, directory->path(), maker_.programs, call_);
    if (!done) return std::move(done.error());
    const auto manifest = plugins::read_manifest(directory->path() / plugins::kManifestFile);
    if (!manifest) return manifest.error();
    auto packed = describe(archive, *manifest);
    return packed ? std::move(packed)
                  : Result<Packed>(std::move(packed.error()).in(archive.filename().string()));
  }

 private:
  [[nodiscard]] Result<Packed> describe(const fs::path& archive,
                                        const plugins::Manifest& manifest) const {
    if (auto whole = check_file(manifest); !whole) return std::move(whole.error());
    const auto machine = machine_of(manifest);
    if (!machine) return machine.error();
    const auto digest = sha256_file(archive);
    if (!digest) return digest.error();
    Json version = plugins::manifest_facts(manifest);
    version["version"] = manifest.version;
    version["archive"] = url_of(archive);
    version["sha256"] = *digest;
    version["size"] = fs::file_size(archive);
    version["machine"] = *machine;
    const auto signature =
        read_file(manifest.path.parent_path() / plugins::kSignatureFile, plugins::kMaxSignature);
    if (signature) version["signature"] = *signature;
    return Packed{.archive = archive.filename().string(),
                  .id = manifest.id,
                  .summary = manifest.summary,
                  .licence = manifest.licence,
                  .version = std::move(version)};
  }
  [[nodiscard]] std::string url_of(const fs::path& archive) const {
    auto name = to_percent_encoded(archive.filename().string());
    if (maker_.base_url.empty()) return name;
    return maker_.base_url + (maker_.base_url.ends_with('/') ? "" : "/") + name;
  }

  const IndexMaker& maker_;
  const services::Call& call_;
};

/// Causes by "id@version".
using Yanked = std::map<std::string, std::string>;

Result<Yanked> read_yanked(const fs::path& file) {
  const auto text = read_file(file, kMostYanked);
  if (!text && text.error().code == Code::kNotFound) return Yanked();
  if (!text) return text.error();
  Yanked out;
  for (const auto each : split(*text, '\n')) {
    const auto line = trim(each);
    if (line.empty() || line.starts_with('#')) continue;
    const auto end = std::min(line.find_first_of(" \t"), line.size());
    out[std::string(line.substr(0, end))] = std::string(trim(line.substr(end)));
  }
  return out;
}

/// Marks the versions of the list, all of which must be there.
Status mark_yanked(std::vector<Packed>& all, const Yanked& yanked) {
  for (const auto& [name, cause] : yanked) {
    bool known = false;
    for (Packed& each : all) {
      if (each.id + "@" + each.version["version"].get<std::string>() != name) continue;
      each.version["yanked"] = cause;
      known = true;
    }
    if (known) continue;
    return Error(Code::kInvalidArgument,
                 plugins::compose("{} names {}, of which there is no archive", kYankedList, name),
                 "write ID@VERSION and the cause, or remove the line");
  }
  return {};
}

/// Sorted by id, then the highest version first.
Status sort_packed(std::vector<Packed>& all) {
  const auto version = [](const Packed& each) {
    return each.version["version"].get<std::string>();
  };
  std::ranges::sort(all, [&](const Packed& left, const Packed& right) {
    if (left.id != right.id) return left.id < right.id;
    const auto order = plugins::compare_versions(version(left), version(right));
    return order == 0 ? left.archive < right.archive : order > 0;
  });
  std::map<std::string, const Packed*> seen;
  for (const Packed& each : all) {
    const auto name = plugins::compose("version {} of {} for {}", version(each), each.id,
                                       each.version["machine"].get<std::string>());
    const auto [first, is_new] = seen.emplace(name, &each);
    if (is_new) continue;
    return Error(
        Code::kInvalidArgument,
        plugins::compose("{} and {} are both {}", first->second->archive, each.archive, name),
        "remove one of them, or give it a version of its own");
  }
  return {};
}

Json plugins_json(const std::vector<Packed>& all) {
  Json out = Json::array();
  for (const Packed& each : all) {
    if (out.empty() || out.back()["id"] != each.id) {
      out.push_back({{"id", each.id},
                     {"summary", each.summary},
                     {"licence", each.licence},
                     {"versions", Json::array()}});
    }
    out.back()["versions"].push_back(each.version);
  }
  return out;
}

Status check_base_url(const std::string& url) {
  if (url.empty() || (plugins::is_safe_url(url) && !url.contains('?') && !url.contains('#')))
    return {};
  return Error(Code::kInvalidArgument,
               plugins::compose("\"{}\" is not an https URL without a query", url),
               "plugins are fetched over https; http is for loopback addresses alone");
}

}  // namespace

Result<std::string> IndexMaker::make(const services::Call& call) const {
  if (auto valid = check_base_url(base_url); !valid) return std::move(valid.error());
  const auto archives = archives_in(folder);
  if (!archives) return archives.error();
  std::vector<Packed> all;
  for (const auto& archive : *archives) {
    auto packed = Making(*this, call).read(archive);
    if (!packed) return std::move(packed.error());
    all.push_back(std::move(*packed));
  }
  if (auto sorted = sort_packed(all); !sorted) return std::move(sorted.error());
  const auto yanked = read_yanked(folder / kYankedList);
  if (!yanked) return yanked.error();
  if (auto marked = mark_yanked(all, *yanked); !marked) return std::move(marked.error());
  const Json index{{"format", plugins::PluginIndex::kFormat},
                   {"made", rfc3339(clock.now())},
                   {"plugins", plugins_json(all)}};
  auto text = index.dump(1) + "\n";
  // A base that no relative archive needs.
  const auto valid = plugins::parse_index(text, base_url.empty() ? "https://localhost/" : base_url);
  if (!valid) return valid.error();
  if (auto complete = plugins::check_complete(*valid); !complete)
    return std::move(complete.error());
  return text;
}

}  // namespace quarry::authoring
