#include "plugins/read_value.h"

#include "base/schema.h"
#include "plugins/compose.h"

#include <quarry/limits.h>

#include <map>
#include <mutex>

#include <nlohmann/json.hpp>

namespace quarry::plugins {
namespace {

static_assert(kMaxJsonDepth == QUARRY_LIMIT_JSON_LEVELS);

/// Compiles the schema on its first use.
const Schema& schema_of(const ValueText& value) {
  static std::mutex mutex;
  static std::map<const ValueText*, Schema> compiled;
  const std::lock_guard lock(mutex);
  const auto found = compiled.find(&value);
  if (found != compiled.end()) return found->second;
  return compiled.emplace(&value, compiled_schema(value.schema)).first->second;
}

}  // namespace

Result<Json> read_value(const ValueText& value, Result<std::string> reply) {
  if (!reply) return std::move(reply.error());
  auto json = parse_json(*reply);
  if (!json) {
    return Error(Code::kInternal, "the plugin's reply is not JSON: " + json.error().message);
  }
  const auto mistakes = schema_of(value).check(*json, Schema::Unknown::kIgnore);
  if (mistakes.empty()) return json;
  const auto& [field, message] = mistakes.front();
  return Error(Code::kInternal, compose("the plugin's reply does not follow the schema {}: {}{}",
                                        value.name, field.empty() ? "it " : field + " ", message));
}

}  // namespace quarry::plugins
