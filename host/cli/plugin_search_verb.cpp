#include "base/printable.h"
#include "base/text.h"
#include "base/time_text.h"
#include "cli/connection.h"
#include "cli/plugin_indexes.h"
#include "cli/verbs.h"
#include "plugins/plugin_index.h"
#include "plugins/plugin_lock.h"

#include <algorithm>
#include <memory>

#include <nlohmann/json.hpp>

namespace quarry::cli {
namespace {

struct PluginSearchOptions {
  std::vector<std::string> words;
  std::string index;
  bool offline = false;
};

/// A plugin that was found.
struct Hit {
  const plugins::ReadIndex* index;
  const plugins::IndexedPlugin* plugin;
  Result<const plugins::IndexedVersion*> version;  ///< the one that would be installed
};

std::vector<Hit> hits_in(const std::vector<plugins::ReadIndex>& indexes,
                         const std::vector<std::string>& words) {
  std::vector<Hit> out;
  for (const auto& index : indexes) {
    for (const auto& plugin : index.index.plugins) {
      if (plugins::matches(plugin, words)) {
        out.push_back({&index, &plugin, plugins::choose_version(plugin, "")});
      }
    }
  }
  std::ranges::sort(
      out, {}, [](const Hit& hit) { return std::pair(hit.plugin->id, hit.index->source.name); });
  return out;
}

plugins::PluginLock installed_plugins() {
  const auto directory = installed_plugin_directory();
  if (directory.empty()) return {};
  auto lock = plugins::PluginLock::read(directory);
  return lock ? std::move(*lock) : plugins::PluginLock();
}

/// The version that would be installed, else the highest; null if this host understands none.
const plugins::IndexedVersion* shown_version(const Hit& hit) {
  if (hit.version) return *hit.version;
  return hit.plugin->versions.empty() ? nullptr : &hit.plugin->versions.front();
}

void print(Terminal& terminal, const Hit& hit, const plugins::PluginLock& installed) {
  const auto* version = shown_version(hit);
  auto first = hit.plugin->id;
  if (version != nullptr) {
    first += " " + printable_exact(version->version) + "  " +
             printable_exact(join(version->components, ", "));
  }
  terminal.out_line(first);
  terminal.out_line("    " + printable_exact(hit.plugin->summary));
  auto last =
      "    " + printable_exact(hit.plugin->licence) + ", in index " + hit.index->source.name;
  if (const auto* row = installed.find(hit.plugin->id)) {
    last += ", " + printable_exact(row->version) + " is installed";
  }
  terminal.out_line(last);
  const auto remark = hit.version ? plugins::skipped_above(*hit.plugin, version->version)
                                  : hit.version.error().message;
  if (!remark.empty()) terminal.out_line("    " + printable_exact(remark));
}

Json version_json(const plugins::IndexedVersion& version) {
  Json out = version.facts;
  out.update({{"version", version.version},
              {"archive", version.archive},
              {"sha256", version.sha256},
              {"size", version.size},
              {"machine", version.machine},
              {"key", nullptr},
              {"yanked", nullptr}});
  if (version.yanked) out["yanked"] = *version.yanked;
  const auto signature = parse_minisign_signature(version.signature);
  if (signature) out["key"] = minisign_key_id(signature->key_id);
  return out;
}

Json as_json(const Hit& hit, const plugins::PluginLock& installed) {
  Json versions = Json::array();
  for (const auto& each : hit.plugin->versions) versions.push_back(version_json(each));
  Json skipped = Json::array();
  for (const auto& each : hit.plugin->skipped) {
    skipped.push_back({{"version", each.version}, {"cause", each.cause}});
  }
  Json out{{"id", hit.plugin->id},
           {"summary", hit.plugin->summary},
           {"licence", hit.plugin->licence},
           {"index", hit.index->source.name},
           {"versions", versions},
           {"skipped", skipped},
           {"version", nullptr},
           {"installed", nullptr},
           {"problem", nullptr}};
  if (hit.version) {
    out["version"] = (*hit.version)->version;
  } else {
    out["problem"] = hit.version.error().message;
  }
  if (const auto* row = installed.find(hit.plugin->id)) out["installed"] = row->version;
  return out;
}

Json as_json(const PluginIndexes::Read& read, const std::vector<Hit>& hits) {
  const auto installed = installed_plugins();
  Json plugins = Json::array();
  for (const auto& hit : hits) plugins.push_back(as_json(hit, installed));
  Json indexes = Json::array();
  for (const auto& each : read.indexes) {
    indexes.push_back({{"name", each.source.name},
                       {"url", each.source.url},
                       {"made", each.index.made},
                       {"fetched", rfc3339(each.fetched)}});
  }
  Json problems = Json::array();
  for (const auto& problem : read.problems) problems.push_back(problem.message);
  return {{"plugins", plugins}, {"indexes", indexes}, {"problems", problems}};
}

Result<ExitCode> run_plugins_search(const PluginSearchOptions& options, Context& context) {
  const auto config = config::load(config_sources(context.common));
  if (!config) return config.error();
  auto indexes = PluginIndexes::open(*config, options.index);
  if (!indexes) return std::move(indexes.error());
  const auto read = indexes->read(context, options.offline);
  for (const auto& problem : read.problems) {
    if (problem.code == Code::kCancelled) return problem;
  }
  const auto hits = hits_in(read.indexes, options.words);
  if (context.common.json) {
    context.terminal.out_json(to_text(as_json(read, hits)));
  } else {
    const auto installed = installed_plugins();
    for (const auto& hit : hits) print(context.terminal, hit, installed);
    for (const auto& problem : read.problems) context.terminal.error(problem);
    if (hits.empty() && read.problems.empty()) context.terminal.note("no plugin matches");
  }
  return read.problems.empty() ? ExitCode::kOk : ExitCode::kFailure;
}

}  // namespace

Verb plugins_search_verb(CommonOptions& common) {
  const auto options = std::make_shared<PluginSearchOptions>();
  return {
      "plugins search", "List the plugins that the configured indexes offer",
      with_json(
          common,
          {{"words", "", "Words in id, summary or components; all of them must occur",
            &options->words},
           {"--index", "NAME", "Look into this index of [plugins.indexes] only", &options->index},
           {"--offline", "", "Use the copies of the indexes in the cache", &options->offline}}),
      [options](Context& context) { return run_plugins_search(*options, context); }};
}

}  // namespace quarry::cli
