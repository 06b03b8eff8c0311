#include "cli/config_check.h"

#include "base/schema.h"
#include "base/text.h"
#include "cli/component_schemas.h"
#include "cli/connection.h"
#include "cli/plugin_checks.h"
#include "config/model_table.h"
#include "engine/configuration_trial.h"
#include "services/egress_policy.h"

#include <quarry/draft/embedding.h>
#include <quarry/draft/rerank.h>
#include <quarry/draft/store.h>
#include <quarry/model.h>
#include <quarry/pricing.h>
#include <quarry/resource.h>
#include <quarry/transport.h>

#include <algorithm>
#include <map>
#include <span>
#include <tuple>

namespace quarry::cli {
namespace {

using config::Mistake;

constexpr const char* kHint = "Correct the named place.";

/// A table of a component, as it is named in messages.
struct ComponentTable {
  std::string_view kind;  ///< QUARRY_TRANSPORT, …
  std::string_view what;  ///< "transport", …
  std::string name;       ///< of the component
  const config::Table& table;
  std::string key;                 ///< "transport.rest", …
  std::string_view named_at = {};  ///< pointer to the component's name in the table
  SchemaFile file = &plugins::ManifestComponent::schema_file;
};

std::vector<std::string> names_of(const plugins::Found& found, std::string_view kind) {
  std::vector<std::string> out;
  for (const auto& manifest : found.manifests) {
    for (const auto& component : manifest.components) {
      if (component.kind == kind) out.push_back(component.name);
    }
  }
  return out;
}

std::string unknown_component(const ComponentTable& table, const std::vector<std::string>& known) {
  const auto near = nearest(table.name, known);
  return "no plugin offers the " + std::string(table.what) + " \"" + table.name + "\"; " +
         (near ? "did you mean \"" + *near + "\"?" : "there are: " + join(known, ", "));
}

class Check {
 public:
  Check(const config::Inspection& read, const plugins::Found& found) : read_(read), found_(found) {}

  CheckReport run() {
    check_resources();
    check_model();
    for (const auto& [name, table] : config().transports) {
      check({QUARRY_TRANSPORT, "transport", name, table, "transport." + name});
    }
    for (const auto& [name, table] : config().pricing) {
      check({QUARRY_PRICING, "pricing catalogue", name, table, "pricing." + name});
    }
    const config::Store& store = config().store;
    if (store.provider != "none") {
      check({QUARRY_STORE, "store", store.provider, store.options, "store", "/provider"});
    }
    check_retrieval(
        {QUARRY_EMBEDDING, "embedding", config().search.embedding, config().embeddings});
    check_retrieval({QUARRY_RERANK, "rerank", config().search.rerank, config().rerankers});
    check_private_hosts();
    check_pricing_order();
    return std::move(out_);
  }

 private:
  [[nodiscard]] const config::Config& config() const { return read_.config; }

  void check_resources() {
    for (const auto& resource : config().resources) {
      check({QUARRY_RESOURCE, "type of resource", resource.type, resource.fields,
             "resource." + config::to_toml_key(resource.name), "/type"});
    }
    for (const auto& [name, table] : config().resource_types) {
      check({QUARRY_RESOURCE, "type of resource", name, table, "resource_type." + name, "",
             &plugins::ManifestComponent::configuration_schema_file});
    }
  }

  void check_model() {
    const config::Model& model = config().model;
    if (model.provider != "auto" && !model.instances.contains(model.provider)) {
      check({QUARRY_MODEL, "model provider", model.provider, model.options, "model", "/provider"});
    }
    for (const auto& [name, instance] : model.instances) {
      check({QUARRY_MODEL, "model provider", instance.provider, instance.options, "model." + name,
             "/provider"});
    }
  }

  /// One of the keys of [search], with the tables of its providers.
  struct Retrieval {
    std::string_view kind;
    const char* key;           ///< "embedding"
    const std::string& value;  ///< "<provider>/<model>"; may be empty
    const std::map<std::string, config::RetrievalProvider>& tables;
  };

  void check_retrieval(const Retrieval& wanted) {
    const std::string key = wanted.key;
    const std::string what = key + " provider";
    for (const auto& [name, table] : wanted.tables) {
      check({wanted.kind, what, table.provider, table.options, key + "." + name, "/provider"});
    }
    const std::string provider = wanted.value.substr(0, wanted.value.find('/'));
    if (provider.empty() || wanted.tables.contains(provider)) return;
    const config::Table search{"{}", config().search.places};
    const std::string pointer = "/" + key;
    check({wanted.kind, what, provider, search, "search", pointer});
  }

  /// Each entry by itself, so that all wrong ones are reported.
  void check_private_hosts() {
    const std::vector<std::string>& hosts = config().private_hosts;
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      const auto made = services::EgressPolicy::make(std::span(hosts).subspan(i, 1));
      if (made) continue;
      out_.mistakes.push_back({place_of("/network/private_hosts", i),
                               std::string(services::EgressPolicy::kKey), made.error().message,
                               made.error().hint});
    }
  }

  void check_pricing_order() {
    const std::vector<std::string> known = names_of(found_, QUARRY_PRICING);
    const std::vector<std::string>& order = config().pricing_order;
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (!read_.unread.empty() || std::ranges::find(known, order[i]) != known.end()) continue;
      out_.mistakes.push_back({place_of("/pricing/order", i),
                               "pricing.order",
                               "no plugin offers the pricing catalogue \"" + order[i] +
                                   "\"; there are: " + join(known, ", "),
                               {}});
    }
  }

  [[nodiscard]] config::Place place_of(const std::string& list, std::size_t item) const {
    const auto place = read_.merged.places.find(list + "/" + std::to_string(item));
    return place == read_.merged.places.end() ? config::Place{} : place->second;
  }

  void check(const ComponentTable& component) {
    const auto schema = schema_of(found_, component.kind, component.name, component.file);
    if (!schema) return out_.problems.push_back(schema.error());
    if (!*schema) return note_unknown(component);
    if ((*schema)->is_null()) return;
    auto violations =
        mistakes_by(**schema, *parse_json(component.table.json), Schema::Unknown::kRefuse);
    if (!violations) return out_.problems.push_back(violations.error());
    note(component, std::move(*violations));
  }

  void note_unknown(const ComponentTable& component) {
    if (!read_.unread.empty()) return;
    const std::string message = unknown_component(component, names_of(found_, component.kind));
    auto mistakes = config::at_places(component.table, component.key,
                                      {{std::string(component.named_at), message}});
    for (Mistake& mistake : mistakes) mistake.message = message;
    std::ranges::move(mistakes, std::back_inserter(out_.mistakes));
  }

  /// An unknown table in the options of a provider may have been meant as a model of its own.
  void note(const ComponentTable& component, std::vector<FieldError> violations) {
    const Json fields = *parse_json(component.table.json);
    if (component.key == "model") config::name_own_model_keys(violations);
    auto mistakes = config::at_places(component.table, component.key, violations);
    for (std::size_t i = 0; i < violations.size(); ++i) {
      const Json::json_pointer at(violations[i].field);
      const bool is_table = fields.contains(at) && fields[at].is_object();
      if (component.kind == QUARRY_MODEL && is_table &&
          violations[i].message.starts_with("is not known")) {
        mistakes[i].hint = "a table that names a model has a \"provider\"";
      }
    }
    std::ranges::move(mistakes, std::back_inserter(out_.mistakes));
  }

  const config::Inspection& read_;
  const plugins::Found& found_;
  CheckReport out_;
};

Json to_json(const Mistake& mistake, const std::string& hint) {
  Json out = {{"file", mistake.place.file.string()},
              {"message", mistake.message},
              {"hint", mistake.hint.empty() ? hint : mistake.hint}};
  if (mistake.place.line > 0) {
    out["line"] = mistake.place.line;
    out["column"] = mistake.place.column;
  }
  if (!mistake.key.empty()) out["key"] = mistake.key;
  return out;
}

}  // namespace

bool CheckReport::passed() const {
  return mistakes.empty() && unread.empty() && refusals.empty() && problems.empty();
}

void add_refusals(CheckReport& report, std::vector<Error> refusals) {
  for (Error& refusal : refusals) {
    const bool is_known = std::ranges::any_of(report.mistakes, [&](const Mistake& mistake) {
      const std::string place = mistake.place.text();
      return !place.empty() && refusal.message.starts_with(place + ": ");
    });
    if (!is_known) report.refusals.push_back(std::move(refusal));
  }
}

CheckReport check_files(const CommonOptions& common) {
  config::Inspection read = config::inspect(config_sources(common));
  const plugins::Found found = find_plugins(read.config);
  return check(std::move(read), found);
}

CheckReport check_everything(const CommonOptions& common, config::Inspection read) {
  config::Config config = read.config;
  std::erase_if(config.private_hosts, [](const std::string& host) {
    return !services::EgressPolicy::make(std::span(&host, 1));
  });
  plugins::Found found = find_plugins(config);
  // A name of no catalogue is a mistake in the file.
  const auto catalogues = names_of(found, QUARRY_PRICING);
  std::erase_if(config.pricing_order, [&](const std::string& name) {
    return std::ranges::find(catalogues, name) == catalogues.end();
  });
  found.problems = plugin_problems(config, common);
  CheckReport report = check(std::move(read), found);
  engine::Options options = engine_options(common);
  options.serves = true;
  options.transports = true;
  add_refusals(report, engine::try_configuration(config, options));
  return report;
}

Error with_other_mistakes(Error error, const CommonOptions& common) {
  if (error.tag != "ConfigError") return error;
  const CheckReport report = check_everything(common, config::inspect(config_sources(common)));
  auto all = as_error(report);
  if (!all) return error;
  const bool is_mistake = std::ranges::any_of(report.mistakes, [&](const Mistake& mistake) {
    const std::string place = mistake.place.text();
    return (!place.empty() && error.message.starts_with(place)) ||
           (!mistake.key.empty() && error.message.contains(mistake.key));
  });
  const bool is_refusal =
      std::ranges::find(report.refusals, error.message, &Error::message) != report.refusals.end();
  if (!is_mistake && !is_refusal) all->message.insert(0, with_hint(error) + "\n");
  return std::move(*all);
}

std::optional<Error> as_error(const CheckReport& report) {
  if (report.mistakes.empty() && report.refusals.empty()) return std::nullopt;
  if (report.mistakes.empty() && report.refusals.size() == 1) return report.refusals.front();
  Error error = config::mistakes_error(report.mistakes);
  for (const Error& refusal : report.refusals) {
    error.message += (error.message.empty() ? "" : "\n") + with_hint(refusal);
    error.details.insert(error.details.end(), refusal.details.begin(), refusal.details.end());
  }
  return error;
}

CheckReport check(config::Inspection read, const plugins::Found& found) {
  CheckReport out = Check(read, found).run();
  for (Mistake& mistake : out.mistakes) {
    // The members of every resource have rules of the host too.
    if (std::ranges::none_of(read.mistakes, [&](const Mistake& known) {
          return known.key == mistake.key && known.place.text() == mistake.place.text();
        })) {
      read.mistakes.push_back(std::move(mistake));
    }
  }
  out.mistakes = std::move(read.mistakes);
  const auto& files = read.config.files;
  std::ranges::stable_sort(out.mistakes, {}, [&](const Mistake& mistake) {
    return std::tuple(std::ranges::find(files, mistake.place.file) - files.begin(),
                      mistake.place.line, mistake.place.column);
  });
  out.unread = std::move(read.unread);
  out.problems.insert(out.problems.end(), found.problems.begin(), found.problems.end());
  return out;
}

Json to_json(const CheckReport& report) {
  Json list = Json::array();
  for (const Mistake& mistake : report.mistakes) list.push_back(to_json(mistake, kHint));
  for (const config::UnreadFile& file : report.unread) {
    for (const Mistake& mistake : file.mistakes) list.push_back(to_json(mistake, file.error.hint));
  }
  for (const Error& refusal : report.refusals) {
    list.push_back({{"message", refusal.message}, {"hint", refusal.hint}});
  }
  for (const Error& problem : report.problems) {
    list.push_back({{"message", problem.message}, {"hint", problem.hint}});
  }
  return {{"mistakes", std::move(list)}};
}

}  // namespace quarry::cli
