#include "engine/retrieval_providers.h"

#include "base/schema.h"
#include "base/text.h"
#include "engine/current_secrets.h"
#include "engine/model_rates.h"
#include "engine/retrieval_expenses.h"
#include "plugins/unavailable_type.h"
#include "retrieval/provider_encoder.h"
#include "retrieval/provider_reranker.h"
#include "services/span_names.h"

#include <quarry/draft/embedding.h>
#include <quarry/draft/rerank.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

namespace quarry::engine {
namespace {

using Tables = std::map<std::string, config::RetrievalProvider>;

/// One of the two keys of [search], and its part of the configuration.
struct Choice {
  const char* what;          ///< "embedding"
  std::string_view kind;     ///< QUARRY_EMBEDDING, …
  const std::string& value;  ///< "<provider>/<model>"
  const Tables& tables;
  const config::Table& search;  ///< places of [search]

  [[nodiscard]] std::string provider() const { return value.substr(0, value.find('/')); }
  [[nodiscard]] std::string model() const { return value.substr(value.find('/') + 1); }
  /// The table of the provider; null if it has none.
  [[nodiscard]] const config::RetrievalProvider* table() const {
    const auto found = tables.find(provider());
    return found == tables.end() ? nullptr : &found->second;
  }
  [[nodiscard]] std::string component() const {
    return table() == nullptr ? provider() : table()->provider;
  }
  [[nodiscard]] std::string options() const {
    return table() == nullptr ? "{}" : table()->options.json;
  }
};

/// Error of a provider that no plugin offers, at the place that names it.
Error unknown_provider(const Choice& choice, plugins::Registry& registry) {
  std::vector<std::string> known = registry.names(choice.kind);
  const std::string component = choice.component();
  const bool in_table = choice.table() != nullptr;
  if (!in_table) {
    for (const auto& [name, table] : choice.tables) known.push_back(name);
  }
  const auto near = nearest(component, known);
  Error error{Code::kInvalidArgument, "", "\"quarry plugins list\" shows what is installed."};
  error.tag = "ConfigError";
  error.details = {
      {in_table ? "/provider" : child_pointer("", choice.what),
       "names the " + std::string(choice.what) + " provider \"" + component +
           "\", which no plugin offers; " +
           (near ? "did you mean \"" + *near + "\"?" : "there are: " + join(known, ", "))}};
  return config::at_places(std::move(error), in_table ? choice.table()->options : choice.search);
}

/// Mistakes in the options by the provider's schema, or nothing.
Status check_options(const Choice& choice, const std::string& schema) {
  const auto rules = parse_json(schema);
  const auto found =
      rules ? mistakes_by(*rules, *parse_json(choice.options()), Schema::Unknown::kRefuse)
            : Result<std::vector<FieldError>>(rules.error());
  if (!found) return Error(found.error());
  if (found->empty()) return {};
  Error error =
      invalid("the options of the " + std::string(choice.what) + " provider " + choice.provider(),
              "ConfigError", *found);
  return choice.table() == nullptr ? error
                                   : config::at_places(std::move(error), choice.table()->options);
}

/// The provider's own error, at its places. Without a tag if its plugin is at fault.
Error refusal(const Choice& choice, Error error) {
  if (error.details.empty() || choice.table() == nullptr) {
    const bool is_mistake = error.code == Code::kInvalidArgument;
    error.tag.clear();
    error =
        std::move(error).in("the " + std::string(choice.what) + " provider " + choice.provider());
    return is_mistake ? std::move(error).tagged("ConfigError") : error;
  }
  error.tag = "ConfigError";
  return config::at_places(std::move(error), choice.table()->options);
}

class ProviderMaker {
 public:
  ProviderMaker(const config::Config& config, plugins::Registry& registry,
                const plugins::PricingCatalogues& pricing, HostServices& host_services)
      : config_(config),
        registry_(registry),
        pricing_(pricing),
        host_services_(host_services),
        search_{"{}", config.search.places} {}

  Result<RetrievalProviders> run() {
    const auto& [embedding, rerank, places] = config_.search;
    if (!embedding.empty()) {
      const Choice choice{"embedding", QUARRY_EMBEDDING, embedding, config_.embeddings, search_};
      auto made = provider(choice, &plugins::Registry::make_embedding);
      if (auto goes_on = note_failure(made); !goes_on) return std::move(goes_on).error();
      if (made) {
        out_.encoder = retrieval::make_encoder(
            *made, use_of(choice, (*made)->describe(), services::span_names::kEmbeddings));
      }
    }
    if (!rerank.empty()) {
      const Choice choice{"rerank", QUARRY_RERANK, rerank, config_.rerankers, search_};
      auto made = provider(choice, &plugins::Registry::make_rerank);
      if (auto goes_on = note_failure(made); !goes_on) return std::move(goes_on).error();
      if (made) {
        out_.reranker = retrieval::make_reranker(
            *made, use_of(choice, (*made)->describe(), services::span_names::kRerank));
      }
    }
    return std::move(out_);
  }

 private:
  /// Fails for a mistake of the configuration; a plugin's fault is a problem.
  template <class Made>
  Status note_failure(const Made& made) {
    if (made) return {};
    if (made.error().tag == "ConfigError") return made.error();
    out_.problems.push_back(with_hint(made.error()));
    return {};
  }

  template <class Made>
  Made provider(const Choice& choice,
                Made (plugins::Registry::*make)(std::string_view, std::string_view)) {
    const auto offered = registry_.names(choice.kind);
    if (std::ranges::find(offered, choice.component()) == offered.end()) {
      auto why = plugins::why_unusable(registry_.unusable(), choice.kind, choice.component());
      if (why) return refusal(choice, std::move(*why));
      return unknown_provider(choice, registry_);
    }
    auto made = (registry_.*make)(choice.component(), choice.options());
    if (!made) return refusal(choice, std::move(made).error());
    if (Status checked = check_options(choice, (*made)->describe().schema); !checked) {
      return std::move(checked).error();
    }
    note((*made)->describe());
    return made;
  }

  void note(const plugins::ExchangeDescription& said) {
    if (const auto endpoint = services::parse_endpoint(said.endpoint)) {
      out_.endpoints.push_back(*endpoint);
    }
    out_.costs = out_.costs || !said.local;
  }

  /// Rates are looked up for each request, because catalogues are refreshed.
  [[nodiscard]] retrieval::ProviderUse use_of(const Choice& choice,
                                              const plugins::ExchangeDescription& said,
                                              std::string_view operation) const {
    const auto candidate = [id = choice.provider(), model = choice.model(), vendor = said.vendor,
                            local = said.local, pricing = pricing_] {
      ask::Candidate out;
      out.provider = id;
      out.name = model;
      out.local = local;
      if (!local) out.rates = rates_of(id, vendor, model, pricing);
      return out;
    };
    auto& expenses = host_services_.retrieval_expenses;
    return {.id = choice.provider(),
            .component = choice.component(),
            .model = choice.model(),
            .services = {.http = host_services_.http,
                         .clock = host_services_.clock,
                         .secret = current_secrets(said.needs, host_services_.secrets)},
            .permit =
                [&expenses, candidate, budget = config_.model.monthly_budget,
                 allow = config_.model.allow_unpriced] {
                  return expenses.check(candidate(), budget, allow);
                },
            .spent = [&expenses, candidate](
                         const plugins::Usage& usage,
                         bool failed) { expenses.record(candidate(), usage, failed); },
            .tracer = host_services_.traces.tracer(),
            .operation = operation};
  }

  const config::Config& config_;
  plugins::Registry& registry_;
  const plugins::PricingCatalogues& pricing_;
  HostServices& host_services_;
  const config::Table search_;
  RetrievalProviders out_;
};

}  // namespace

Result<RetrievalProviders> make_retrieval_providers(const config::Config& config,
                                                    plugins::Registry& registry,
                                                    const plugins::PricingCatalogues& pricing,
                                                    HostServices& host_services) {
  return ProviderMaker(config, registry, pricing, host_services).run();
}

}  // namespace quarry::engine
