#include "base/printable.h"
#include "base/schema.h"
#include "base/text.h"
#include "config/config.h"
#include "config/inspect.h"
#include "config/keys.h"
#include "config/model_table.h"
#include "config/secrets.h"

#include <nlohmann/json.hpp>

namespace quarry::config {
namespace {

/// Converts the merged document to the typed configuration and collects mistakes. Own keys are read
/// by their rows; here are the tables of components.
class Reading {
 public:
  explicit Reading(Layers layers) : layers_(std::move(layers)), root_(layers_.merged.root) {}

  Inspection run() {
    config_.files = layers_.files;
    config_.writable_file = layers_.writable_file;
    config_.warnings = layers_.warnings;
    read_all();
    return {std::move(config_), std::move(layers_.merged), std::move(layers_.mistakes),
            std::move(layers_.unread)};
  }

 private:
  void read_all() {
    for (const Key& key : own_keys()) read_own(key);
    read_model(section("model"));
    read_resources();
    read_resource_types();
    read_components("transport", config_.transports, config_.disabled_transports);
    read_enabled(section("transport"));
    read_components("pricing", config_.pricing, config_.disabled_pricing);
    read_store(section("store"));
    read_retrieval("embedding", config_.embeddings);
    read_retrieval("rerank", config_.rerankers);
    config_.search.places = table(section("search"), "/search", "search").places;
    read_secret("access", section("access"), "secrets_key");
    read_trace_headers(section("traces").value("headers", Json::object()));
  }

  /// Records a mistake in the value at `pointer`.
  void note(const std::string& pointer, std::string message) {
    const auto place = layers_.merged.places.find(pointer);
    layers_.mistakes.push_back({place == layers_.merged.places.end() ? Place{} : place->second,
                                dotted_key(root_, pointer),
                                std::move(message),
                                {}});
  }

  /// Reads a key that has a member.
  void read_own(const Key& key) {
    const std::string pointer = pointer_of(key.name);
    const Json::json_pointer at(pointer);
    if (!key.member || !root_.contains(at)) return;
    if (auto mistake = read_key(key, root_[at], config_)) note(pointer, std::move(*mistake));
  }

  Json section(const char* name) const { return root_.value(name, Json::object()); }

  Table table(Json value, const std::string& pointer, const std::string& secret_prefix) {
    std::vector<FieldError> mistakes;
    take_secrets(value, secret_prefix, config_.secrets, mistakes);
    for (FieldError& mistake : mistakes) {
      note(pointer + mistake.field, std::move(mistake.message));
    }
    Table out;
    out.json = to_text(value);
    const auto& places = layers_.merged.places;
    for (auto it = places.lower_bound(pointer);
         it != places.end() && it->first.starts_with(pointer); ++it) {
      const std::string rest = it->first.substr(pointer.size());
      if (rest.empty() || rest.front() == '/') out.places[rest] = it->second;
    }
    return out;
  }

  void read_model(Json model) {
    Json options = Json::object();
    for (auto& [key, member] : model.items()) {
      if (is_own_model_key(key)) continue;
      if (is_model_instance(member)) {
        read_instance(key, std::move(member));
      } else {
        options[key] = std::move(member);
      }
    }
    config_.model.options = table(std::move(options), "/model", "model");
  }

  void read_instance(const std::string& name, Json fields) {
    ModelInstance& out = config_.model.instances[name];
    out.provider = fields["provider"];
    out.name = fields.value("name", "");
    fields.erase("provider");
    fields.erase("name");
    out.options = table(std::move(fields), child_pointer("/model", name), "model." + name);
  }

  void read_resources() {
    const Json resources = root_.value("resource", Json::array());
    for (std::size_t i = 0; i < resources.size(); ++i) {
      const Json& fields = resources[i];
      const std::string name = fields["name"];
      config_.resources.push_back(
          {name, fields["type"],
           table(fields, "/resource/" + std::to_string(i), "resource." + name)});
    }
  }

  void read_resource_types() {
    const Json types = section("resource_type");
    for (const auto& [name, fields] : types.items()) {
      config_.resource_types[name] =
          table(fields, child_pointer("/resource_type", name), "resource_type." + name);
    }
  }

  void read_components(const std::string& kind, std::map<std::string, Table>& out,
                       std::vector<std::string>& disabled) {
    const Json components = section(kind.c_str());
    for (const auto& [name, value] : components.items()) {
      if (!value.is_object()) continue;  // a setting of the whole kind, for example pricing.order
      Json fields = value;
      if (!fields.value("enabled", true)) disabled.push_back(name);
      fields.erase("enabled");
      out[name] = table(std::move(fields), child_pointer("/" + kind, name), kind + "." + name);
    }
  }

  /// Tables whose name is also that of their provider, unless they name another one.
  void read_retrieval(const char* kind, std::map<std::string, RetrievalProvider>& out) {
    const Json tables = section(kind);
    for (const auto& [name, value] : tables.items()) {
      Json fields = value;
      out[name].provider = fields.value("provider", name);
      fields.erase("provider");
      out[name].options = table(std::move(fields), child_pointer("/" + std::string(kind), name),
                                std::string(kind) + "." + name);
    }
  }

  void read_enabled(const Json& transports) {
    for (const auto& [name, fields] : transports.items()) {
      if (fields.value("enabled", false)) config_.enabled_transports.push_back(name);
    }
  }

  void read_store(Json store) {
    store.erase("provider");
    config_.store.options = table(std::move(store), "/store", "store");
  }

  /// The name of the secret `member` of a table: "<table>.<member>"; empty if there is none.
  std::string read_secret(const std::string& table, const Json& members,
                          const std::string& member) {
    if (!members.contains(member)) return {};
    Json taken{{member, members[member]}};
    std::vector<FieldError> none;
    take_secrets(taken, table, config_.secrets, none);
    if (taken[member].is_string()) return taken[member];
    note(child_pointer(pointer_of(table), member),
         '"' + member +
             R"(" must be a reference, as in { env = "NAME" }, { file = "/path" } or )"
             R"({ command = ["program"] })");
    return {};
  }

  void read_trace_headers(const Json& headers) {
    for (const auto& [name, value] : headers.items()) {
      config_.traces.headers[name] = read_secret("traces.headers", headers, name);
    }
  }

  Layers layers_;
  Json& root_;
  Config config_;
};

}  // namespace

std::string Place::text() const {
  std::string name = printable_exact(file.string());
  if (line == 0) return name;
  return name + ":" + std::to_string(line) + ":" + std::to_string(column);
}

Result<Config> load(const Sources& sources) {
  auto layers = read_layers(sources);
  if (!layers) return std::move(layers).error();
  Inspection read = Reading(std::move(*layers)).run();
  if (!read.mistakes.empty()) return mistakes_error(read.mistakes);
  return std::move(read.config);
}

Inspection inspect(const Sources& sources) {
  return Reading(collect_layers(sources)).run();
}

Result<ModelOptions> read_model_options(const Json& options) {
  ModelOptions out;
  std::vector<FieldError> mistakes;
  for (const auto& [key, member] : options.items()) {
    if (!is_own_model_key(key)) continue;
    mistakes.push_back({child_pointer("", key), "is a key of [model] itself, not of a provider"});
  }
  Json taken = options;
  take_secrets(taken, "model", out.secrets, mistakes);
  if (!mistakes.empty()) {
    return invalid("the provider's options are not valid", "ProviderOptionsError",
                   std::move(mistakes));
  }
  out.json = to_text(taken);
  return out;
}

Error at_places(Error error, const Table& table) {
  for (FieldError& mistake : error.details) {
    const Place place = nearest_place(table.places, mistake.field);
    if (place.text().empty()) continue;
    if (!mistake.field.empty()) {
      const std::size_t slash = mistake.field.starts_with('/') ? 1 : 0;
      mistake.message = "\"" + mistake.field.substr(slash) + "\" " + mistake.message;
    }
    mistake.field = place.text();
  }
  if (!error.details.empty()) {
    error.message = error.details.front().field + ": " + error.details.front().message;
  }
  return error;
}

}  // namespace quarry::config
