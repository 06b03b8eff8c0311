#pragma once

#include "ask/question.h"
#include "base/error.h"
#include "base/json.h"
#include "engine/joined_text.h"
#include "resources/library.h"

#include <string>
#include <string_view>
#include <vector>

namespace quarry::engine {

/// JSON Schema of the error of a row.
inline constexpr char kRowErrorSchema[] = R"json({
  "type": "object", "required": ["tag", "code", "message"],
  "properties": {"tag": {"type": "string"}, "code": {"type": "string"},
                 "message": {"type": "string"}, "hint": {"type": "string"}}})json";

/// The members of {"resources": [row, …]}, with rows of outcome_row(), in a JSON Schema.
inline constexpr auto kOutcomeRowsMembers = joined(R"json({
  "type": "object", "required": ["resources"],
  "properties": {"resources": {"type": "array", "items": {
    "type": "object", "required": ["name"],
    "properties": {
      "name": {"type": "string"}, "version": {"type": "string"}, "display": {"type": "string"},
      "changed": {"type": "boolean"}, "fetchedAt": {"type": "string"},
      "error": )json",
                                                   kRowErrorSchema, R"json(},
    "anyOf": [{"required": ["version", "display", "changed", "fetchedAt"]},
              {"required": ["error"]}]}})json");

/// JSON Schema of {"resources": [row, …]}.
inline constexpr auto kOutcomeRowsText = joined(kOutcomeRowsMembers, "}}");
inline constexpr std::string_view kOutcomeRowsSchema = kOutcomeRowsText.view();

/// `outcome`, with an error instead of a stale snapshot whose source could not be reached.
Result<resources::Prepared> current(Result<resources::Prepared> outcome);

/// Result row of one prepared resource: {"name", "version", "display", "changed",
/// "fetchedAt"}, or {"name", "error": {"tag", "code", "message", "hint"?}}.
Json outcome_row(const std::string& name, const Result<resources::Prepared>& outcome);

/// {"resources": [row, …]} of the resources of a request and their current() outcomes.
Json outcome_rows(const std::vector<ask::WantedResource>& wanted,
                  std::vector<Result<resources::Prepared>> outcomes);

}  // namespace quarry::engine
