#include "engine/params.h"

#include <nlohmann/json.hpp>

namespace quarry::engine {
namespace {

constexpr std::string_view kPrincipalSchema = R"json({
  "type": "object", "required": ["token"],
  "properties": {
    "token": {"type": "string", "minLength": 1, "maxLength": 128},
    "project": {"type": ["string", "null"], "maxLength": 128}
  }
})json";

}  // namespace

Json schema_of(const ParamsRule& rule) {
  Json schema = rule.schema.empty() ? Json({{"type", "object"}}) : *parse_json(rule.schema);
  if (rule.principal == PrincipalMember::kNone) return schema;
  schema["properties"]["principal"] = *parse_json(kPrincipalSchema);
  if (rule.principal == PrincipalMember::kRequired) schema["required"].push_back("principal");
  return schema;
}

void ParamsCheck::compile() const {
  schema_ = *Schema::compile(schema_of(rule_));
  may_be_empty_ = schema_->check(Json::object(), Schema::Unknown::kIgnore).empty();
}

Result<Json> ParamsCheck::read(std::string_view params) const {
  if (rule_.schema.empty()) return Json::object();
  std::call_once(compiled_, [this] { compile(); });
  if (may_be_empty_ && params == "{}") return Json::object();
  auto value = parse_json(params);
  if (!value) return std::move(value).error().in("the body").tagged("RequestError");
  if (rule_.from_models) schema_->coerce(*value);
  auto mistakes = schema_->check(*value, Schema::Unknown::kIgnore);
  if (!mistakes.empty()) return invalid(rule_.mistake, rule_.tag, std::move(mistakes));
  return value;
}

}  // namespace quarry::engine
