#include "conformance/trial.h"

#include "base/schema.h"
#include "conformance/example.h"
#include "conformance/steps.h"
#include "plugins/compose.h"

#include <quarry/draft/embedding.h>
#include <quarry/draft/rerank.h>
#include <quarry/draft/store.h>
#include <quarry/draft/symbols.h>
#include <quarry/model.h>
#include <quarry/outcome.hpp>
#include <quarry/pricing.h>
#include <quarry/resource.h>
#include <quarry/transport.h>

#include <algorithm>
#include <array>
#include <utility>

namespace quarry::conformance {
namespace {

using plugins::compose;

constexpr std::array kKinds{std::string_view(QUARRY_RESOURCE),  std::string_view(QUARRY_MODEL),
                            std::string_view(QUARRY_PRICING),   std::string_view(QUARRY_TRANSPORT),
                            std::string_view(QUARRY_STORE),     std::string_view(QUARRY_SYMBOLS),
                            std::string_view(QUARRY_EMBEDDING), std::string_view(QUARRY_RERANK)};

std::string name_of(const Made& made) {
  return compose("{} \"{}\"", made.component->kind, made.component->name);
}

Verdict not_made(const quarry_component& component, const Error& error) {
  return skips(compose("{} \"{}\": {}", component.kind, component.name, error.message),
               "name a configuration with --configuration");
}

/// Fields of a resource by the first example that has them: an object in the schema's "examples".
std::optional<Json> first_example(const Json& schema) {
  const auto examples = schema.find("examples");
  if (examples == schema.end() || !examples->is_array()) return std::nullopt;
  for (const Json& each : *examples) {
    if (each.is_object()) return each;
  }
  return std::nullopt;
}

Json named(Json resource, std::string_view type) {
  resource["type"] = type;
  resource["name"] = "example";
  return resource;
}

}  // namespace

void Trial::at(std::string_view function, std::string_view argument) const {
  note_.write(argument.empty() ? std::string(function)
                               : compose("{} with {}", function, argument.substr(0, 200)));
}

void Trial::at(const Made& made, std::string_view function, std::string_view argument) const {
  at(compose("{} of {}", function, name_of(made)), argument);
}

Result<std::unique_ptr<Generation>> Trial::load() const {
  auto generation = std::make_unique<Generation>(manifest_, directory_);
  auto copy = plugins::copy_module(manifest_);
  if (!copy) return std::move(copy.error());
  at("its static initialisers");
  auto module = plugins::load_module(manifest_, std::move(*copy));
  if (!module) return std::move(module.error());
  generation->module = std::move(*module);
  return generation;
}

Result<std::unique_ptr<Generation>> Trial::open() const {
  auto generation = load();
  if (!generation) return generation;
  at("open");
  if (auto opened = (*generation)->module->open(*(*generation)->host.get()); !opened) {
    return std::move(opened.error());
  }
  return generation;
}

std::vector<const quarry_component*> Trial::components(const Generation& generation,
                                                       std::string_view kind) {
  std::vector<const quarry_component*> out;
  const auto& entry = generation.module->entry();
  for (std::uint32_t i = 0; i < entry.component_count; ++i) {
    const std::string_view said = entry.components[i]->kind;
    const bool known = std::ranges::find(kKinds, said) != kKinds.end();
    if (kind.empty() ? known : said == kind) out.push_back(entry.components[i]);
  }
  return out;
}

Json Trial::configuration_schema(const quarry_component& component) const {
  const auto* said = plugins::find_component(manifest_, component.kind, component.name);
  const bool is_type = component.kind == std::string_view(QUARRY_RESOURCE);
  const auto schema = plugins::read_schema(
      manifest_, is_type ? said->configuration_schema_file : said->schema_file);
  return schema ? *schema : Json();
}

Json Trial::fields_schema(const quarry_component& component) const {
  const auto* said = plugins::find_component(manifest_, component.kind, component.name);
  const auto schema = plugins::read_schema(manifest_, said->schema_file);
  return schema ? *schema : Json();
}

std::optional<std::string> Trial::configuration(const quarry_component& component) const {
  if (const auto given = options_.configuration.find(component.name);
      given != options_.configuration.end()) {
    return to_text(*given);
  }
  const auto made = example_of(configuration_schema(component), true, directory_);
  return made ? std::optional(to_text(*made)) : std::nullopt;
}

Result<Made> Trial::create(Generation& generation, const quarry_component& component) const {
  const auto said = configuration(component);
  if (!said) {
    return Error(Code::kNotFound, "its schema gives no values for the members that it requires",
                 "name a configuration with --configuration");
  }
  return create(generation, component, *said);
}

Result<Made> Trial::create(Generation& generation, const quarry_component& component,
                           std::string_view configuration) const {
  Made made{.component = &component, .instance = nullptr};
  at(made, "create", configuration);
  auto instance = plugins::Instance::create(generation.module, component, *generation.host.get(),
                                            configuration);
  if (!instance) return std::move(instance.error());
  made.instance = std::move(*instance);
  return made;
}

std::optional<Json> Trial::given_resource(std::string_view type) const {
  if (!options_.resource || !options_.resource->is_object()) return std::nullopt;
  const auto said = options_.resource->find("type");
  if (said != options_.resource->end() && *said != type) return std::nullopt;
  return options_.resource;
}

std::optional<Example> Trial::example(const Made& made, plugins::ResourceType& type) const {
  const std::string_view name = made.component->name;
  if (auto given = given_resource(name)) {
    return Example{named(std::move(*given), name), Example::From::kOption};
  }
  const auto described = parse_json(type.describe().schema);
  const Json schema = described ? *described : Json::object();
  for (const Json& each : {schema, fields_schema(*made.component)}) {
    if (auto example = first_example(each)) {
      return Example{named(std::move(*example), name), Example::From::kExamples};
    }
  }
  for (const auto& reference : type.describe().examples) {
    at(made, "parse_reference", reference);
    const auto parsed = type.parse_reference({}, reference);
    if (parsed && *parsed) {
      return Example{named((*parsed)->resource, name), Example::From::kExamples};
    }
  }
  if (auto made_up = example_of(schema, false, directory_)) {
    return Example{named(std::move(*made_up), name), Example::From::kSchema};
  }
  return std::nullopt;
}

Verdict judge(const Error& error) {
  if (error.code == Code::kInternal) {
    return fails(error.message, error.hint.empty()
                                    ? "reply once, as the header and the schema of the value say"
                                    : error.hint);
  }
  return skips(error.message,
               "name a resource or a configuration that works without a network: --resource, "
               "--configuration");
}

Verdict for_each(Trial& trial, std::string_view kind,
                 const std::function<Verdict(Generation&, const Made&)>& check) {
  auto generation = trial.open();
  if (!generation) return fails(generation.error().message, generation.error().hint);
  Verdict last = skips("it has no component that this check is for");
  Generation& opened = *generation->release();
  bool passed = false;
  for (const auto* component : Trial::components(opened, kind)) {
    auto made = trial.create(opened, *component);
    Verdict verdict = made ? check(opened, *made) : not_made(*component, made.error());
    // Destroying is another check.
    if (made) static_cast<void>(new Made(std::move(*made)));
    if (verdict.outcome == Outcome::kPass) passed = true;
    if (verdict.outcome == Outcome::kPass) continue;
    if (!verdict.message.starts_with(component->kind)) {
      verdict.message = compose("{} \"{}\": {}", component->kind, component->name, verdict.message);
    }
    last = std::move(verdict);
    if (last.outcome != Outcome::kSkip) return last;
  }
  return passed ? Verdict() : last;
}

Verdict for_each_resource(Trial& trial, const ResourceCheck& check) {
  return for_each(trial, QUARRY_RESOURCE, [&](Generation& generation, const Made& made) {
    trial.at(made, "describe");
    const auto type = plugins::adapt_resource(made.instance);
    if (!type) return judge(type.error());
    static_cast<void>(new std::shared_ptr(*type));
    const auto example = trial.example(made, **type);
    if (!example) {
      return skips("its schema has no examples, and none could be made of it",
                   "add \"examples\" to the schema, or name one with --resource");
    }
    return check(made, **type, *example, generation);
  });
}

namespace {

void use_resource(Trial& trial, const Made& made) {
  trial.at(made, "describe");
  const auto type = plugins::adapt_resource(made.instance);
  if (!type) return;
  const auto example = trial.example(made, **type);
  if (!example) return;
  trial.at(made, "normalise");
  const auto canonical = (*type)->normalise({}, example->resource);
  if (!canonical) return;
  trial.at(made, "resolve");
  const auto version = (*type)->resolve({}, *canonical, {});
  if (!version) return;
  FetchedFiles tree({.scratch = trial.directory() / "scratch"});
  trial.at(made, "fetch");
  static_cast<void>((*type)->fetch({}, *canonical, *version, {}, tree));
}

void use_pricing(Trial& trial, const Made& made) {
  const auto catalogue = plugins::adapt_pricing(made.instance);
  if (!catalogue) return;
  trial.at(made, "rates");
  static_cast<void>((*catalogue)->rates("openai", "gpt-4o"));
  trial.at(made, "refresh");
  static_cast<void>((*catalogue)->refresh({}));
}

void use_symbols(Trial& trial, const Made& made) {
  const auto analyser = plugins::adapt_analyser(made.instance);
  if (!analyser) return;
  trial.at(made, "definitions");
  static_cast<void>((*analyser)->definitions({}, "example", "example\n"));
  trial.at(made, "references");
  static_cast<void>((*analyser)->references({}, "example", "example\n", "example"));
}

void use_transport(Trial& trial, const Made& made) {
  const auto transport = plugins::adapt_transport(made.instance);
  if (!transport) return;
  trial.at(made, "start");
  if (!(*transport)->start(&engine_without_methods())) return;
  trial.at(made, "stop");
  static_cast<void>((*transport)->stop(std::chrono::milliseconds(0)));
}

}  // namespace

void use(Trial& trial, const Made& made) {
  const std::string_view kind = made.component->kind;
  if (kind == QUARRY_RESOURCE) return use_resource(trial, made);
  if (kind == QUARRY_MODEL) return use_model(trial, made);
  if (kind == QUARRY_PRICING) return use_pricing(trial, made);
  if (kind == QUARRY_SYMBOLS) return use_symbols(trial, made);
  if (kind == QUARRY_TRANSPORT) return use_transport(trial, made);
}

void live(Trial& trial) {
  const auto generation = trial.open();
  if (!generation) return;
  for (const auto* component : Trial::components(**generation)) {
    const auto made = trial.create(**generation, *component);
    if (!made) continue;
    use(trial, *made);
    trial.at(*made, "destroy");
  }
  trial.at("close");
}

const quarry_engine& engine_without_methods() {
  static const quarry_engine kEngine{
      .struct_size = sizeof(quarry_engine),
      .context = nullptr,
      .call = [](const quarry_engine*, quarry_text, quarry_text,
                 const quarry_reply* reply) noexcept -> std::uint64_t {
        quarry_failure failure{};
        failure.struct_size = sizeof failure;
        failure.status = QUARRY_NOT_FOUND;
        failure.message = as_text("this engine has no methods");
        reply->failure(reply, &failure);
        return 1;
      },
      .cancel = [](const quarry_engine*, std::uint64_t) noexcept {},
      .open_reader = [](const quarry_engine*, quarry_text, std::uint64_t, void (*)(void*),
                        void*) noexcept -> quarry_reader* { return nullptr; },
      .read = [](quarry_reader*, std::size_t, void (*)(void*, const quarry_event*),
                 void*) noexcept { return QUARRY_READ_END; },
      .close_reader = [](quarry_reader*) noexcept {}};
  return kEngine;
}

}  // namespace quarry::conformance
