#include "plugins/plugin_index.h"

#include "base/schema.h"
#include "base/text.h"
#include "plugins/compose.h"
#include "plugins/plugin_archive.h"
#include "plugins/plugin_version.h"
#include "plugins/value_texts.h"
#include "plugins/web_url.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

namespace quarry::plugins {
namespace {

constexpr std::string_view kMakeAgain =
    "tell its publisher: \"quarry plugins index\" writes valid indexes";

Error wrong(std::string_view member, std::string_view mistake) {
  return {Code::kInvalidArgument, compose("{} {}", member.empty() ? "the index" : member, mistake),
          std::string(kMakeAgain)};
}

/// The format is checked first, since the members of a later one may have other types.
Status check_format(const Json& json) {
  const auto format = json.is_object() ? json.value("format", Json()) : Json();
  if (!format.is_number_integer() || format <= PluginIndex::kFormat) return {};
  return Error(Code::kUnsupported,
               compose("the index has the format {}, this host reads {}", to_text(format),
                       PluginIndex::kFormat),
               "update quarry");
}

/// The schema of an index without that of its versions, each of which is checked by itself.
struct IndexSchemas {
  Schema index;
  Schema version;

  static IndexSchemas make() {
    Json all = *parse_json(kPluginIndex.schema);
    auto& versions = all["properties"]["plugins"]["items"]["properties"]["versions"];
    auto version = Schema::compile(versions["items"]);
    versions.erase("items");
    return {*Schema::compile(all), std::move(*version)};
  }
};

const IndexSchemas& schemas() {
  static const IndexSchemas made = IndexSchemas::make();
  return made;
}

Status check_schema(const Json& json) {
  const auto mistakes = schemas().index.check(json, Schema::Unknown::kIgnore);
  if (mistakes.empty()) return {};
  return wrong(mistakes.front().field, mistakes.front().message);
}

/// Why this host does not understand a version; empty if it does.
std::string misunderstanding(const Json& version) {
  const auto mistakes = schemas().version.check(version, Schema::Unknown::kIgnore);
  if (!mistakes.empty()) {
    const auto& [field, message] = mistakes.front();
    return field.empty() ? message : field + " " + message;
  }
  if (version["isolation"] != "none" && version["isolation"] != "process") {
    return "/isolation must be \"none\" or \"process\"";
  }
  if (!is_archive(version["archive"].get<std::string>())) {
    return "/archive must be the URL of a .tar.zst, .tar.gz or .tgz, without query";
  }
  return "";
}

/// `text` fits the schema: two numbers that fit into 32 bits, with a dot between.
AbiVersion abi_version(const std::string& text) {
  AbiVersion out;
  const char* end = text.data() + text.size();
  const auto dot = std::from_chars(text.data(), end, out.major).ptr;
  std::from_chars(dot + 1, end, out.minor);
  return out;
}

std::vector<std::string> component_texts(const Json& components) {
  std::vector<std::string> out;
  for (const Json& each : components) {
    out.push_back(each["kind"].get<std::string>() + " " + each["name"].get<std::string>());
  }
  return out;
}

/// The members named, without those that a later format may add.
Json members(const Json& object, std::initializer_list<const char*> names) {
  Json out = Json::object();
  for (const char* name : names) out[name] = object[name];
  return out;
}

Json facts_in(const Json& version) {
  Json components = Json::array();
  for (const Json& each : version["components"]) {
    components.push_back(members(each, {"kind", "name"}));
  }
  return {{"abi", members(version["abi"], {"builtFor", "minimum"})},
          {"isolation", version["isolation"]},
          {"components", components},
          {"permissions", members(version["permissions"], {"hosts", "programs", "secrets"})}};
}

SkippedVersion skipped_version(const Json& json, const std::string& place, std::string cause) {
  const auto version = json.is_object() ? json.value("version", Json()) : Json();
  return {version.is_string() ? version.get<std::string>() : "", place, std::move(cause)};
}

/// The error is the cause why this host does not understand it.
Result<IndexedVersion> read_version(const Json& json, const std::string& url) {
  if (auto cause = misunderstanding(json); !cause.empty()) {
    return Error(Code::kUnsupported, std::move(cause));
  }
  auto archive = resolve_url(url, json["archive"].get<std::string>());
  if (!archive) return std::move(archive.error()).in("/archive");
  IndexedVersion out{.version = json["version"],
                     .archive = std::move(*archive),
                     .sha256 = json["sha256"],
                     .size = json["size"],
                     .machine = json["machine"],
                     .built_for = abi_version(json["abi"]["builtFor"]),
                     .minimum = abi_version(json["abi"]["minimum"]),
                     .components = component_texts(json["components"]),
                     .facts = facts_in(json),
                     .signature = json.value("signature", ""),
                     .yanked = {}};
  if (json.contains("yanked")) out.yanked = json["yanked"].get<std::string>();
  return out;
}

Result<IndexedPlugin> read_plugin(const Json& json, const std::string& url,
                                  const std::string& pointer) {
  IndexedPlugin out{
      .id = json["id"], .summary = json["summary"], .licence = json["licence"], .versions = {}};
  const Json& versions = json["versions"];
  if (!is_plugin_id(out.id)) {
    return wrong(pointer + "/id", "must be a name such as \"org.example.notes\"");
  }
  std::set<std::pair<std::string, std::string>> seen;
  for (std::size_t i = 0; i < versions.size(); ++i) {
    const auto place = compose("{}/versions/{}", pointer, i);
    auto version = read_version(versions[i], url);
    if (!version) {
      out.skipped.push_back(skipped_version(versions[i], place, version.error().message));
      continue;
    }
    if (!seen.emplace(version->version, version->machine).second) {
      return wrong(place, compose("is version {} of {} for {} a second time", version->version,
                                  out.id, version->machine));
    }
    out.versions.push_back(std::move(*version));
  }
  std::ranges::sort(out.versions, [](const auto& left, const auto& right) {
    const auto order = compare_versions(left.version, right.version);
    return order == 0 ? left.machine < right.machine : order > 0;
  });
  return out;
}

/// The cause why this host cannot load the version; empty if it can.
std::string obstacle(const IndexedPlugin& plugin, const IndexedVersion& version) {
  if (version.machine != this_machine()) return "is built for " + version.machine;
  const auto compatible = check_compatible(plugin.id, version.built_for, version.minimum);
  if (!compatible) {
    return compose("is built for version {}.{} of the plugin contract and needs {}.{}",
                   version.built_for.major, version.built_for.minor, version.minimum.major,
                   version.minimum.minor);
  }
  return "";
}

/// The same, with reasons that count unless the version is named.
std::string reservation(const IndexedPlugin& plugin, const IndexedVersion& version) {
  if (version.yanked) {
    return version.yanked->empty() ? "was withdrawn" : "was withdrawn: " + *version.yanked;
  }
  if (is_pre_release(version.version)) return "is a pre-release";
  return obstacle(plugin, version);
}

std::string name_of(const SkippedVersion& skipped) {
  return skipped.version.empty() ? "one without a version" : skipped.version;
}

Error none_usable(const IndexedPlugin& plugin, std::vector<std::string> causes) {
  for (const auto& each : plugin.skipped) {
    causes.push_back(compose("{} is not understood: {}", name_of(each), each.cause));
  }
  constexpr std::size_t kMost = 3;
  const auto shown = std::min(causes.size(), kMost);
  auto text = join(std::span(causes).first(shown), "; ");
  if (causes.size() > shown) text += compose("; and {} more", causes.size() - shown);
  return {Code::kUnsupported,
          compose("no version of plugin {} can be used on this host: {}", plugin.id, text),
          plugin.versions.empty()
              ? std::string("update quarry, or ask its publisher for a version for this host")
              : compose("to take one that was withdrawn, or a pre-release, name it: {}@{}",
                        plugin.id, plugin.versions.front().version)};
}

Error no_such_version(const IndexedPlugin& plugin, std::string_view version) {
  std::vector<std::string> known;
  for (const auto& each : plugin.versions) {
    if (known.empty() || known.back() != each.version) known.push_back(each.version);
  }
  const auto count = plugin.skipped.size();
  const auto skipped =
      count == 0 ? std::string() : compose("; {} not understood by this host", count);
  return {Code::kNotFound, compose("plugin {} has no version \"{}\"", plugin.id, version),
          "there are: " + (known.empty() ? "none" : join(known, ", ")) + skipped};
}

Result<const IndexedVersion*> named_version(const IndexedPlugin& plugin, std::string_view version) {
  std::vector<std::string> causes;
  for (const auto& each : plugin.versions) {
    if (each.version != version) continue;
    const auto cause = obstacle(plugin, each);
    if (cause.empty()) return &each;
    causes.push_back(cause);
  }
  for (const auto& each : plugin.skipped) {
    if (each.version == version) causes.push_back("is not understood: " + each.cause);
  }
  if (causes.empty()) return no_such_version(plugin, version);
  return Error(Code::kUnsupported,
               compose("version {} of plugin {} cannot be used on this host: it {}", version,
                       plugin.id, join(causes, "; it ")),
               "update quarry, or take another; \"quarry plugins search\" shows the versions that "
               "can");
}

bool contains_word(const IndexedPlugin& plugin, const std::string& word) {
  const auto has = [&](const std::string& text) { return to_lower(text).contains(word); };
  return has(plugin.id) || has(plugin.summary) ||
         (!plugin.versions.empty() && std::ranges::any_of(plugin.versions.front().components, has));
}

}  // namespace

const IndexedPlugin* PluginIndex::find(std::string_view id) const {
  const auto found = std::ranges::find(plugins, id, &IndexedPlugin::id);
  return found == plugins.end() ? nullptr : &*found;
}

Result<PluginIndex> parse_index(std::string_view text, const std::string& url) {
  const auto json = parse_json(text);
  if (!json) return wrong("", "is not JSON: " + json.error().message);
  if (auto known = check_format(*json); !known) return std::move(known.error());
  if (auto valid = check_schema(*json); !valid) return std::move(valid.error());
  PluginIndex out{.made = (*json)["made"], .plugins = {}};
  std::map<std::string, std::string> places;
  for (std::size_t i = 0; i < (*json)["plugins"].size(); ++i) {
    const auto pointer = compose("/plugins/{}", i);
    auto plugin = read_plugin((*json)["plugins"][i], url, pointer);
    if (!plugin) return std::move(plugin.error());
    const auto [first, is_new] = places.emplace(plugin->id, pointer);
    if (!is_new) return wrong(pointer, compose("is {} again, as {}", plugin->id, first->second));
    out.plugins.push_back(std::move(*plugin));
  }
  return out;
}

Status check_complete(const PluginIndex& index) {
  for (const auto& plugin : index.plugins) {
    if (plugin.skipped.empty()) continue;
    const auto& first = plugin.skipped.front();
    return wrong(first.place, "is not understood: " + first.cause);
  }
  return {};
}

std::string skipped_above(const IndexedPlugin& plugin, std::string_view chosen) {
  const auto above = [&](const SkippedVersion& each) {
    return each.version.empty() || compare_versions(each.version, chosen) > 0;
  };
  const auto first = std::ranges::find_if(plugin.skipped, above);
  if (first == plugin.skipped.end()) return "";
  const auto count = std::ranges::count_if(plugin.skipped, above);
  return compose(
      "this host does not understand {} of the versions of plugin {}, and skips {}: {}: "
      "{}",
      count, plugin.id, count == 1 ? "it" : "them", name_of(*first), first->cause);
}

Json manifest_facts(const Manifest& manifest) {
  const auto text = [](AbiVersion version) {
    return compose("{}.{}", version.major, version.minor);
  };
  Json components = Json::array();
  for (const auto& each : manifest.components) {
    components.push_back({{"kind", each.kind}, {"name", each.name}});
  }
  return {{"abi", {{"builtFor", text(manifest.built_for)}, {"minimum", text(manifest.minimum)}}},
          {"isolation", manifest.isolation},
          {"components", components},
          {"permissions", permissions_json(manifest.permissions)}};
}

Status check_as_indexed(const IndexedPlugin& plugin, const IndexedVersion& version,
                        const Manifest& manifest) {
  Json listed = version.facts;
  listed.update({{"id", plugin.id}, {"version", version.version}});
  Json packed = manifest_facts(manifest);
  packed.update({{"id", manifest.id}, {"version", manifest.version}});
  for (const auto& [member, value] : listed.items()) {
    if (packed[member] == value) continue;
    return Error(Code::kPermissionDenied,
                 compose("plugin {} is not installed: the index says \"{}\": {}, and the manifest "
                         "in the archive {}",
                         plugin.id, member, to_text(value), to_text(packed[member])),
                 std::string(kMakeAgain));
  }
  return {};
}

std::string_view this_machine() {
#if defined(__x86_64__)
  return "x86_64";
#elif defined(__aarch64__)
  return "aarch64";
#elif defined(__riscv)
  return "riscv64";
#endif
}

Result<const IndexedVersion*> choose_version(const IndexedPlugin& plugin,
                                             std::string_view version) {
  if (!version.empty()) return named_version(plugin, version);
  std::vector<std::string> causes;
  for (const auto& each : plugin.versions) {
    const auto cause = reservation(plugin, each);
    if (cause.empty()) return &each;
    causes.push_back(compose("{} {}", each.version, cause));
  }
  return none_usable(plugin, std::move(causes));
}

bool matches(const IndexedPlugin& plugin, const std::vector<std::string>& words) {
  return std::ranges::all_of(
      words, [&](const std::string& word) { return contains_word(plugin, to_lower(word)); });
}

}  // namespace quarry::plugins
