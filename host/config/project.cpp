#include "config/project.h"

#include "base/printable.h"
#include "base/text.h"
#include "config/check.h"
#include "config/layers.h"
#include "config/member.h"

namespace quarry::config {

namespace fs = std::filesystem;

std::string warning_of(const ProjectFile& file) {
  return printable_exact(file.path.string()) + " is not read: " + file.not_read +
         ". To use it anyway, pass --config " + printable_exact(shell_word(file.path.string()));
}

Result<ProjectSearch> find_project_file(const Sources& sources) {
  const auto is_own = [&](const fs::path& file) {
    std::error_code ignored;
    return fs::equivalent(file, user_file(sources), ignored) ||
           fs::equivalent(file, sources.system_file, ignored);
  };
  ProjectSearch out;
  if (sources.working_directory.empty()) return out;
  for (fs::path directory = sources.working_directory;; directory = directory.parent_path()) {
    if (!is_own(directory / kProjectFileName)) {
      auto found = read_project_file(directory, kProjectFileName, kMaxFileBytes);
      if (!found) return std::move(found).error().tagged("ConfigError");
      if (*found && (*found)->not_read.empty()) {
        out.file = std::move(**found);
        return out;
      }
      if (*found) out.skipped.push_back(std::move(**found));
    }
    if (directory == directory.parent_path()) return out;
  }
}

Below below_project(const Sources& sources, Json root) {
  std::vector<fs::path> plugin_path;
  for (const Json& directory : root.value("plugin_path", Json::array())) {
    if (directory.is_string()) plugin_path.push_back(expand_home(directory));
  }
  auto open_fields = [find = sources.open_fields, plugin_path = std::move(plugin_path)] {
    return find ? find(plugin_path) : OpenFields();
  };
  return {std::move(root), std::move(open_fields)};
}

std::vector<TrustedKey> keys_for_trust(const Document& document, const Below& below,
                                       const fs::path& directory) {
  const bool has_resources = document.root.contains("resource");
  return keys_for_trust(document, below.root, directory,
                        has_resources ? below.open_fields() : OpenFields());
}

Result<Project> judge(ProjectFile file, const Below& below, const TrustList& list, Place* place) {
  auto document = parse_document(file.bytes, file.path, place);
  if (!document) return std::move(document).error();
  Project out;
  out.document = std::move(*document);
  out.violations = violations_in(out.document);
  out.keys = keys_for_trust(out.document, below, file.path.parent_path());
  out.trusted = list.trusts(file.path, file.bytes);
  out.changed = !out.trusted && list.knows(file.path);
  out.file = std::move(file);
  return out;
}

}  // namespace quarry::config
