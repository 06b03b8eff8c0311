#include "engine/outcome_rows.h"

#include "base/code_names.h"
#include "base/time_text.h"

#include <nlohmann/json.hpp>

namespace quarry::engine {
namespace {

Json error_json(const Error& error) {
  Json out = {{"tag", error.tag}, {"code", name_of(error.code)}, {"message", error.message}};
  if (!error.hint.empty()) out["hint"] = error.hint;
  return out;
}

}  // namespace

Result<resources::Prepared> current(Result<resources::Prepared> outcome) {
  if (!outcome || outcome->stale.empty()) return outcome;
  return Error{Code::kUnavailable, outcome->stale, "Try again when the source can be reached."}
      .tagged("CollectionError");
}

Json outcome_row(const std::string& name, const Result<resources::Prepared>& outcome) {
  if (!outcome) return {{"name", name}, {"error", error_json(outcome.error())}};
  return {{"name", name},
          {"version", outcome->version},
          {"display", outcome->display},
          {"changed", outcome->fetched},
          {"fetchedAt", rfc3339(outcome->fetched_at)}};
}

Json outcome_rows(const std::vector<ask::WantedResource>& wanted,
                  std::vector<Result<resources::Prepared>> outcomes) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    rows.push_back(outcome_row(wanted[i].resource["name"], current(std::move(outcomes[i]))));
  }
  return {{"resources", std::move(rows)}};
}

}  // namespace quarry::engine
