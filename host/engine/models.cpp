#include "engine/models.h"

#include "ask/exchange_model.h"
#include "base/text.h"
#include "engine/current_secrets.h"
#include "engine/model_rates.h"

#include <algorithm>

namespace quarry::engine {
namespace {

/// A configured secret counts as available without reading it, which may run a command.
bool is_available(const std::string& secret, const config::Config& config,
                  HostServices& host_services) {
  return config.secrets.contains(secret) ||
         !missing_reason(secret, host_services.secrets, std::stop_token());
}

}  // namespace

Models::Models(const config::Config& config, HostServices& host_services)
    : host_services_(host_services), idle_(config.model.idle), listing_(host_services.secrets) {}

Result<std::shared_ptr<Models>> Models::make(const config::Config& config,
                                             plugins::Registry& registry,
                                             HostServices& host_services) {
  std::shared_ptr<Models> out(new Models(config, host_services));
  auto sources = make_model_sources(config.model, registry);
  if (!sources) return std::move(sources).error();
  out->sources_ = std::move(*sources);
  for (const auto& [id, instance] : config.model.instances) {
    const auto& source = out->sources_.at(id);
    if (!source) out->problems_.push_back(with_hint(source.error()));
  }
  out->choose(config);
  const auto& places = config.model.options.places;
  for (std::size_t i = 0; i < config.model.fallback.size(); ++i) {
    const auto place = places.find("/fallback/" + std::to_string(i));
    out->add_fallback(config.model.fallback[i],
                      place == places.end() ? std::string() : place->second.text());
  }
  return out;
}

void Models::choose(const config::Config& config) {
  std::string id = config.model.provider;
  if (id == "auto") {
    AutoModel found = choose_auto(
        sources_,
        [&](const std::string& secret) { return is_available(secret, config, host_services_); },
        [](const services::Endpoint& endpoint) {
          return services::try_connect(endpoint, kConnectLimit).has_value();
        });
    id = std::move(found.id);
    servers_ = std::move(found.servers);
    auto_model_ = config.model.name;
  }
  const auto source = find(id);
  if (source) {
    chosen_ = asked(**source, (*source)->model.empty() ? auto_model_ : (*source)->model);
    return;
  }
  const auto place = config.model.options.places.find("/provider");
  chosen_ = place == config.model.options.places.end()
                ? source.error()
                : Error(source.error()).in(place->second.text());
}

void Models::add_fallback(const std::string& entry, const std::string& place) {
  const std::size_t slash = std::min(entry.find('/'), entry.size());
  const auto source = find(entry.substr(0, slash));
  auto fallback =
      source ? asked(**source, slash == entry.size() ? (*source)->model : entry.substr(slash + 1))
             : Result<Asked>(source.error());
  if (fallback) return fallbacks_.push_back(std::move(*fallback));
  problems_.push_back((place.empty() ? "" : place + ": ") + "the fallback \"" + entry +
                      "\" cannot be used: " + fallback.error().message);
}

Result<const ModelSource*> Models::find(std::string_view id) const {
  const auto found = sources_.find(id);
  if (found == sources_.end()) return unknown_model_source(id, names_of(sources_));
  if (!found->second) return found->second.error();
  return &*found->second;
}

Result<Models::Asked> Models::asked(const ModelSource& source, std::string model) const {
  if (source.made->form() == plugins::ModelProvider::Form::kGenerate) {
    return Asked{&source, std::move(model),
                 ask::make_generate_model(source.made, host_services_.workers, source.steps)};
  }
  if (auto ready = source.made->prepare(); !ready) {
    return std::move(ready)
        .error()
        .in("the model provider " + source.id)
        .tagged("ProviderOptionsError");
  }
  return Asked{&source, std::move(model),
               ask::make_exchange_model(source.made,
                                        {.io = host_services_.io,
                                         .workers = host_services_.workers,
                                         .transfers = host_services_.transfers,
                                         .clock = host_services_.clock,
                                         .secret = current_secrets(source.made->describe().needs,
                                                                   host_services_.secrets),
                                         .idle = idle_})};
}

Models::Choice Models::choice(const ModelSource& source, std::string model) const {
  if (model.empty()) model = source.made->describe().default_model;
  if (!model.empty()) return {source.id, std::move(model)};
  const auto listed = listing_.known(source.id);
  return {source.id, listed && !listed->empty() ? listed->front().id : ""};
}

Result<Models::Choice> Models::chosen() const {
  std::lock_guard lock(mutex_);
  if (!chosen_) return chosen_.error();
  return choice(*chosen_->source, chosen_->model);
}

std::vector<Models::Choice> Models::fallbacks() const {
  std::vector<Choice> out;
  for (const Asked& fallback : fallbacks_) out.push_back(choice(*fallback.source, fallback.model));
  return out;
}

bool Models::costs() const {
  const auto has_price = [](const Asked& asked) { return !asked.source->made->describe().local; };
  std::lock_guard lock(mutex_);
  return (chosen_ && has_price(*chosen_)) || std::ranges::any_of(fallbacks_, has_price);
}

std::vector<services::Endpoint> Models::endpoints() const {
  std::vector<services::Endpoint> out;
  for (const auto& [id, source] : sources_) {
    if (!source) continue;
    const auto endpoint = services::parse_endpoint(source->made->describe().endpoint);
    if (endpoint) out.push_back(*endpoint);
  }
  return out;
}

Result<Models::Asked> Models::settle(const std::stop_token& stop) {
  std::vector<std::string> servers;
  {
    std::lock_guard lock(mutex_);
    if (!chosen_ || servers_.empty()) return chosen_;
    servers = servers_;
  }
  Result<Asked> found = Error{};
  for (const std::string& id : servers) {
    const ModelSource& server = *sources_.at(id);
    const auto models = listing_.of(server, stop);
    if (!models || models->empty()) continue;
    found = asked(server, auto_model_);
    if (found) break;
  }
  const bool settled = found.has_value();
  if (!settled) {
    auto extractive = find(kExtractive);
    if (!extractive) return std::move(extractive).error();
    found = asked(**extractive, {});
  }
  std::lock_guard lock(mutex_);
  if (settled) servers_.clear();
  chosen_ = found;
  return found;
}

Result<std::string> Models::name_of(const Asked& asked, const std::stop_token& stop) {
  Choice known = choice(*asked.source, asked.model);
  if (!known.model.empty()) return std::move(known.model);
  const auto models = listing_.of(*asked.source, stop);
  if (models && !models->empty()) return models->front().id;
  if (models) {
    return Error{Code::kUnavailable, "it lists no model",
                 "Install one there, or name one in the configuration."};
  }
  if (models.error().code == Code::kUnsupported) return std::string();
  return models.error();
}

ask::Candidate Models::candidate(const Asked& asked, std::string model,
                                 const plugins::PricingCatalogues& pricing) const {
  const ModelSource& source = *asked.source;
  const plugins::ModelDescription& described = source.made->describe();
  ask::Candidate out{.model = asked.asked,
                     .provider = source.id,
                     .name = std::move(model),
                     .vendor = described.vendor,
                     .options = source.options,
                     .rates = std::nullopt};
  out.local = described.local;
  if (!out.local) out.rates = rates_of(source.id, described.vendor, out.name, pricing);
  for (const auto& listed : listing_.known(source.id).value_or(std::vector<plugins::ModelInfo>())) {
    if (listed.id != out.name) continue;
    out.context_tokens = listed.context_tokens;
    out.calls_tools = listed.calls_tools;
  }
  return out;
}

Result<std::vector<ask::Candidate>> Models::candidates(const plugins::PricingCatalogues& pricing,
                                                       const std::stop_token& stop) {
  const auto first = settle(stop);
  if (!first) return first.error();
  if (auto missing = missing_secret(*first->source, host_services_.secrets, stop)) {
    return not_connected(*first->source, std::move(*missing));
  }
  const auto name = name_of(*first, stop);
  // Without a list, the first one fails when it is asked, and a fallback is used.
  if (!name && fallbacks_.empty()) return not_connected(*first->source, name.error());
  std::vector<ask::Candidate> out{candidate(*first, name.value_or(""), pricing)};
  for (const Asked& fallback : fallbacks_) {
    auto model = name_of(fallback, stop);
    if (model) out.push_back(candidate(fallback, std::move(*model), pricing));
  }
  return out;
}

}  // namespace quarry::engine
