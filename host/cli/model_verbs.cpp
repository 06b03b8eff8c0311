#include "base/json.h"
#include "cli/connection.h"
#include "cli/text_table.h"
#include "cli/verbs.h"

#include <algorithm>
#include <array>
#include <memory>

#include <nlohmann/json.hpp>

namespace quarry::cli {
namespace {

struct ModelOptions {
  std::string model;  ///< "provider" or "provider/model"
  NamedValues options;
};

/// One line of `quarry models`.
struct Row {
  int rank;  ///< smaller ones come first
  std::array<std::string, 4> cells;
};

/// Position of `id` in `fallbacks`, from 1; 0 if absent.
int fallback_place(const Json& fallbacks, const std::string& id) {
  for (std::size_t i = 0; i < fallbacks.size(); ++i) {
    if (fallbacks[i].value("provider", "") == id) return static_cast<int>(i + 1);
  }
  return 0;
}

std::string provider_state(const Json& provider) {
  if (!provider.value("reachable", false)) return provider.value("reason", "cannot be reached");
  const std::size_t count = provider.value("models", Json::array()).size();
  if (count == 0) return "ready";
  return "ready, " + std::to_string(count) + (count == 1 ? " model" : " models");
}

Row row_of(const Json& provider, const Json& chosen, const Json& fallbacks) {
  const std::string id = provider.value("id", "");
  const bool is_chosen = chosen.is_object() && chosen.value("provider", "") == id;
  const int place = fallback_place(fallbacks, id);
  Row row{is_chosen                            ? 0
          : place > 0                          ? place
          : provider.value("reachable", false) ? 1000
                                               : 1001,
          {is_chosen ? "*" : "", id, provider.value("model", ""), provider_state(provider)}};
  if (is_chosen) row.cells[2] = chosen.value("model", "");
  if (!is_chosen && place > 0) {
    row.cells[2] = fallbacks[static_cast<std::size_t>(place) - 1].value("model", "");
    row.cells[3] = "fallback " + std::to_string(place) + ", " + row.cells[3];
  }
  return row;
}

std::vector<Row> rows_of(const Json& list) {
  const Json chosen = list.value("chosen", Json());
  const Json fallbacks = list.value("fallbacks", Json::array());
  std::vector<Row> rows;
  for (const Json& provider : list.value("providers", Json::array())) {
    rows.push_back(row_of(provider, chosen, fallbacks));
  }
  std::ranges::stable_sort(rows, {}, &Row::rank);
  rows.insert(rows.begin(), {-1, {"", "provider", "model", "state"}});
  return rows;
}

void print(Terminal& terminal, const std::vector<Row>& rows) {
  std::vector<std::vector<std::string>> cells;
  for (const Row& row : rows) {
    const auto& [mark, provider, model, state] = row.cells;
    cells.push_back({(mark.empty() ? " " : mark) + " " + provider, model, state});
  }
  terminal.out(text_table(cells, {false, false, false}));
}

/// Parses JSON numbers, true, false, lists and objects; other texts are strings.
Json option_value(const std::string& text) {
  auto value = parse_json(text);
  return value ? std::move(*value) : Json(text);
}

Json choice_of(const ModelOptions& wanted) {
  const std::size_t slash = std::min(wanted.model.find('/'), wanted.model.size());
  Json options = Json::object();
  for (const auto& [name, value] : wanted.options) options[name] = option_value(value);
  return {{"provider", wanted.model.substr(0, slash)},
          {"model", slash == wanted.model.size() ? "" : wanted.model.substr(slash + 1)},
          {"providerOptions", std::move(options)}};
}

Result<ExitCode> run_models(Context& context) {
  const auto list = call_engine(context, "models.list", Json::object());
  if (!list) return list.error();
  if (!context.common.json) print(context.terminal, rows_of(*list));
  return ExitCode::kOk;
}

Result<ExitCode> run_models_use(const ModelOptions& wanted, Context& context) {
  const auto answer = call_engine(context, "models.select", choice_of(wanted));
  if (!answer) return answer.error();
  if (context.common.json) return ExitCode::kOk;
  const std::string model = answer->value("model", "");
  context.terminal.out_line("using " + answer->value("provider", "") +
                            (model.empty() ? "" : "/" + model) + ", saved to " +
                            answer->value("savedTo", ""));
  if (answer->contains("hint")) context.terminal.note("hint: " + answer->value("hint", ""));
  return ExitCode::kOk;
}

}  // namespace

Verb models_verb(CommonOptions& common) {
  return {"models", "List the models, and why some are not usable", with_server(common),
          run_models};
}

Verb models_use_verb(CommonOptions& common) {
  const auto wanted = std::make_shared<ModelOptions>();
  return {
      "models use", "Use this model from now on",
      with_server(common, {{"model",
                            "PROVIDER[/MODEL]",
                            "A provider or a named model, or one of its models as in openai/gpt-x",
                            &wanted->model,
                            {.required = true}},
                           {"-o,--option", "NAME=VALUE",
                            "Set an option of the provider, as in base_url=…", &wanted->options}}),
      [wanted](Context& context) { return run_models_use(*wanted, context); }};
}

}  // namespace quarry::cli
