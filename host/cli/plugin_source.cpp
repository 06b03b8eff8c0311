#include "cli/plugin_source.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/printable.h"
#include "base/working_directory.h"
#include "plugins/plugin_archive.h"
#include "plugins/plugin_files.h"
#include "services/process.h"

#include <cerrno>
#include <fcntl.h>

namespace quarry::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kUnpackLimit{60};
constexpr std::chrono::minutes kDownloadLimit{30};

/// "org.example.notes@1.0.0"
struct Wanted {
  std::string id;
  std::string version;  ///< empty = the highest
};

Wanted wanted_of(const std::string& named) {
  const auto at = std::min(named.find('@'), named.size());
  return {named.substr(0, at), at == named.size() ? "" : named.substr(at + 1)};
}

/// True for texts that can only be names in an index, or folders of the same name.
bool is_id(const std::string& named) {
  return plugins::is_plugin_id(wanted_of(named).id) && !plugins::is_archive(named) &&
         named != plugins::kManifestFile;
}

/// With the ending of the archive, by which it is unpacked.
std::string file_name(const std::string& url) {
  return "archive" + url.substr(url.ends_with(".zst") ? url.size() - 8 : url.rfind(".t"));
}

Error another_archive(const std::string& url, const std::string& what) {
  return {Code::kPermissionDenied, url + " is not the archive that the index describes: " + what,
          "try again, since it may just have been replaced; then ask its publisher"};
}

}  // namespace

PluginSource::PluginSource(std::string named, std::string index, const config::Config& config,
                           services::Paths::Roots roots)
    : named_(std::move(named)),
      index_(std::move(index)),
      config_(config),
      paths_(std::move(roots)) {}

/// A folder could have the name of a plugin by chance, or by the intent of its author.
Result<bool> PluginSource::is_in_index() const {
  if (!index_.empty()) return true;
  if (!is_id(named_)) return false;
  std::error_code ignored;
  if (!fs::exists(named_, ignored)) return true;
  if (config_.plugins.indexes.empty()) return false;
  return Error(Code::kInvalidArgument,
               "\"" + named_ + "\" is a folder here, and may be a plugin of an index",
               "write ./" + named_ + " for the folder, or choose the index with --index");
}

Result<fs::path> PluginSource::directory(Context& context) {
  const auto in_index = is_in_index();
  if (!in_index) return in_index.error();
  return *in_index ? from_index(context) : from_path(context);
}

Result<fs::path> PluginSource::from_path(Context& context) {
  const auto absolute = absolute_path(named_);
  if (!absolute) return absolute.error();
  const fs::path& path = *absolute;
  text_ = path.string();
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return path;
  if (!fs::exists(path, ignored)) {
    return Error(Code::kNotFound, "there is no " + path.string(),
                 "name a folder with a plugin.toml, or an archive of one");
  }
  if (path.filename() == plugins::kManifestFile) return path.parent_path();
  if (plugins::is_archive(path)) return unpack(path, context);
  return Error(Code::kInvalidArgument,
               path.string() + " is no folder, plugin.toml or archive (.tar.zst, .tar.gz, .tgz)",
               "name the folder of the plugin, its plugin.toml, or an archive");
}

Result<fs::path> PluginSource::from_index(Context& context) {
  auto indexes = PluginIndexes::open(config_, index_);
  if (!indexes && index_.empty()) {
    const auto path = absolute_path(named_);
    return path ? std::move(indexes.error()).in("there is no " + path->string()) : path.error();
  }
  if (!indexes) return std::move(indexes.error());
  if (auto chosen = choose(context, *indexes); !chosen) return std::move(chosen.error());
  const auto folder = temporary();
  if (!folder) return folder.error();
  const auto archive = *folder / file_name(chosen_->version.archive);
  if (auto done = download(context, *indexes, archive); !done) return std::move(done.error());
  return unpack(archive, context);
}

Status PluginSource::choose(Context& context, PluginIndexes& indexes) {
  const auto read = indexes.read(context, false);
  // Another index may have the same id, so each must be known.
  if (!read.problems.empty()) return read.problems.front();
  const auto wanted = wanted_of(named_);
  const auto offer = find_offer(read.indexes, wanted.id);
  if (!offer) return offer.error();
  const auto version = plugins::choose_version(*offer->plugin, wanted.version);
  if (!version) return Error(version.error()).in("index \"" + offer->index->source.name + "\"");
  for (const auto& each : read.indexes) {
    for (const auto& plugin : each.index.plugins) offered_ids_.push_back(plugin.id);
  }
  chosen_ = {.plugin = *offer->plugin, .version = **version};
  text_ = chosen_->version.archive;
  if (wanted.version.empty()) {
    const auto skipped = plugins::skipped_above(*offer->plugin, chosen_->version.version);
    if (!skipped.empty()) context.terminal.note("warning: " + printable_exact(skipped));
  }
  if (chosen_->version.yanked) {
    context.terminal.note("warning: version " + chosen_->version.version + " of plugin " +
                          wanted.id + " was withdrawn: " + *chosen_->version.yanked);
  }
  return {};
}

Status PluginSource::download(Context& context, PluginIndexes& indexes,
                              const fs::path& file) const {
  const auto& url = chosen_->version.archive;
  const auto size = chosen_->version.size;
  const Fd target(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!target) return system_error(file.string(), errno);
  std::uint64_t written = 0;
  context.terminal.status("fetching " + url);
  const auto got =
      indexes.get(interruptible_call(context), {.url = url, .limit = size, .total = kDownloadLimit},
                  [&](std::string_view bytes) -> Status {
                    written += bytes.size();
                    return write_all(target.get(), bytes);
                  });
  context.terminal.clear_status();
  if (!got && got.error().code == Code::kResourceExhausted) {
    return another_archive(url, "it has more than " + std::to_string(size) + " bytes");
  }
  if (!got) return got.error();
  if (written != size) {
    return another_archive(
        url, "it has " + std::to_string(written) + " bytes, not " + std::to_string(size));
  }
  const auto found = sha256_file(file);
  if (!found) return found.error();
  if (*found != chosen_->version.sha256) return another_archive(url, "its SHA-256 is " + *found);
  return {};
}

Result<fs::path> PluginSource::unpack(const fs::path& archive, Context& context) {
  auto folder = temporary();
  if (!folder) return folder;
  const auto programs = services::ProcessRunner::of_environment();
  auto call = interruptible_call(context);
  call.deadline = SystemClock().steady_now() + kUnpackLimit;
  auto done = plugins::unpack_plugin(archive, *folder, programs, call);
  if (done) return folder;
  return chosen_ ? std::move(done.error()).in(text_) : std::move(done.error());
}

Result<fs::path> PluginSource::temporary() {
  const auto swept = paths_.sweep();  // of processes that were killed
  static_cast<void>(swept);           // which is no reason to fail
  auto made = paths_.temp("plugin-");
  if (!made) return std::move(made.error());
  temporaries_.push_back(std::move(*made));
  return temporaries_.back().path();
}

Status PluginSource::check(const plugins::Manifest& manifest) const {
  if (!chosen_) return {};
  return plugins::check_as_indexed(chosen_->plugin, chosen_->version, manifest);
}

}  // namespace quarry::cli
