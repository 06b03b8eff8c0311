// Group configuration: malformed values, each different from a good one in one member.

#include "conformance/checks.h"
#include "conformance/example.h"
#include "plugins/compose.h"

#include <quarry/resource.h>

#include <algorithm>

namespace quarry::conformance {
namespace {

using plugins::compose;

Verdict not_explained(const Variation& variation, const Error& error) {
  return fails(compose("with an odd value of \"{}\" it failed with \"{}\", {}", variation.member,
                       error.message,
                       error.code == Code::kInvalidArgument ? "and names no field"
                                                            : "not with an invalid argument"),
               "fail with QUARRY_INVALID_ARGUMENT and details {\"fields\": [{\"field\": "
               "\"/member\", \"message\": …}]}: quarry::field_failure");
}

/// True if `error` says which member is wrong.
bool explains(const Error& error) {
  return error.code == Code::kInvalidArgument &&
         std::ranges::any_of(error.details,
                             [](const FieldError& each) { return each.field.starts_with('/'); });
}

using Judged = std::function<Verdict(const Variation&, const Error&)>;

/// The variations to try: the host lets those through that follow the schema.
enum class Values { kRefusedByHost, kAccepted };

std::vector<Variation> wanted(const Json& schema, const Json& good, const Trial& trial,
                              Values values) {
  auto all = variations(schema, good, trial.options().seed);
  std::erase_if(all, [&](const Variation& each) {
    return each.follows_schema != (values == Values::kAccepted);
  });
  return all;
}

/// Creates instances with variations of the good configuration.
Verdict try_configurations(Trial& trial, Values values, const Judged& judged) {
  auto generation = trial.open();
  if (!generation) return fails(generation.error().message, generation.error().hint);
  Generation& opened = *generation->release();
  Verdict verdict = skips("there is no such value for its schemas");
  for (const auto* component : Trial::components(opened)) {
    const auto good = trial.configuration(*component);
    const auto parsed = good ? parse_json(*good) : Result<Json>(Json::object());
    if (!parsed) continue;
    for (const auto& each :
         wanted(trial.configuration_schema(*component), *parsed, trial, values)) {
      const auto made = trial.create(opened, *component, to_text(each.value));
      verdict = made ? Verdict() : judged(each, made.error());
      if (verdict.outcome != Outcome::kPass) return verdict;
    }
  }
  return verdict;
}

Verdict try_resources(Trial& trial, Values values, const Judged& judged) {
  return for_each_resource(trial, [&](const Made& made, plugins::ResourceType& type,
                                      const Example& example, Generation&) {
    const auto schema = parse_json(type.describe().schema);
    Json fields = example.resource;
    fields.erase("type");
    fields.erase("name");
    for (const auto& each : wanted(schema ? *schema : Json(), fields, trial, values)) {
      Json resource = each.value;
      resource["type"] = example.resource["type"];
      resource["name"] = example.resource["name"];
      trial.at(made, "normalise", to_text(resource));
      const auto canonical = type.normalise({}, resource);
      const Verdict verdict = canonical ? Verdict() : judged(each, canonical.error());
      if (verdict.outcome != Outcome::kPass) return verdict;
    }
    return Verdict();
  });
}

/// Returning is enough.
Verdict survived(const Variation&, const Error&) {
  return {};
}

Verdict explained(const Variation& variation, const Error& error) {
  return explains(error) ? Verdict() : not_explained(variation, error);
}

}  // namespace

Verdict bad_configurations_survived(Trial& trial) {
  return try_configurations(trial, Values::kRefusedByHost, survived);
}

Verdict refused_configurations_explained(Trial& trial) {
  return try_configurations(trial, Values::kAccepted, explained);
}

Verdict bad_resources_survived(Trial& trial) {
  return try_resources(trial, Values::kRefusedByHost, survived);
}

Verdict refused_resources_explained(Trial& trial) {
  return try_resources(trial, Values::kAccepted, explained);
}

}  // namespace quarry::conformance
