// Group load: from the shared object to an instance, and back.

#include "conformance/checks.h"
#include "plugins/compose.h"
#include "plugins/plugin_rules.h"

#include <quarry/draft/embedding.h>
#include <quarry/draft/rerank.h>
#include <quarry/draft/store.h>
#include <quarry/draft/symbols.h>
#include <quarry/model.h>
#include <quarry/pricing.h>
#include <quarry/resource.h>
#include <quarry/transport.h>

#include <algorithm>

namespace quarry::conformance {
namespace {

using plugins::compose;

constexpr const char* kReplyOnce =
    "reply exactly once before the function returns: with a value, or with a failure";

/// The schema in a description, if there is one.
template <class Type>
Result<std::string> schema_of(const Result<std::shared_ptr<Type>>& described) {
  if (!described) return described.error();
  return (*described)->describe().schema;
}

Result<std::string> described_schema(const Made& made) {
  const std::string_view kind = made.component->kind;
  if (kind == QUARRY_RESOURCE) return schema_of(plugins::adapt_resource(made.instance));
  if (kind == QUARRY_EMBEDDING) return schema_of(plugins::adapt_embedding(made.instance));
  if (kind == QUARRY_RERANK) return schema_of(plugins::adapt_rerank(made.instance));
  return schema_of(plugins::adapt_model(made.instance));
}

bool describes(std::string_view kind) {
  return kind == QUARRY_RESOURCE || kind == QUARRY_MODEL || kind == QUARRY_EMBEDDING ||
         kind == QUARRY_RERANK;
}

/// Runs `check` for the description of each component that has one.
Verdict for_each_description(
    Trial& trial, const std::function<Verdict(const Made&, const std::string& schema)>& check) {
  return for_each(trial, {}, [&](Generation&, const Made& made) {
    trial.at(made, "describe");
    if (!describes(made.component->kind)) return skips("it has no description");
    const auto schema = described_schema(made);
    return schema ? check(made, *schema) : judge(schema.error());
  });
}

}  // namespace

Verdict kinds_known(Trial& trial) {
  for (const auto& component : trial.manifest().components) {
    if (plugins::is_known_kind(component.kind)) continue;
    return warns(compose("this host does not know the kind {} of \"{}\", and does not use it",
                         component.kind, component.name),
                 "correct the kind, or use a host that knows it");
  }
  return {};
}

Verdict open_replies(Trial& trial) {
  auto generation = trial.open();
  if (!generation) return fails(generation.error().message, kReplyOnce);
  [[maybe_unused]] const auto* const kept = generation->release();
  return {};
}

Verdict create_replies(Trial& trial) {
  auto generation = trial.open();
  if (!generation) return fails(generation.error().message, kReplyOnce);
  Generation& opened = *generation->release();
  Verdict verdict;
  for (const auto* component : Trial::components(opened)) {
    const auto configuration = trial.configuration(*component);
    if (!configuration) {
      verdict = skips(compose("{} \"{}\": its schema gives no values for the members it requires",
                              component->kind, component->name),
                      "name a configuration with --configuration");
      continue;
    }
    auto made = trial.create(opened, *component, *configuration);
    if (made) {
      static_cast<void>(new Made(std::move(*made)));
      continue;
    }
    const Error& error = made.error();
    const auto message = compose("{} \"{}\" was not created with {}: {}", component->kind,
                                 component->name, *configuration, error.message);
    if (error.code == Code::kInternal) return fails(message, kReplyOnce);
    verdict = skips(message, "name a configuration with --configuration");
  }
  return verdict;
}

Verdict describe_replies(Trial& trial) {
  return for_each_description(trial, [](const Made&, const std::string&) { return Verdict(); });
}

Verdict schema_agrees(Trial& trial) {
  return for_each_description(trial, [&](const Made& made, const std::string& schema) {
    const Json published = trial.fields_schema(*made.component);
    if (published.is_null()) return skips("its manifest names no schema file");
    const auto described = parse_json(schema);
    if (described && *described == published) return Verdict();
    return fails("the schema in describe is not the one in the manifest's schema file",
                 "make both from one file, so that a configuration is checked alike everywhere");
  });
}

Verdict destroy_returns(Trial& trial) {
  auto generation = trial.open();
  if (!generation) return fails(generation.error().message, kReplyOnce);
  for (const auto* component : Trial::components(**generation)) {
    auto made = trial.create(**generation, *component);
    if (!made) continue;
    trial.at(*made, "destroy");
    made->instance.reset();
  }
  [[maybe_unused]] const auto* const kept = generation->release();
  return {};
}

Verdict close_returns(Trial& trial) {
  auto generation = trial.open();
  if (!generation) return fails(generation.error().message, kReplyOnce);
  trial.at("close");
  (*generation)->module.reset();
  return {};
}

Verdict instances_independent(Trial& trial) {
  auto generation = trial.open();
  if (!generation) return fails(generation.error().message, kReplyOnce);
  Generation& opened = *generation->release();
  for (const auto* component : Trial::components(opened)) {
    auto first = trial.create(opened, *component);
    const auto second = trial.create(opened, *component);
    if (!first) continue;
    if (!second) {
      return fails(compose("{} \"{}\" was created once and not twice: {}", component->kind,
                           component->name, second.error().message),
                   "keep the state of an instance in the instance");
    }
    trial.at(*first, "destroy");
    first->instance.reset();
    use(trial, *second);
  }
  return {};
}

}  // namespace quarry::conformance
