#include "cli/doctor/engine_checks.h"

#include "cli/config_check.h"
#include "config/check.h"

#include <algorithm>
#include <set>
#include <utility>

#include <nlohmann/json.hpp>

namespace quarry::cli {
namespace {

/// The value of a method, or the fault that it failed with.
Json value_of(Connection& engine, const std::string& method, Findings& out) {
  const auto value = engine.call(method, "{}");
  if (value) return *parse_json(*value);
  out.push_back(fault_of(value.error()));
  return {};
}

std::string name_of(const Json& choice) {
  const std::string model = choice.value("model", "");
  return choice.value("provider", "") + (model.empty() ? "" : "/" + model);
}

}  // namespace

Finding fault_of(const Error& error) {
  std::string cause = error.message;
  for (std::size_t i = 1; i < error.details.size(); ++i) {
    cause += "; " + error.details[i].field + ": " + error.details[i].message;
  }
  return fault(std::move(cause), error.hint);
}

Findings check_configuration(config::Inspection read, const plugins::Found& found,
                             const std::vector<Error>& plugin_problems) {
  const CheckReport report = check(std::move(read), found);
  Findings out;
  for (const config::Mistake& mistake : report.mistakes) {
    Error one = config::mistakes_error({mistake});
    out.push_back(fault_of(one));
    if (out.back().next.empty()) {
      out.back().next = "\"quarry config explain " + mistake.key + "\" tells what it may be.";
    }
  }
  for (const config::UnreadFile& file : report.unread) out.push_back(fault_of(file.error));
  for (const Error& problem : report.problems) out.push_back(fault_of(problem));
  for (const Error& problem : plugin_problems) {
    Finding one = fault_of(problem);
    // Both read the directories.
    if (std::ranges::count(out, one.cause, &Finding::cause) != 0) continue;
    if (one.next.empty()) one.next = "\"quarry plugins list\" shows what is installed.";
    out.push_back(std::move(one));
  }
  return out;
}

Findings check_models(Connection& engine, const config::Model& model) {
  Findings out;
  const Json list = value_of(engine, "models.list", out);
  if (!out.empty()) return out;
  const Json chosen = list.value("chosen", Json());
  std::set<std::string> asked;
  if (chosen.is_object()) asked.insert(chosen.value("provider", ""));
  if (model.provider != "auto") asked.insert(model.provider);
  for (const Json& fallback : list.value("fallbacks", Json::array())) {
    asked.insert(fallback.value("provider", ""));
  }
  for (const Json& provider : list.value("providers", Json::array())) {
    const std::string id = provider.value("id", "");
    if (!asked.contains(id) || provider.value("reachable", false)) continue;
    out.push_back(
        fault("the model provider \"" + id + "\" cannot be asked: " + provider.value("reason", ""),
              provider.value("hint", "")));
  }
  if (!chosen.is_object() && out.empty()) {
    out.push_back(fault("no model can be asked", "\"quarry models\" tells why."));
  }
  if (chosen.is_object() && !chosen.value("tools", true)) {
    out.push_back(fault(name_of(chosen) + " cannot call tools, and so cannot read the resources",
                        "Choose another: \"quarry models\" lists them."));
  }
  const bool is_limited = model.max_cost || model.monthly_budget;
  if (chosen.is_object() && is_limited && !model.allow_unpriced && !chosen.value("priced", true)) {
    out.push_back(fault("the price of " + name_of(chosen) +
                            " is not known, so that it is refused where money is limited",
                        "Set it, as in [pricing.static.\"" + name_of(chosen) +
                            "\"], or allow it: model.unpriced = \"allow\"."));
  }
  return out;
}

Findings check_store(Connection& engine) {
  Findings out;
  value_of(engine, "projects.list", out);
  return out;
}

}  // namespace quarry::cli
