#include "engine/analysers.h"

#include <quarry/draft/symbols.h>

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

namespace quarry::engine {
namespace {

Error no_files(const plugins::Manifest& manifest, const std::string& name, std::string_view cause) {
  return {Code::kInvalidArgument,
          "plugin " + manifest.id + ": the analyser \"" + name + "\" is not used: its schema " +
              std::string(cause),
          "list the globs of its files in the member \"files\" of the component's schema"};
}

/// The globs that the component's schema names.
Result<std::vector<corpus::Glob>> globs_of(const plugins::Manifest& manifest,
                                           const plugins::ManifestComponent& component) {
  const auto schema = plugins::read_schema(manifest, component.schema_file);
  if (!schema) return no_files(manifest, component.name, "cannot be read");
  const auto files = schema->is_object() ? schema->find("files") : schema->end();
  if (files == schema->end() || !files->is_array() || files->empty()) {
    return no_files(manifest, component.name, "names no files");
  }
  std::vector<corpus::Glob> out;
  for (const Json& each : *files) {
    auto glob = each.is_string() ? corpus::Glob::compile(each.get<std::string>())
                                 : Error{Code::kInvalidArgument, "is no text"};
    if (!glob) {
      return no_files(manifest, component.name,
                      "has the glob " + each.dump() + ", which " + glob.error().message);
    }
    out.push_back(std::move(*glob));
  }
  return out;
}

std::vector<corpus::SymbolDefinition> converted(std::vector<plugins::Definition> found) {
  std::vector<corpus::SymbolDefinition> out;
  out.reserve(found.size());
  for (auto& each : found) {
    out.push_back({.kind = std::move(each.kind),
                   .name = std::move(each.name),
                   .line = each.line,
                   .first_line = each.first_line,
                   .last_line = each.last_line,
                   .parent = each.parent});
  }
  return out;
}

}  // namespace

std::vector<OfferedAnalyser> offered_analysers(
    const std::vector<plugins::Manifest>& manifests,
    const std::function<Result<std::shared_ptr<plugins::Analyser>>(
        const plugins::Manifest& manifest, const std::string& name)>& load,
    std::vector<Error>& problems) {
  std::vector<OfferedAnalyser> out;
  for (const auto& manifest : manifests) {
    for (const auto& component : manifest.components) {
      if (component.kind != QUARRY_SYMBOLS) continue;
      auto files = globs_of(manifest, component);
      if (!files) {
        problems.push_back(std::move(files).error());
        continue;
      }
      out.push_back(
          {.name = component.name,
           .digest = manifest.sha256,
           .files = std::move(*files),
           .load = [load, manifest, name = component.name] { return load(manifest, name); }});
    }
  }
  std::ranges::sort(out, {}, &OfferedAnalyser::name);
  return out;
}

/// An analyser, loaded while it is used.
struct Analysers::Entry {
  explicit Entry(OfferedAnalyser what) : offered(std::move(what)) {}
  const OfferedAnalyser offered;
  std::mutex mutex;  ///< held while the plugin is loaded, so that other callers wait for it
  std::shared_ptr<plugins::Analyser> loaded;
  std::optional<Error> failure;  ///< of loading it, which is not tried again before a reload
  std::atomic<bool> failed = false;
  Clock::Steady used{};
};

Analysers::Analysers(Parts parts) : parts_(std::move(parts)) {}

Analysers::~Analysers() = default;

std::shared_ptr<const Analysers::Entries> Analysers::entries() const {
  const auto plugins = parts_.plugins();
  const std::lock_guard lock(mutex_);
  const bool same = !plugins.owner_before(plugins_) && !plugins_.owner_before(plugins);
  if (entries_ && same) return entries_;
  entries_ = std::make_shared<const Entries>(find(entries_ ? *entries_ : Entries()));
  plugins_ = plugins;
  return entries_;
}

/// Those of unchanged plugins stay as they are, unless they could not be loaded.
Analysers::Entries Analysers::find(const Entries& before) const {
  Entries made;
  for (OfferedAnalyser& offered : parts_.find()) {
    const auto same = std::ranges::find_if(before, [&](const auto& entry) {
      return entry->offered.name == offered.name && entry->offered.digest == offered.digest &&
             !entry->failed;
    });
    made.push_back(same != before.end() ? *same : std::make_shared<Entry>(std::move(offered)));
  }
  return made;
}

std::shared_ptr<Analysers::Entry> Analysers::entry_of(std::string_view path) const {
  const auto all = entries();
  const auto found = std::ranges::find_if(*all, [&](const auto& entry) {
    return std::ranges::any_of(entry->offered.files,
                               [&](const corpus::Glob& glob) { return glob.matches(path); });
  });
  return found == all->end() ? nullptr : *found;
}

std::string Analysers::reader_of(std::string_view path) const {
  constexpr std::size_t kDigits = 16;
  const auto entry = entry_of(path);
  return entry ? entry->offered.name + "@" + entry->offered.digest.substr(0, kDigits) : "";
}

Result<std::shared_ptr<plugins::Analyser>> Analysers::use(std::string_view path) {
  const auto entry = entry_of(path);
  if (!entry) return Error{Code::kUnsupported, "no analyser reads files of this name"};
  const std::lock_guard lock(entry->mutex);
  entry->used = parts_.clock.steady_now();
  if (entry->loaded) return entry->loaded;
  return load(*entry);
}

Result<std::shared_ptr<plugins::Analyser>> Analysers::load(Entry& entry) {
  if (entry.failed) return *entry.failure;
  auto loaded = entry.offered.load();
  if (!loaded) {
    entry.failure = std::move(loaded).error();
    entry.failed = true;
    return *entry.failure;
  }
  entry.loaded = std::move(*loaded);
  if (!releases_.exchange(true)) parts_.after(kKeep, [this] { release_unused(); });
  return entry.loaded;
}

Result<std::vector<corpus::SymbolDefinition>> Analysers::definitions(std::string_view path,
                                                                     std::string_view text,
                                                                     std::stop_token stop) {
  const auto analyser = use(path);
  if (!analyser) return analyser.error();
  auto found = (*analyser)->definitions({.stop = std::move(stop)}, path, text);
  if (!found) return std::move(found).error();
  return converted(std::move(*found));
}

Result<std::vector<std::uint32_t>> Analysers::references(std::string_view path,
                                                         std::string_view text,
                                                         std::string_view name,
                                                         std::stop_token stop) {
  const auto analyser = use(path);
  if (!analyser) return analyser.error();
  return (*analyser)->references({.stop = std::move(stop)}, path, text, name);
}

void Analysers::release_unused() {
  releases_ = false;
  bool again = false;
  for (const auto& entry : *entries()) {
    const std::lock_guard lock(entry->mutex);
    if (!entry->loaded) continue;
    if (parts_.clock.steady_now() - entry->used < kKeep || entry->loaded.use_count() > 1) {
      again = true;
      continue;
    }
    parts_.retire([gone = std::exchange(entry->loaded, nullptr)] {});
  }
  if (again && !releases_.exchange(true)) parts_.after(kKeep, [this] { release_unused(); });
}

}  // namespace quarry::engine
