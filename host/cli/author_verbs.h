#pragma once

#include "cli/verb.h"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace quarry::cli {

// Verbs for authors of plugins, whose options and help are those of any verb. quarry-author of
// sdk/tools runs them: this program becomes it, as git becomes its own programs.

struct PluginNewOptions {
  std::string kind;
  std::string name;
  std::string language = "c++";
  std::optional<std::string> id;
  std::optional<std::filesystem::path> folder;
};

struct PluginRunOptions {
  std::string plugin;
  std::string function;
  std::vector<std::string> arguments;
  std::string component;
  std::string configuration;
  std::string model;
  std::string to;
};

struct PluginIndexOptions {
  std::string folder;
  std::string base_url;
};

template <class Options>
using RunWith = std::function<Result<ExitCode>(const Options& options, Context& context)>;

Verb plugins_new_verb(CommonOptions& common, RunWith<PluginNewOptions> run);
Verb plugins_run_verb(CommonOptions& common, RunWith<PluginRunOptions> run);
Verb plugins_index_verb(CommonOptions& common, RunWith<PluginIndexOptions> run);

}  // namespace quarry::cli
