#include "base/printable.h"
#include "base/schema.h"
#include "base/text.h"
#include "config/config.h"
#include "config/layers.h"
#include "config/model_table.h"
#include "config/project.h"
#include "config/secrets.h"

#include <cstdlib>

#include <nlohmann/json.hpp>

namespace quarry::config {
namespace {

namespace fs = std::filesystem;

fs::path expand_home(const std::string& path) {
  if (path != "~" && !path.starts_with("~/")) return path;
  const char* home = std::getenv("HOME");
  return home == nullptr ? fs::path(path) : fs::path(home) / path.substr(path == "~" ? 1 : 2);
}

std::vector<fs::path> paths_of(const Json& list) {
  std::vector<fs::path> out;
  for (const Json& item : list) out.push_back(expand_home(item));
  return out;
}

std::uint64_t bytes_of(const Json& size) {
  if (size.is_number()) return size;
  const std::string text = size;
  char* unit = nullptr;
  std::uint64_t bytes = std::strtoull(text.c_str(), &unit, 10);
  while (*unit == ' ') ++unit;
  static constexpr std::string_view kUnits = "KMGT";
  if (*unit != '\0') bytes <<= 10 * (kUnits.find(*unit) + 1);
  return bytes;
}

/// Converts the merged document to the typed configuration and collects mistakes.
class Reading {
 public:
  explicit Reading(Layers layers) : layers_(std::move(layers)), root_(layers_.merged.root) {}

  Result<Config> run() {
    config_.files = layers_.files;
    config_.writable_file = layers_.writable_file;
    config_.warnings = layers_.warnings;
    if (layers_.mistakes.empty()) read_all();
    if (!layers_.mistakes.empty()) return mistakes_error(std::move(layers_.mistakes));
    return std::move(config_);
  }

 private:
  void read_all() {
    read_model(section("model"));
    read_resources();
    read_resource_types();
    read_components("transport", config_.transports, config_.disabled_transports);
    read_enabled(section("transport"));
    read_components("pricing", config_.pricing, config_.disabled_pricing);
    config_.pricing_order = section("pricing").value("order", config_.pricing_order);
    config_.refresh_prices = section("pricing").value("refresh", true);
    read_cache(section("cache"));
    read_server(section("server"));
    read_store(section("store"));
    read_access(section("access"));
    const Json plugins = section("plugins");
    if (root_.contains("plugin_path")) config_.plugins.path = paths_of(root_["plugin_path"]);
    config_.plugins.pinned = plugins.value("pinned", config_.plugins.pinned);
    config_.plugins.disabled = plugins.value("disabled", config_.plugins.disabled);
    if (root_.contains("local_roots")) config_.local_roots = paths_of(root_["local_roots"]);
    config_.private_hosts = section("network").value("private_hosts", config_.private_hosts);
    config_.log_level = section("log").value("level", config_.log_level);
  }

  Json section(const char* name) const { return root_.value(name, Json::object()); }

  Table table(Json value, const std::string& pointer, const std::string& secret_prefix) {
    std::vector<FieldError> mistakes;
    take_secrets(value, secret_prefix, config_.secrets, mistakes);
    for (FieldError& mistake : mistakes) {
      const auto place = layers_.merged.places.find(pointer + mistake.field);
      mistake.field = place == layers_.merged.places.end() ? "" : place->second.text();
      layers_.mistakes.push_back(std::move(mistake));
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
    config_.model.provider = model.value("provider", config_.model.provider);
    config_.model.name = model.value("name", config_.model.name);
    config_.model.fallback = model.value("fallback", config_.model.fallback);
    config_.model.max_steps = model.value("max_steps", config_.model.max_steps);
    config_.model.max_tokens = model.value("max_tokens", config_.model.max_tokens);
    config_.model.max_time =
        std::chrono::seconds(model.value("max_seconds", config_.model.max_time.count()));
    config_.model.idle =
        std::chrono::seconds(model.value("idle_seconds", config_.model.idle.count()));
    config_.model.max_cost = money("/model", model, "max_cost_usd");
    config_.model.allow_unpriced = model.value("unpriced", "refuse") == "allow";
    config_.model.monthly_budget = money("/model", model, "monthly_budget_usd");
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

  std::optional<Money> money(const std::string& pointer, const Json& table,
                             const std::string& key) {
    if (!table.contains(key)) return std::nullopt;
    const Json& value = table[key];
    const auto amount = parse_money(value.is_string() ? value.get<std::string>() : value.dump());
    if (amount) return *amount;
    layers_.mistakes.push_back(
        {layers_.merged.places[pointer + "/" + key].text(), amount.error().message});
    return std::nullopt;
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

  void read_enabled(const Json& transports) {
    for (const auto& [name, fields] : transports.items()) {
      if (fields.value("enabled", false)) config_.enabled_transports.push_back(name);
    }
  }

  void read_store(Json store) {
    config_.store.provider = store.value("provider", config_.store.provider);
    store.erase("provider");
    config_.store.options = table(std::move(store), "/store", "store");
  }

  void read_access(const Json& access) {
    Access& out = config_.access;
    const auto count = [&](const char* key, auto& value) {
      if (access.contains(key)) value = access[key].get<std::uint32_t>();
    };
    count("requests_per_minute", out.requests_per_minute);
    count("streams", out.streams);
    count("max_resources", out.max_resources);
    out.usd_per_day = money("/access", access, "usd_per_day");
    if (access.contains("audit_file")) out.audit_file = expand_home(access["audit_file"]);
    out.audit_days = std::chrono::days(access.value("audit_days", out.audit_days.count()));
    out.audit_questions = access.value("audit_questions", out.audit_questions);
    read_secrets_key(access);  // as the secret "access.secrets_key"
  }

  void read_secrets_key(const Json& access) {
    constexpr const char* kKey = "secrets_key";
    if (!access.contains(kKey)) return;
    Json taken{{kKey, access[kKey]}};
    std::vector<FieldError> none;
    take_secrets(taken, "access", config_.secrets, none);
    if (taken[kKey].is_string()) return;
    const auto place = layers_.merged.places.find("/access/secrets_key");
    layers_.mistakes.push_back(
        {place == layers_.merged.places.end() ? "" : place->second.text(),
         R"("secrets_key" must be a reference, as in { env = "NAME" }, { file = "/path" } or )"
         R"({ command = ["program"] })"});
  }

  void read_cache(const Json& cache) {
    if (cache.contains("directory")) config_.cache.directory = expand_home(cache["directory"]);
    if (cache.contains("max_size")) config_.cache.max_bytes = bytes_of(cache["max_size"]);
  }

  void read_server(const Json& server) {
    using std::chrono::milliseconds;
    Server& out = config_.server;
    out.max_questions = server.value("max_questions", out.max_questions);
    out.max_event_bytes = server.value("max_event_bytes", out.max_event_bytes);
    out.reader_grace = milliseconds(server.value("reader_grace_ms", out.reader_grace.count()));
    out.shutdown_grace =
        milliseconds(server.value("shutdown_grace_ms", out.shutdown_grace.count()));
    out.keep_finished =
        std::chrono::seconds(server.value("keep_finished_seconds", out.keep_finished.count()));
  }

  Layers layers_;
  Json& root_;
  Config config_;
};

}  // namespace

std::string Place::text() const {
  const std::string name = printable_exact(file.string());
  if (line == 0) return name;
  return name + ":" + std::to_string(line) + ":" + std::to_string(column);
}

Result<Config> load(const Sources& sources) {
  auto layers = read_layers(sources);
  if (!layers) return std::move(layers).error();
  return Reading(std::move(*layers)).run();
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
    std::string pointer = mistake.field;
    while (!pointer.empty() && !table.places.contains(pointer)) pointer.erase(pointer.rfind('/'));
    const auto place = table.places.find(pointer);
    if (place == table.places.end()) continue;
    if (!mistake.field.empty()) {
      mistake.message = "\"" + mistake.field.substr(1) + "\" " + mistake.message;
    }
    mistake.field = place->second.text();
  }
  if (!error.details.empty()) {
    error.message = error.details.front().field + ": " + error.details.front().message;
  }
  return error;
}

}  // namespace quarry::config
