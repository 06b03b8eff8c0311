#include "cli/plugin_origin.h"

#include "base/text.h"
#include "cli/connection.h"

#include <algorithm>
#include <vector>

#include <nlohmann/json.hpp>

namespace quarry::cli {
namespace {

bool lies_in(const plugins::Manifest& manifest, const std::filesystem::path& directory) {
  return !directory.empty() &&
         manifest.path.parent_path().parent_path() == directory.lexically_normal();
}

PluginOrigin added(const plugins::Manifest& manifest) {
  PluginOrigin out{.from = PluginOrigin::From::kAdded, .words = "\"quarry plugins add\""};
  const auto lock = plugins::PluginLock::read(manifest.path.parent_path().parent_path());
  if (!lock) return out;
  for (const auto& row : lock->rows()) {
    if (row.id == manifest.id && row.manifest_sha256 == manifest.own_sha256) out.row = row;
  }
  if (!out.row) return out;
  out.words = out.row->source + ", by \"quarry plugins add\"";
  out.words += out.row->key.empty() ? ", without a signature of a trusted key"
                                    : ", signed by key " + out.row->key;
  return out;
}

}  // namespace

Json PluginOrigin::json() const {
  Json out{{"from", from == From::kProgram ? "program" : from == From::kAdded ? "added" : "path"}};
  if (!row) return out;
  out["source"] = row->source;
  out["key"] = row->key.empty() ? Json() : Json(row->key);
  return out;
}

PluginOrigin origin_of(const plugins::Manifest& manifest) {
  if (lies_in(manifest, own_plugin_directory())) {
    return {.from = PluginOrigin::From::kProgram, .words = "this program"};
  }
  if (lies_in(manifest, installed_plugin_directory())) return added(manifest);
  return {.from = PluginOrigin::From::kPath, .words = "a directory of plugin_path"};
}

Error unknown_plugin(const std::string& id, const plugins::Found& found) {
  // Problems name the plugin that they are about.
  const auto about = std::ranges::find_if(found.problems, [&](const Error& problem) {
    return problem.message.starts_with("plugin " + id + " ");
  });
  if (about != found.problems.end()) return *about;
  std::vector<std::string> known;
  for (const auto& manifest : found.manifests) known.push_back(manifest.id);
  const auto near = nearest(id, known);
  return {Code::kNotFound, "there is no plugin \"" + id + "\"",
          near ? "did you mean \"" + *near + "\"?"
               : "\"quarry plugins list\" shows those found, and what is wrong with others"};
}

}  // namespace quarry::cli
