#include "cli/plugin_indexes.h"

#include "base/text.h"
#include "engine/host_services.h"
#include "plugins/plugin_version.h"
#include "services/endpoint.h"

#include <algorithm>
#include <array>

namespace quarry::cli {
namespace {

Result<plugins::IndexCache> cache_of(const config::Config& config) {
  const auto roots = engine::roots_of(config);
  if (!roots) return roots.error();
  auto keys = trusted_keys(config);
  if (!keys) return std::move(keys.error());
  return plugins::IndexCache(roots->cache / "plugin-indexes", std::move(*keys));
}

Error no_index(const config::Config& config, const std::string& only) {
  if (config.plugins.indexes.empty()) {
    return Error(Code::kNotFound, "no index of plugins is configured",
                 "name one in the configuration, as in [plugins.indexes] team = "
                 "\"https://plugins.example.org/index.json\"")
        .tagged("ConfigError");
  }
  std::vector<std::string> known;
  for (const auto& [name, url] : config.plugins.indexes) known.push_back(name);
  return Error(Code::kNotFound, "[plugins.indexes] has no \"" + only + "\"",
               "there are: " + join(known, ", "))
      .tagged("ConfigError");
}

Result<std::vector<plugins::IndexSource>> sources_of(const config::Config& config,
                                                     const std::string& only) {
  std::vector<plugins::IndexSource> out;
  for (const auto& [name, url] : config.plugins.indexes) {
    if (only.empty() || only == name) out.push_back({name, url});
  }
  if (out.empty()) return no_index(config, only);
  return out;
}

/// Their owner named them, so they may have private addresses.
std::vector<services::Endpoint> endpoints_of(const std::vector<plugins::IndexSource>& sources) {
  std::vector<services::Endpoint> out;
  for (const auto& source : sources) {
    if (const auto endpoint = services::parse_endpoint(source.url)) out.push_back(*endpoint);
  }
  return out;
}

void warn_of_copy(Terminal& terminal, const plugins::ReadIndex& read, Clock::Wall now) {
  const auto age = std::chrono::duration_cast<std::chrono::seconds>(now - read.fetched);
  const auto cause = read.offline ? ", since " + read.offline->message : std::string();
  terminal.note("warning: the copy of index \"" + read.source.name + "\" is used, which is " +
                age_words(age) + " old" + cause);
}

void add_highest(OfferedVersions& offered, const plugins::IndexedPlugin& plugin,
                 const std::string& index) {
  const auto version = plugins::choose_version(plugin, "");
  if (!version) return;
  auto& best = offered[plugin.id];
  if (best.index.empty() || plugins::compare_versions((*version)->version, best.version) > 0) {
    best = {(*version)->version, index};
  }
}

}  // namespace

Result<std::vector<MinisignKey>> trusted_keys(const config::Config& config) {
  std::vector<MinisignKey> keys;
  for (const auto& text : config.plugins.trusted_keys) {
    auto key = parse_minisign_key(text);
    if (!key) return std::move(key.error()).in("[plugins] trusted_keys").tagged("ConfigError");
    keys.push_back(std::move(*key));
  }
  return keys;
}

services::Call interruptible_call(Context& context) {
  services::Call call;
  call.state = [&signals = context.signals, interrupted = false]() mutable {
    interrupted = interrupted || signals.wait(-1, std::chrono::milliseconds(0));
    return interrupted ? Code::kCancelled : Code::kOk;
  };
  return call;
}

Result<PluginIndexes> PluginIndexes::open(const config::Config& config, const std::string& only) {
  auto sources = sources_of(config, only);
  if (!sources) return std::move(sources.error());
  auto cache = cache_of(config);
  if (!cache) return std::move(cache.error());
  auto web = WebSession::start(config, endpoints_of(*sources));
  if (!web) return std::move(web.error());
  return PluginIndexes(std::move(*cache), std::move(*sources), std::move(*web));
}

PluginIndexes::Read PluginIndexes::read(Context& context, bool offline) {
  Read out;
  const auto now = SystemClock().now();
  const auto call = interruptible_call(context);
  plugins::HttpFiles files(web_->client());
  for (const auto& source : sources_) {
    auto index = offline ? cache_.cached(source) : cache_.fetch(source, files, call, now);
    if (!index) {
      out.problems.push_back(std::move(index.error()));
      continue;
    }
    if (offline || index->offline) warn_of_copy(context.terminal, *index, now);
    out.indexes.push_back(std::move(*index));
  }
  return out;
}

Result<plugins::WebResponse> PluginIndexes::get(const services::Call& call,
                                                const plugins::WebRequest& request,
                                                const plugins::WebFiles::Write& write) {
  return plugins::HttpFiles(web_->client()).get(call, request, write);
}

Result<Offer> find_offer(const std::vector<plugins::ReadIndex>& indexes, const std::string& id) {
  Offer out;
  std::vector<std::string> owners;
  std::vector<std::string> known;
  for (const auto& read : indexes) {
    for (const auto& plugin : read.index.plugins) known.push_back(plugin.id);
    const auto* plugin = read.index.find(id);
    if (plugin == nullptr) continue;
    out = {&read, plugin};
    owners.push_back("\"" + read.source.name + "\"");
  }
  if (owners.size() == 1) return out;
  if (owners.empty()) {
    const auto near = nearest(id, known);
    return Error(Code::kNotFound, "no index has a plugin \"" + id + "\"",
                 near ? "did you mean \"" + *near + "\"?"
                      : "\"quarry plugins search\" lists those that there are");
  }
  return Error(Code::kInvalidArgument,
               "plugin " + id + " is in several indexes: " + join(owners, ", "),
               "choose one of them with --index");
}

OfferedVersions versions_in_copies(const config::Config& config) {
  OfferedVersions out;
  const auto cache = cache_of(config);
  if (!cache) return out;
  for (const auto& [name, url] : config.plugins.indexes) {
    const auto read = cache->cached({name, url});
    if (!read) continue;
    for (const auto& plugin : read->index.plugins) add_highest(out, plugin, name);
  }
  return out;
}

std::string age_words(std::chrono::seconds age) {
  struct Unit {
    std::int64_t seconds;
    const char* name;
  };
  constexpr std::array<Unit, 3> kUnits{{{86'400, "day"}, {3'600, "hour"}, {60, "minute"}}};
  for (const auto& [seconds, name] : kUnits) {
    const auto count = age.count() / seconds;
    if (count > 0) return std::to_string(count) + " " + name + (count > 1 ? "s" : "");
  }
  return "less than a minute";
}

}  // namespace quarry::cli
