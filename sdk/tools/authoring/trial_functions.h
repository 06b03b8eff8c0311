#pragma once

#include "authoring/plugin_trial.h"
#include "authoring/trial_sink.h"
#include "base/error.h"
#include "base/json.h"
#include "plugins/manifest.h"
#include "services/call.h"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace quarry::authoring {

/// A function of a component, to be called once.
struct TrialCall {
  const plugins::ManifestComponent* component = nullptr;
  std::string function;                ///< "resolve"
  std::vector<std::string> arguments;  ///< as many as it takes
  std::filesystem::path to;            ///< of fetch: directory for the files; empty = none
  std::string model;  ///< of generate, encode, score; empty = the configured one, or the default
};

/// Finds the component and checks the arguments. `component`: its name; empty = the only one that
/// has the function. The error names the functions that there are.
Result<TrialCall> trial_call(const plugins::Manifest& manifest, const std::string& component,
                             const std::string& function, std::vector<std::string> arguments);

/// Calls the function; the outcome is the value to show. Preparations such as normalise come first,
/// as in a host. Blocks. [worker]
using RunTrial = std::function<Result<Json>(const services::Call& call, const OnText& on_text)>;

/// Makes the component. `trial` must outlive the result.
Result<RunTrial> prepare_trial(PluginTrial& trial, const TrialCall& wanted);

}  // namespace quarry::authoring
