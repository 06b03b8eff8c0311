#include "authoring/plugin_project.h"

#include "base/directory_entries.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "plugins/manifest.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <vector>

namespace quarry::authoring {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestFile = 1 << 20;

/// Languages by kind.
using Templates = std::map<std::string, std::set<std::string>>;
using Placeholders = std::map<std::string, std::string, std::less<>>;

Error wrong_argument(std::string message, std::string hint) {
  return {Code::kInvalidArgument, std::move(message), std::move(hint)};
}

Status check_names(const PluginProject& project) {
  if (!plugins::is_component_name(project.name)) {
    return wrong_argument(
        "name: \"" + project.name + "\" is no name of a component",
        "Use lower-case letters, digits and -, at most 64, beginning with a letter.");
  }
  if (!plugins::is_plugin_id(project.id)) {
    return wrong_argument("--id: \"" + project.id + "\" is no id of a plugin",
                          "Use lower-case words with dots between, such as org.example." +
                              project.name + ", at most 128 bytes.");
  }
  return {};
}

Error without_templates(const fs::path& directory, const std::string& cause) {
  return {Code::kNotFound, "no templates were found in " + directory.string() + cause,
          "Install the SDK beside this program: cmake --install <build directory> --prefix " +
              directory.parent_path().parent_path().parent_path().string() + " --component sdk"};
}

Result<Templates> templates_in(const fs::path& directory) {
  Templates out;
  std::error_code failed;
  for (const auto& entry : entries_of(directory, failed)) {
    const std::string name = entry.path().filename();
    const auto dash = name.find('-');
    std::error_code ignored;
    if (dash == std::string::npos || !entry.is_directory(ignored)) continue;
    out[name.substr(0, dash)].insert(name.substr(dash + 1));
  }
  if (failed) return without_templates(directory, ": " + failed.message());
  if (out.empty()) return without_templates(directory, "");
  return out;
}

std::string listed(const std::set<std::string>& languages) {
  return join(std::vector(languages.begin(), languages.end()), ", ");
}

Error unknown_kind(const std::string& kind, const Templates& templates) {
  std::vector<std::string> kinds;
  std::vector<std::string> rows;
  for (const auto& [known, languages] : templates) {
    kinds.push_back(known);
    rows.push_back(known + " (" + listed(languages) + ")");
  }
  const auto near = nearest(kind, kinds);
  return wrong_argument("kind: there is no template of \"" + kind + "\"" +
                            (near ? "; did you mean \"" + *near + "\"?" : ""),
                        "There are: " + join(rows, ", ") + ".");
}

Status check_offered(const PluginProject& project, const Templates& templates) {
  const auto kind = templates.find(project.kind);
  if (kind == templates.end()) return unknown_kind(project.kind, templates);
  if (kind->second.contains(project.language)) return {};
  return wrong_argument("--language: there is no template of kind " + project.kind + " in \"" +
                            project.language + "\"",
                        "There are: " + listed(kind->second) + ".");
}

std::string escaped(const fs::path& path) {
  std::string out;
  append_escaped(out, path.string());
  return out;
}

Placeholders placeholders_of(const PluginProject& project) {
  std::string identifier = project.name;
  std::ranges::replace(identifier, '-', '_');
  return {{"name", project.name},
          {"identifier", identifier},
          {"Name", class_name(project.name)},
          {"id", project.id},
          {"folder", escaped(project.folder)}};
}

/// `text` with each @word@ replaced; kInternal if one is unknown.
Result<std::string> filled(std::string_view text, const Placeholders& values) {
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";
  std::string out;
  for (auto at = text.find('@'); at != text.npos; at = text.find('@')) {
    const auto end = text.find_first_not_of(kLetters, at + 1);
    if (end == text.npos || text[end] != '@' || end == at + 1) {
      out += text.substr(0, at + 1);
      text.remove_prefix(at + 1);
      continue;
    }
    const auto value = values.find(text.substr(at + 1, end - at - 1));
    if (value == values.end()) {
      return Error{Code::kInternal,
                   "unknown placeholder " + std::string(text.substr(at, end + 1 - at))};
    }
    out.append(text.substr(0, at)).append(value->second);
    text.remove_prefix(end + 1);
  }
  return out.append(text);
}

Error broken(const fs::path& file, const Error& cause) {
  return {Code::kInternal, "the template " + file.string() + " cannot be used: " + cause.message,
          "Install the SDK again."};
}

Status add_file(const fs::path& file, const std::string& name, const Placeholders& values,
                FolderFiles& files) {
  const auto text = read_file(file, kLargestFile);
  if (!text) return broken(file, text.error());
  auto filled_name = filled(name, values);
  if (!filled_name) return broken(file, filled_name.error());
  auto filled_text = filled(*text, values);
  if (!filled_text) return broken(file, filled_text.error());
  files.emplace(std::move(*filled_name), std::move(*filled_text));
  return {};
}

Result<FolderFiles> files_of(const fs::path& directory, const Placeholders& values) {
  FolderFiles out;
  std::error_code failed;
  for (fs::recursive_directory_iterator at(directory, failed), end; !failed && at != end;
       at.increment(failed)) {
    std::error_code ignored;
    if (at->is_directory(ignored)) continue;
    const std::string name = at->path().lexically_relative(directory).generic_string();
    if (Status added = add_file(at->path(), name, values, out); !added) return added.error();
  }
  if (failed) return broken(directory, {Code::kInternal, failed.message()});
  return out;
}

}  // namespace

std::string class_name(std::string_view name) {
  std::string out;
  for (const std::string_view word : split(name, '-')) {
    if (word.empty()) continue;
    out += word;
    char& first = out[out.size() - word.size()];
    if (first >= 'a' && first <= 'z') first = static_cast<char>(first - 'a' + 'A');
  }
  return out;
}

Result<FolderFiles> plugin_files(const PluginProject& project, const fs::path& templates) {
  if (Status valid = check_names(project); !valid) return valid.error();
  const auto offered = templates_in(templates);
  if (!offered) return offered.error();
  if (Status found = check_offered(project, *offered); !found) return found.error();
  return files_of(templates / (project.kind + "-" + project.language), placeholders_of(project));
}

}  // namespace quarry::authoring
