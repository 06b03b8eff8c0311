#include "config/keys.h"

#include "base/resource_schema.h"
#include "base/schema.h"
#include "base/text.h"
#include "config/member.h"

#include <initializer_list>
#include <utility>

namespace quarry::config {
namespace {

constexpr const char* kLower = "lower";
constexpr std::uint64_t kLeastCache = 1u << 20;

Json integer(std::int64_t least) {
  return {{"type", "integer"}, {"minimum", least}};
}

Json integer(std::int64_t least, std::int64_t most) {
  return {{"type", "integer"}, {"minimum", least}, {"maximum", most}};
}

Json share() {
  return {{"type", "number"}, {"minimum", 0}, {"maximum", 1}};
}

Json boolean() {
  return {{"type", "boolean"}};
}

Json text() {
  return {{"type", "string"}, {"minLength", 1}};
}

Json texts() {
  return {{"type", "array"}, {"items", text()}};
}

/// Texts that match `pattern`; `otherwise` is the message for others.
Json pattern(const char* pattern, const char* otherwise) {
  return {{"type", "string"}, {"pattern", pattern}, {"patternErrorMessage", otherwise}};
}

Json provider_and_model() {
  return pattern("^[^/]+/.+$", R"(must be "<provider>/<model>")");
}

Json money() {
  return {{"type", {"number", "string"}}, {"format", "decimal"}, {"minimum", 0}};
}

Json choice(std::initializer_list<const char*> words) {
  return {{"enum", std::vector<std::string>(words.begin(), words.end())}};
}

Json size(std::uint64_t least) {
  Json out = pattern("^[1-9][0-9]*( ?[KMGT]iB)?$", R"(must be bytes or a size such as "10GiB")");
  out["type"] = {"string", "integer"};
  out["minimum"] = least;
  return out;
}

Json secret() {
  return {{"type", "object"}, {"additionalProperties", Json::object()}, {"writeOnly", true}};
}

template <class Value>
auto in(Value Config::*member) {
  return [member](Config& config) { return Member(&(config.*member)); };
}

template <class Section, class Value>
auto in(Section Config::*section, Value Section::*member) {
  return [section, member](Config& config) { return Member(&(config.*section.*member)); };
}

Member unpriced(Config& config) {
  return Words{&config.model.allow_unpriced, "refuse", "allow"};
}

Member max_size(Config& config) {
  return ByteSize{&config.cache.max_bytes, kLeastCache};
}

/// A row as it is written below.
struct Row {
  const char* name;
  Json schema;
  const char* untrusted;
  std::function<Member(Config&)> member;
  const char* description;
  const char* otherwise = nullptr;  ///< the default in words, if it is no value
};

/// True if the initial value of a member is one that a file could set: an amount of 0 below the
/// range means that there is no limit.
bool is_default(const Json& value, const Json& schema) {
  if (value.is_number() && schema.contains("minimum")) return value >= schema["minimum"];
  return !value.empty();
}

Key key_of(Row row, Config& unset) {
  Key out{row.name, std::move(row.schema), std::move(row.member)};
  out.schema["description"] = row.description;
  if (row.untrusted != nullptr) out.schema["untrusted"] = row.untrusted;
  if (row.otherwise != nullptr) out.schema["defaultDescription"] = row.otherwise;
  if (!out.member) return out;
  Json value = to_json(out.member(unset));
  if (is_default(value, out.schema)) out.schema["default"] = std::move(value);
  return out;
}

std::vector<Row> rows() {
  return {
      {"local_roots", texts(), nullptr, in(&Config::local_roots),
       "Folders that resources on this machine must lie in; `~` is the home directory. Without it "
       "every folder but system folders and folders of keys."},
      {"plugin_path", texts(), nullptr, in(&Config::plugins, &Plugins::path),
       "Directories with further plugins, absolute or beginning with `~`; searched after the "
       "program's own."},
      {"model.provider", text(), nullptr, in(&Config::model, &Model::provider),
       "A provider, the name of a `[model.<name>]` table, or `\"auto\"` ([the order](#models))."},
      {"model.name",
       {{"type", "string"}},
       nullptr,
       in(&Config::model, &Model::name),
       "The model. Left out: the provider's default, else the first model it lists."},
      {"model.fallback",
       {{"type", "array"},
        {"items", pattern("^[^/]+(/.+)?$", R"(must be "<provider>" or "<provider>/<model>")")}},
       nullptr,
       in(&Config::model, &Model::fallback),
       "Models that are asked when the one before fails, each `\"<provider>\"` or "
       "`\"<provider>/<model>\"`."},
      {"model.max_steps", integer(1, 1000), kLower, in(&Config::model, &Model::max_steps),
       "Model calls of one question."},
      {"model.max_seconds", integer(1, 86400), kLower, in(&Config::model, &Model::max_time),
       "Duration of one question in seconds."},
      {"model.max_tokens", integer(1), kLower, in(&Config::model, &Model::max_tokens),
       "Tokens of one question, input and output of all its calls."},
      {"model.max_cost_usd", money(), kLower, in(&Config::model, &Model::max_cost),
       "Cost of one question."},
      {"model.monthly_budget_usd", money(), kLower, in(&Config::model, &Model::monthly_budget),
       "Cost of all questions since the month (UTC) began. While the history cannot be read, "
       "models that cost are refused."},
      {"model.unpriced", choice({"refuse", "allow"}), nullptr, unpriced,
       "Models without a known price, where a limit in money applies."},
      {"model.idle_seconds", integer(1, 86400), kLower, in(&Config::model, &Model::idle),
       "Time in which a provider may send nothing before a call fails."},
      {"model.<name>.provider", text(), nullptr, nullptr, "The provider that this name uses.",
       "required"},
      {"model.<name>.name", text(), nullptr, nullptr, "The model, as in `[model]`."},
      {"pricing.order", texts(), nullptr, in(&Config::pricing_order),
       "Catalogues that are asked first, in this order; the others follow.",
       "[the order of Prices](#prices)"},
      {"pricing.refresh", boolean(), nullptr, in(&Config::refresh_prices),
       "Catalogues may be fetched."},
      {"pricing.<name>.enabled", boolean(), nullptr, nullptr, "Uses this catalogue."},
      {"search.embedding", provider_and_model(), nullptr, in(&Config::search, &Search::embedding),
       "The embedding model for search by meaning, as `\"<provider>/<model>\"`. Texts of resources "
       "are sent to it.",
       "none"},
      {"search.rerank", provider_and_model(), nullptr, in(&Config::search, &Search::rerank),
       "The model that scores what a search has found, as `\"<provider>/<model>\"`. Questions and "
       "texts of resources are sent to it.",
       "none"},
      {"embedding.<name>.provider", text(), nullptr, nullptr, "The provider that this name uses.",
       "the name of the table"},
      {"rerank.<name>.provider", text(), nullptr, nullptr, "The provider that this name uses.",
       "the name of the table"},
      {"transport.<name>.enabled", boolean(), nullptr, nullptr,
       "Starts this transport with `quarry serve`."},
      {"store.provider", text(), nullptr, in(&Config::store, &Store::provider),
       "A store that a plugin offers, or `\"none\"`."},
      {"access.requests_per_minute", integer(1, 1000000), nullptr,
       in(&Config::access, &Access::requests_per_minute),
       "Requests of a token that has no limit of its own."},
      {"access.streams", integer(1, 100000), nullptr, in(&Config::access, &Access::streams),
       "Questions at once of a token that has no limit of its own."},
      {"access.usd_per_day", money(), nullptr, in(&Config::access, &Access::usd_per_day),
       "Money a day (UTC) of a token that has no limit of its own."},
      {"access.max_resources", integer(1, 100000), nullptr,
       in(&Config::access, &Access::max_resources), "Resources of a project."},
      {"access.audit_file", text(), nullptr, in(&Config::access, &Access::audit_file),
       "A regular file for the audit as JSON lines, besides the store; `~` is the home directory."},
      {"access.audit_days", integer(1, 36500), nullptr, in(&Config::access, &Access::audit_days),
       "Days for which the store keeps the audit."},
      {"access.audit_questions", boolean(), nullptr, in(&Config::access, &Access::audit_questions),
       "Writes the text of questions to the audit."},
      {"access.secrets_key", secret(), nullptr, nullptr,
       "Key that seals the secrets of projects: 64 hexadecimal digits.",
       "the file `secrets.key` of the state directory"},
      {"history.keep_days", integer(31, 36500), nullptr, in(&Config::history, &History::keep_days),
       "Days for which conversations that are not continued, with their sources, and costs, are "
       "kept.",
       "for ever"},
      {"cache.directory", text(), nullptr, in(&Config::cache, &Cache::directory),
       "Directory of snapshots and plugin caches.",
       "`$XDG_CACHE_HOME/quarry`, else `~/.cache/quarry`"},
      {"cache.max_size", size(kLeastCache), nullptr, max_size,
       "Size of snapshots and plugin caches together: bytes, or as `\"512MiB\"` (KiB, MiB, GiB, "
       "TiB)."},
      {"server.max_questions", integer(1, 100000), kLower,
       in(&Config::server, &Server::max_questions),
       "Questions running at once; further ones are refused with 429."},
      {"server.max_event_bytes", integer(65536), kLower,
       in(&Config::server, &Server::max_event_bytes), "Event log of one question."},
      {"server.reader_grace_ms", integer(0), nullptr, in(&Config::server, &Server::reader_grace),
       "Time from the last reader's leaving to the end of a question."},
      {"server.shutdown_grace_ms", integer(0), nullptr,
       in(&Config::server, &Server::shutdown_grace),
       "Time that running questions have at shutdown."},
      {"server.keep_finished_seconds", integer(0), nullptr,
       in(&Config::server, &Server::keep_finished),
       "Time for which the events of a finished question can be read again."},
      {"server.reload_on_change", boolean(), nullptr,
       in(&Config::server, &Server::reload_on_change),
       "Reads configuration and plugins again when their files change."},
      {"network.private_hosts", texts(), nullptr, in(&Config::private_hosts),
       "Hosts, addresses and ranges (`10.0.0.0/8`, `*.example.org`) that may be reached though "
       "their addresses are private."},
      {"plugins.pinned",
       {{"type", "object"},
        {"additionalProperties",
         pattern("^[0-9a-f]{64}$", "must be a SHA-256 in 64 lower-case digits")}},
       nullptr,
       in(&Config::plugins, &Plugins::pinned),
       "SHA-256 (64 lower-case digits) by plugin id; another file of that plugin is not loaded."},
      {"plugins.isolation",
       {{"type", "object"},
        {"additionalProperties", pattern("^(process|none)$", "must be \"process\" or \"none\"")}},
       nullptr,
       in(&Config::plugins, &Plugins::isolation),
       "Isolation by plugin id, `process` or `none`; without it, plugins that did not come with "
       "the program are isolated."},
      {"plugins.trusted_keys",
       {{"type", "array"},
        {"items", pattern("^RW[A-Za-z0-9+/]{54}$",
                          "must be a public key of minisign, which begins with RW")}},
       nullptr,
       in(&Config::plugins, &Plugins::trusted_keys),
       "Public keys of minisign. If there is one, `quarry plugins add` takes plugins with a valid "
       "signature of one of them only, and indexes of plugins need one too."},
      {"plugins.indexes",
       {{"type", "object"},
        {"propertyNames",
         pattern("^[a-z][a-z0-9-]{0,63}$", "must be lower-case letters, digits and '-'")},
        {"additionalProperties",
         pattern(
             "^(https://[^\\s?#@]+|http://(localhost|127[0-9.]+|\\[::1\\])(:[0-9]+)?/[^\\s?#@]*)$",
             "must be an https URL without a query, or an http URL of a loopback address")}},
       nullptr,
       in(&Config::plugins, &Plugins::indexes),
       "URL by name of each index in which `quarry plugins search` and `add` look for plugins."},
      {"plugins.disabled", texts(), nullptr, in(&Config::plugins, &Plugins::disabled),
       "Plugin ids that are not loaded."},
      {"plugins.drafts", boolean(), nullptr, in(&Config::plugins, &Plugins::drafts),
       "Loads plugins, other than the program's own, with components of a draft kind, which may "
       "change."},
      {"traces.endpoint",
       pattern("^https?://[^\\s/?#@]+(/[^\\s?#@]*)?$",
               "must be an http or https URL without user and query"),
       nullptr, in(&Config::traces, &Traces::endpoint),
       "Base URL of a collector of OpenTelemetry, which receives spans at `/v1/traces`; without it "
       "there are none."},
      {"traces.headers",
       {{"type", "object"},
        {"propertyNames",
         pattern("^[A-Za-z0-9-]+$", "must be the name of a header: letters, digits and '-'")},
        {"additionalProperties", secret()}},
       nullptr,
       nullptr,
       "Headers of the requests to the collector, each a secret.",
       "none"},
      {"traces.sample_ratio", share(), nullptr, in(&Config::traces, &Traces::sample_ratio),
       "Share of the requests that is recorded, from 0 to 1, where the client has not decided."},
      {"traces.content", boolean(), nullptr, in(&Config::traces, &Traces::content),
       "Records the text of questions, answers and tools, too, and the names of resources."},
      {"log.level", choice({"debug", "info", "warning", "error"}), nullptr, in(&Config::log_level),
       "Least level of the lines on standard error."},
      {"log.format", choice({"auto", "text", "json", "journal"}), nullptr, in(&Config::log_format),
       "Form of these lines. `auto`: entries of the journal where standard error leads to it, JSON "
       "for `quarry serve` without a terminal, otherwise text."},
  };
}

/// Tables with members besides the rows: names of components, and their options.
constexpr const char* kOpenTables = R"json({
  "type": "object",
  "properties": {
    "embedding": {"type": "object", "additionalProperties": {
      "type": "object", "additionalProperties": {}}},
    "model": {"type": "object", "additionalProperties": {}},
    "pricing": {"type": "object", "additionalProperties": {
      "type": "object", "additionalProperties": {}}},
    "rerank": {"type": "object", "additionalProperties": {
      "type": "object", "additionalProperties": {}}},
    "resource_type": {"type": "object", "additionalProperties": {
      "type": "object", "additionalProperties": {}}},
    "store": {"type": "object", "additionalProperties": {}},
    "transport": {"type": "object", "additionalProperties": {
      "type": "object", "additionalProperties": {}}}
  }
})json";

/// "untrusted" of the members common to all resources. Those of a type are in its plugin's schema.
constexpr std::pair<const char*, const char*> kOpenMembers[] = {
    {"type", "plain"}, {"name", "new"}, {"refresh", "plain"}, {"refreshInBackground", "plain"}};

Json resource_schema() {
  Json out = *parse_json(kResourceSchema);
  for (const auto& [name, rule] : kOpenMembers) out["properties"][name]["untrusted"] = rule;
  return {{"type", "array"}, {"items", std::move(out)}};
}

/// Adds a row to the schema. A table [model.<name>] is told from an option of the provider by its
/// members, which no schema can say: check_model_instances().
void add_to_schema(const Key& key, Json& schema) {
  if (key.name.starts_with("model.<name>.")) return;
  Json* at = &schema;
  const auto parts = split(key.name, '.');
  for (std::size_t i = 0; i < parts.size(); ++i) {
    at = parts[i] == "<name>" ? &(*at)["additionalProperties"]
                              : &(*at)["properties"][std::string(parts[i])];
    if (i + 1 < parts.size()) (*at)["type"] = "object";
  }
  *at = key.schema;
}

}  // namespace

const std::vector<Key>& own_keys() {
  static const std::vector<Key> keys = [] {
    std::vector<Key> out;
    Config unset;
    for (Row& row : rows()) out.push_back(key_of(std::move(row), unset));
    return out;
  }();
  return keys;
}

const Json& whole_schema() {
  static const Json schema = [] {
    Json out = *parse_json(kOpenTables);
    for (const Key& key : own_keys()) add_to_schema(key, out);
    out["properties"]["resource"] = resource_schema();
    return out;
  }();
  return schema;
}

std::optional<std::string> read_key(const Key& key, const Json& value, Config& config) {
  return assign(value, key.member(config));
}

std::string pointer_of(std::string_view name) {
  std::string out;
  for (const std::string_view part : split(name, '.')) out = child_pointer(out, part);
  return out;
}

}  // namespace quarry::config
