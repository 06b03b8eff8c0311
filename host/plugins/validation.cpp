#include "plugins/validation.h"

#include "base/file.h"
#include "base/json_writer.h"
#include "base/printable.h"
#include "plugins/component_schema.h"
#include "plugins/compose.h"
#include "plugins/module.h"
#include "plugins/plugin_files.h"

#include <quarry/resource.h>

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

namespace quarry::plugins {
namespace {

/// Results of the checks that passed, for those that follow.
struct Subject {
  const std::filesystem::path& path;
  const LoadCheck& load;
  std::optional<Manifest>& manifest;
  std::optional<PrivateCopy> copy = {};
  MappedFile mapped = {};
  std::vector<std::string> exported = {};
};

template <class Value, class Place>
Status keep(Result<Value> result, Place& place) {
  if (!result) return std::move(result.error());
  place = std::move(*result);
  return {};
}

Status check_manifest(Subject& subject) {
  auto manifest = read_manifest(subject.path);
  if (!manifest) return std::move(manifest.error());
  subject.manifest.emplace(std::move(*manifest));
  return {};
}

Status check_contract(Subject& subject) {
  const Manifest& manifest = *subject.manifest;
  return check_compatible(manifest.id, manifest.built_for, manifest.minimum);
}

using SchemaRule = Status (*)(const Json& schema);

Status check_schema_file(const Manifest& manifest, const std::string& file, SchemaRule rule) {
  const auto schema = read_schema(manifest, file);
  if (!schema) return Error(schema.error()).in(compose("plugin {}", manifest.id));
  if (schema->is_null()) return {};
  auto usable = rule(*schema);
  if (usable) return {};
  return std::move(usable.error()).in(compose("plugin {}: {}", manifest.id, file));
}

Status check_schemas(Subject& subject) {
  for (const auto& component : subject.manifest->components) {
    const bool is_resource = component.kind == QUARRY_RESOURCE;
    const std::pair<const std::string&, SchemaRule> files[] = {
        {component.schema_file, is_resource ? check_fields_schema : check_usable_schema},
        {component.configuration_schema_file, check_table_schema}};
    for (const auto& [file, rule] : files) {
      auto checked = check_schema_file(*subject.manifest, file, rule);
      if (checked) continue;
      if (checked.error().hint.empty()) {
        checked.error().hint = "correct the file, or the manifest's name for it";
      }
      return checked;
    }
  }
  return {};
}

Status check_file_digest(Subject& subject) {
  auto copy = copy_file(*subject.manifest);
  if (!copy) return std::move(copy.error());
  subject.copy.emplace(std::move(*copy));
  auto mapped = keep(MappedFile::open(subject.copy->path()), subject.mapped);
  return mapped ? check_digest(*subject.manifest, subject.mapped.bytes()) : mapped;
}

Status check_whole(Subject& subject) {
  auto unpacked = unpack_file(*subject.manifest, std::move(*subject.copy));
  if (!unpacked) return std::move(unpacked.error());
  auto mapped = keep(MappedFile::open(unpacked->path()), subject.mapped);
  if (!mapped) return mapped;
  subject.copy.emplace(std::move(*unpacked));
  return keep(exports_of(*subject.manifest, subject.mapped.bytes()), subject.exported);
}

Status check_symbols(Subject& subject) {
  return check_exports(*subject.manifest, subject.exported);
}

Status check_load(Subject& subject) {
  return subject.load(*subject.manifest);
}

struct Check {
  std::string_view name;
  std::string_view sentence;
  Status (*run)(Subject&);
};

// Names are stable: scripts and documents refer to them.
constexpr Check kChecks[] = {
    {"manifest-complete", "the manifest is complete", check_manifest},
    {"contract-supported", "this host offers the contract that it needs", check_contract},
    {"schemas-valid", "the schema files that it names are JSON Schemas", check_schemas},
    {"digest-matches", "the file has the manifest's digest", check_file_digest},
    {"file-whole", "the file is a whole shared object for this machine", check_whole},
    {"entry-exported-alone", "the file exports its entry and nothing else", check_symbols},
    {"loads-and-agrees", "it loads, and its entry agrees with the manifest", check_load},
};

std::string_view word(CheckOutcome outcome) {
  switch (outcome) {
    case CheckOutcome::kPass:
      return "pass";
    case CheckOutcome::kFail:
      return "FAIL";
    case CheckOutcome::kSkip:
      break;
  }
  return "skip";
}

std::string line(const CheckResult& check) {
  constexpr std::size_t kIndent = 6;
  std::string out = compose("{}  {}: {}\n", word(check.outcome), check.name, check.sentence);
  if (!check.error) return out;
  for (const auto& text : {check.error->message, check.error->hint}) {
    if (!text.empty()) out += std::string(kIndent, ' ') + printable_indented(text, kIndent) + "\n";
  }
  return out;
}

void write(JsonWriter& json, const CheckResult& check) {
  json.object([&] {
    json.member("name", check.name).member("sentence", check.sentence);
    json.member("outcome", check.outcome == CheckOutcome::kFail ? "fail" : word(check.outcome));
    if (check.error) json.member("message", check.error->message).member("hint", check.error->hint);
  });
}

}  // namespace

bool Validation::passed() const {
  return std::ranges::find(checks, CheckOutcome::kFail, &CheckResult::outcome) == checks.end();
}

Status Validation::status() const {
  const auto failed = std::ranges::find(checks, CheckOutcome::kFail, &CheckResult::outcome);
  return failed == checks.end() ? Status() : Status(*failed->error);
}

std::string Validation::text() const {
  std::string out;
  for (const auto& check : checks) out += line(check);
  return out;
}

std::string Validation::json() const {
  return quarry::json_object([&](JsonWriter& json) {
    json.member("manifest", path.string()).member("passed", passed());
    json.array("checks", [&] {
      for (const auto& check : checks) write(json, check);
    });
  });
}

std::filesystem::path manifest_path(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored) ? path / kManifestFile : path;
}

Validation validate(const std::filesystem::path& path, const LoadCheck& load) {
  Validation out{.path = manifest_path(path), .manifest = {}, .checks = {}};
  Subject subject{.path = out.path, .load = load, .manifest = out.manifest};
  for (const auto& [name, sentence, run] : kChecks) {
    auto& result = out.checks.emplace_back(CheckResult{.name = name, .sentence = sentence});
    const bool runs_code = run == check_load;
    if (!out.passed() || (runs_code && !load)) continue;
    const auto checked = run(subject);
    result.outcome = checked ? CheckOutcome::kPass : CheckOutcome::kFail;
    if (!checked) result.error = checked.error();
  }
  return out;
}

}  // namespace quarry::plugins
