#pragma once

#include <quarry/testing.hpp>

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace quarry::openai::testing {

using Json = nlohmann::json;
using quarry::testing::Component;
using quarry::testing::Sink;

/// A minimal chat request.
inline const std::string kAsked = R"({"model":"m","messages":[{"role":"user","text":"How?"}]})";

/// The step that the component `name` with `configuration` makes of a body, cut everywhere.
inline Sink::Step step_of(const char* name, std::string_view configuration, std::string_view body) {
  const Component<quarry_model_v1> model(quarry_plugin_entry_v1, QUARRY_MODEL, name, configuration);
  return exchange_cut_everywhere(model, kAsked, body);
}

/// The same for a connection that breaks after `body`.
inline Sink::Step broken_step(const char* name, std::string_view configuration,
                              std::string_view body) {
  const Component<quarry_model_v1> model(quarry_plugin_entry_v1, QUARRY_MODEL, name, configuration);
  return exchange(model, kAsked, {.pieces = {body}, .end = QUARRY_END_CUT});
}

using Finishes = std::vector<quarry_finish>;
using Words = std::vector<std::string>;

/// A conversation of three steps: two calls at once, a third, the answer; with the kept values.
Json three_steps(const Json& first_kept, const Json& second_kept);

}  // namespace quarry::openai::testing
