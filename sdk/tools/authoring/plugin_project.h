#pragma once

#include "authoring/new_folder.h"
#include "base/error.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace quarry::authoring {

/// A new plugin with one component.
struct PluginProject {
  std::string kind;              ///< "resource"
  std::string language;          ///< "c++"
  std::string name;              ///< of the component, "my-wiki"
  std::string id;                ///< of the plugin, "org.example.my-wiki"
  std::filesystem::path folder;  ///< absolute; where it will be
};

/// The files of `project`, made from a template: the directory "<kind>-<language>" of `templates`.
/// In the names and texts of its files these placeholders are replaced; any other is an error:
/// - @name@ (my-wiki), @identifier@ (my_wiki), @Name@ (MyWiki), @id@ (org.example.my-wiki);
/// - @folder@: the project's folder, escaped as in a quoted text of JSON and TOML.
/// Errors name the argument of the command line that is wrong. Writes nothing.
Result<FolderFiles> plugin_files(const PluginProject& project,
                                 const std::filesystem::path& templates);

/// `name` as the name of a class: "my-wiki" gives "MyWiki".
[[nodiscard]] std::string class_name(std::string_view name);

}  // namespace quarry::authoring
