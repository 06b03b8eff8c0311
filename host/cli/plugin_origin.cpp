#include "cli/plugin_origin.h"

#include "base/text.h"
#include "cli/connection.h"

#include <vector>

#include <nlohmann/json.hpp>

namespace quarry::cli {
namespace {

bool lies_in(const plugins::Manifest& manifest, const std::filesystem::path& directory) {
  return !directory.empty() &&
         manifest.path.parent_path().parent_path() == directory.lexically_normal();
}

}  // namespace

Json PluginOrigin::json() const {
  return {{"from", from == From::kProgram ? "program" : "path"}};
}

PluginOrigin origin_of(const plugins::Manifest& manifest) {
  if (lies_in(manifest, own_plugin_directory())) {
    return {.from = PluginOrigin::From::kProgram, .words = "this program"};
  }
  return {.from = PluginOrigin::From::kPath, .words = "a directory of plugin_path"};
}

Error unknown_plugin(const std::string& id, const plugins::Found& found) {
  std::vector<std::string> known;
  for (const auto& manifest : found.manifests) known.push_back(manifest.id);
  const auto near = nearest(id, known);
  return {Code::kNotFound, "there is no plugin \"" + id + "\"",
          near ? "did you mean \"" + *near + "\"?"
               : "\"quarry plugins list\" shows those found, and what is wrong with others"};
}

}  // namespace quarry::cli
