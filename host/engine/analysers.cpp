#include "engine/analysers.h"

#include "corpus/index/symbol_files.h"

#include <quarry/draft/symbols.h>

#include <algorithm>
#include <optional>
#include <shared_mutex>
#include <unordered_set>
#include <utility>

#include <nlohmann/json.hpp>
#include <re2/re2.h>

namespace quarry::engine {
namespace {

Error no_files(const plugins::Manifest& manifest, const std::string& name, std::string_view cause) {
  return {Code::kInvalidArgument,
          "plugin " + manifest.id + ": the analyser \"" + name + "\" is not used: its schema " +
              std::string(cause),
          "list the globs of its files in the member \"files\" of the component's schema"};
}

/// The texts in a member of the schema; nothing if one of them is none.
std::optional<std::vector<std::string>> texts_in(const Json& schema, const char* member) {
  const auto found = schema.find(member);
  if (found == schema.end()) return std::vector<std::string>();
  if (!found->is_array()) return std::nullopt;
  std::vector<std::string> out;
  for (const Json& each : *found) {
    if (!each.is_string()) return std::nullopt;
    out.push_back(each.get<std::string>());
  }
  return out;
}

/// The files that the component's schema names, into `out`.
Status read_files(const plugins::Manifest& manifest, const plugins::ManifestComponent& component,
                  OfferedAnalyser& out) {
  const auto schema = plugins::read_schema(manifest, component.schema_file);
  if (!schema || !schema->is_object()) return no_files(manifest, out.name, "cannot be read");
  const auto globs = texts_in(*schema, "files");
  if (!globs || globs->empty()) return no_files(manifest, out.name, "names no files");
  for (const std::string& text : *globs) {
    auto glob = corpus::Glob::compile(text);
    if (!glob) return no_files(manifest, out.name, "has the glob \"" + text + "\", which is none");
    out.files.push_back(std::move(*glob));
  }
  const auto first_lines = texts_in(*schema, "firstLines");
  if (!first_lines) return no_files(manifest, out.name, "has \"firstLines\" that are no texts");
  for (const std::string& text : *first_lines) {
    auto pattern = std::make_shared<const re2::RE2>(text, re2::RE2::Quiet);
    if (!pattern->ok()) {
      return no_files(manifest, out.name,
                      "has the expression \"" + text + "\" in \"firstLines\", which is none");
    }
    out.first_lines.push_back(std::move(pattern));
  }
  return {};
}

bool reads(const OfferedAnalyser& analyser, std::string_view path, std::string_view first_line) {
  const auto matches = [&](const corpus::Glob& glob) { return glob.matches(path); };
  const auto begins = [&](const auto& pattern) {
    return re2::RE2::PartialMatch(first_line, *pattern);
  };
  return std::ranges::any_of(analyser.files, matches) ||
         (!first_line.empty() && std::ranges::any_of(analyser.first_lines, begins));
}

/// The first line of a file whose name has no extension, which alone decides about its language.
std::string_view deciding_line(std::string_view path, std::string_view text) {
  return corpus::has_extension(path) ? std::string_view() : text.substr(0, text.find('\n'));
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
      OfferedAnalyser offered{
          .name = component.name,
          .digest = manifest.sha256,
          .files = {},
          .load = [load, manifest, name = component.name] { return load(manifest, name); }};
      if (Status read = read_files(manifest, component, offered); !read) {
        problems.push_back(std::move(read).error());
      } else {
        out.push_back(std::move(offered));
      }
    }
  }
  std::ranges::sort(out, {}, &OfferedAnalyser::name);
  return out;
}

/// An analyser, loaded while it is used.
struct Analysers::Entry {
  explicit Entry(OfferedAnalyser what) : offered(std::move(what)) {}
  const OfferedAnalyser offered;
  std::shared_mutex running;  ///< shared by calls, and alone by one after a crash
  std::mutex mutex;  ///< held while the plugin is loaded, so that other callers wait for it
  std::shared_ptr<plugins::Analyser> loaded;
  std::optional<Error> failure;  ///< of loading it, which is not tried again before a reload
  std::atomic<bool> failed = false;
  std::atomic<Clock::Steady> used{};  ///< last time that it could be called

  [[nodiscard]] bool crashed_at(std::size_t hash) {
    const std::lock_guard lock(mutex);
    return crashes.contains(hash);
  }
  void note_crash(std::size_t hash) {
    constexpr std::size_t kMost = 10'000;
    const std::lock_guard lock(mutex);
    if (crashes.size() < kMost) crashes.insert(hash);
  }
  std::unordered_set<std::size_t> crashes;  ///< hashes of texts that it is not given again
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

std::shared_ptr<Analysers::Entry> Analysers::entry_of(std::string_view path,
                                                      std::string_view first_line) const {
  const auto all = entries();
  const auto found = std::ranges::find_if(
      *all, [&](const auto& entry) { return reads(entry->offered, path, first_line); });
  return found == all->end() ? nullptr : *found;
}

std::string Analysers::reader_of(std::string_view path, std::string_view first_line) const {
  constexpr std::size_t kDigits = 16;
  const auto entry = entry_of(path, first_line);
  return entry ? entry->offered.name + "@" + entry->offered.digest.substr(0, kDigits) : "";
}

/// A crash ends all calls that run in the plugin's process, so the file is read again alone, to
/// tell the one that caused it.
template <class Value>
Result<Value> Analysers::run(std::string_view path, std::string_view text,
                             const Function<Value>& function) {
  const auto entry = entry_of(path, deciding_line(path, text));
  if (!entry) return Error{Code::kUnsupported, "no analyser reads files of this name"};
  const std::size_t hash = std::hash<std::string_view>()(text);
  const auto crashed = [] {
    return Error{Code::kUnavailable, "its analyser crashed when it read this file before"};
  };
  if (entry->crashed_at(hash)) return crashed();
  const auto analyser = use(*entry);
  if (!analyser) return Error(analyser.error()).tagged(corpus::kAnalyserUnavailable);
  const auto unavailable = [](const Status& ready) {
    return Error(ready.error()).tagged(corpus::kAnalyserUnavailable);
  };
  {
    const std::shared_lock lock(entry->running);
    if (entry->crashed_at(hash)) return crashed();  // since, in another call
    if (Status ready = (*analyser)->ready(); !ready) return unavailable(ready);
    entry->used = parts_.clock.steady_now();
    auto done = function(**analyser);
    if (done || done.error().code != Code::kUnavailable) return done;
  }
  const std::unique_lock lock(entry->running);
  if (entry->crashed_at(hash)) return crashed();
  if (Status ready = (*analyser)->ready(); !ready) return unavailable(ready);
  auto done = function(**analyser);
  if (!done && done.error().code == Code::kUnavailable) entry->note_crash(hash);
  return done;
}

Result<std::shared_ptr<plugins::Analyser>> Analysers::use(Entry& entry) {
  const std::lock_guard lock(entry.mutex);
  if (entry.loaded) return entry.loaded;
  return load(entry);
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
  entry.used = parts_.clock.steady_now();
  if (!releases_.exchange(true)) parts_.after(kKeep, [this] { release_unused(); });
  return entry.loaded;
}

Result<std::vector<corpus::SymbolDefinition>> Analysers::definitions(std::string_view path,
                                                                     std::string_view text,
                                                                     std::stop_token stop) {
  using Found = std::vector<plugins::Definition>;
  auto found = run<Found>(path, text, [&](plugins::Analyser& analyser) {
    return analyser.definitions({.stop = stop}, path, text);
  });
  if (!found) return std::move(found).error();
  return converted(std::move(*found));
}

Result<std::vector<std::uint32_t>> Analysers::references(std::string_view path,
                                                         std::string_view text,
                                                         std::string_view name,
                                                         std::stop_token stop) {
  using Found = std::vector<std::uint32_t>;
  return run<Found>(path, text, [&](plugins::Analyser& analyser) {
    return analyser.references({.stop = stop}, path, text, name);
  });
}

void Analysers::release_unused() {
  releases_ = false;
  bool again = false;
  const auto all = entries();  // another thread may replace them after a reload
  for (const auto& entry : *all) {
    const std::lock_guard lock(entry->mutex);
    if (!entry->loaded) continue;
    if (parts_.clock.steady_now() - entry->used.load() < kKeep || entry->loaded.use_count() > 1) {
      again = true;
      continue;
    }
    parts_.retire([gone = std::exchange(entry->loaded, nullptr)] {});
  }
  if (again && !releases_.exchange(true)) parts_.after(kKeep, [this] { release_unused(); });
}

}  // namespace quarry::engine
