#pragma once

#include "conformance/child_process.h"
#include "conformance/fetched_files.h"
#include "conformance/kit_host.h"
#include "conformance/verdict.h"
#include "plugins/adapters.h"
#include "plugins/instance.h"
#include "plugins/manifest.h"
#include "plugins/module.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::conformance {

/// One generation of the plugin in this process. Destruction closes it.
struct Generation {
  Generation(const plugins::Manifest& manifest, const std::filesystem::path& directory)
      : host(manifest, directory) {}

  KitHost host;
  std::shared_ptr<plugins::Module> module;
};

/// An instance of a component, and the component.
struct Made {
  const quarry_component* component = nullptr;
  std::shared_ptr<plugins::Instance> instance;
};

/// A resource to try, with `type` and `name`, and where it comes from.
struct Example {
  enum class From { kOption, kExamples, kSchema };
  Json resource;
  From from = From::kSchema;
};

/// One check in its child process: makes generations, instances and arguments. Nothing is released
/// unless the check does so, since the process ends after it.
class Trial {
 public:
  Trial(const plugins::Manifest& manifest, const Options& options, const Note& note,
        ChildOutput output, std::filesystem::path directory)
      : manifest_(manifest),
        options_(options),
        note_(note),
        output_(output),
        directory_(std::move(directory)) {}

  [[nodiscard]] const plugins::Manifest& manifest() const { return manifest_; }
  [[nodiscard]] const Options& options() const { return options_; }
  [[nodiscard]] const ChildOutput& output() const { return output_; }
  [[nodiscard]] const std::filesystem::path& directory() const { return directory_; }

  /// Names the function that is about to run, for a crash or timeout.
  void at(std::string_view function, std::string_view argument = {}) const;
  void at(const Made& made, std::string_view function, std::string_view argument = {}) const;

  Result<std::unique_ptr<Generation>> load() const;
  /// Loads and opens.
  Result<std::unique_ptr<Generation>> open() const;
  /// The components of a known kind, or of `kind`.
  static std::vector<const quarry_component*> components(const Generation& generation,
                                                         std::string_view kind = {});
  /// The configuration of an instance; empty if none is known.
  [[nodiscard]] std::optional<std::string> configuration(const quarry_component& component) const;
  Result<Made> create(Generation& generation, const quarry_component& component) const;
  Result<Made> create(Generation& generation, const quarry_component& component,
                      std::string_view configuration) const;

  /// The schema of a component's configuration in its manifest; null if there is none.
  [[nodiscard]] Json configuration_schema(const quarry_component& component) const;
  /// The fields' schema in the manifest; null if there is none.
  [[nodiscard]] Json fields_schema(const quarry_component& component) const;
  /// A resource of the type, from --resource, the examples of its schema or of its references, or
  /// made from the schema. Empty if none was found.
  std::optional<Example> example(const Made& made, plugins::ResourceType& type) const;

  /// Limit of a function that must not block.
  [[nodiscard]] std::chrono::milliseconds prompt() const { return options_.limit / 10; }

 private:
  [[nodiscard]] std::optional<Json> given_resource(std::string_view type) const;

  const plugins::Manifest& manifest_;
  const Options& options_;
  const Note& note_;
  ChildOutput output_;
  std::filesystem::path directory_;
};

/// A verdict for an error of the plugin on a valid argument: a failure if the plugin is at fault,
/// skipped if the surroundings are.
Verdict judge(const Error& error);

/// Runs `check` for each component of a kind, made in one opened generation. Returns the first
/// failure, which names the component; skipped if there is none, or each was skipped.
Verdict for_each(Trial& trial, std::string_view kind,
                 const std::function<Verdict(Generation&, const Made&)>& check);

using ResourceCheck =
    std::function<Verdict(const Made&, plugins::ResourceType&, const Example&, Generation&)>;
/// The same for each resource type that has an example.
Verdict for_each_resource(Trial& trial, const ResourceCheck& check);

/// The whole life of one generation: opens it, makes instances of every component, calls all of
/// their functions, destroys and closes. Errors of functions are ignored: other checks report them.
void live(Trial& trial);
/// The functions of one instance.
void use(Trial& trial, const Made& made);

/// An engine without methods, for transports.
const quarry_engine& engine_without_methods();

}  // namespace quarry::conformance
