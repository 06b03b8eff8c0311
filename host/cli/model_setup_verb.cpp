#include "base/json.h"
#include "base/text.h"
#include "cli/confirm.h"
#include "cli/connection.h"
#include "cli/text_table.h"
#include "cli/verbs.h"

#include <algorithm>
#include <memory>

#include <nlohmann/json.hpp>

namespace quarry::cli {
namespace {

struct ModelSetupOptions {
  std::string model;  ///< "provider" or "provider/model"; empty for the first that is found
  bool write = false;
};

/// A provider, as models.list describes it, whose server answers or whose keys are set.
struct FoundProvider {
  std::string id;
  std::string model;  ///< used if none is named; may be empty
  std::size_t models = 0;
  std::string address;
  std::vector<std::string> keys;
  std::string refusal;  ///< why it cannot be asked in spite of that; may be empty
  bool local = false;   ///< costs nothing

  [[nodiscard]] bool can_be_asked() const { return refusal.empty() && !model.empty(); }
};

FoundProvider read_provider(const Json& row) {
  FoundProvider out;
  out.id = row.value("id", "");
  out.model = row.value("model", "");
  out.models = row.value("models", Json::array()).size();
  out.address = row.value("address", "");
  out.keys = row.value("keys", std::vector<std::string>());
  out.local = row.value("local", false);
  if (!row.value("reachable", false)) out.refusal = row.value("reason", "it cannot be reached");
  return out;
}

/// Those of this machine come first, since they cost nothing.
std::vector<FoundProvider> found_providers(const Json& list) {
  const auto connected = list.value("connected", std::vector<std::string>());
  std::vector<FoundProvider> out;
  for (const Json& row : list.value("providers", Json::array())) {
    FoundProvider provider = read_provider(row);
    const bool has_key = !provider.keys.empty() && std::ranges::count(connected, provider.id) > 0;
    const bool has_server = !provider.address.empty() && provider.refusal.empty();
    if (has_key || has_server) out.push_back(std::move(provider));
  }
  std::ranges::stable_sort(out, std::greater<>(), &FoundProvider::local);
  return out;
}

std::string description_of(const FoundProvider& provider) {
  std::string out =
      provider.keys.empty() ? "at " + provider.address : join(provider.keys, ", ") + " is set";
  if (!provider.refusal.empty()) return out + ", but: " + provider.refusal;
  if (provider.model.empty()) return out + ", but it has no model";
  if (provider.models > 1) out += ", " + std::to_string(provider.models) + " models";
  return out + (provider.local ? ", costs nothing" : "");
}

void print_found(Terminal& terminal, const std::vector<FoundProvider>& found) {
  std::vector<std::vector<std::string>> rows{{"provider", "model", "found"}};
  for (const FoundProvider& each : found) {
    rows.push_back({each.id, each.model, description_of(each)});
  }
  terminal.out(text_table(rows, {false, false, false}));
}

/// What was looked for: addresses of servers, variables of keys.
std::string places_of(const Json& list) {
  std::vector<std::string> places;
  for (const Json& row : list.value("providers", Json::array())) {
    const FoundProvider provider = read_provider(row);
    if (!provider.keys.empty()) {
      places.insert(places.end(), provider.keys.begin(), provider.keys.end());
    } else if (!provider.address.empty()) {
      places.push_back(provider.address);
    }
  }
  return join(places, ", ");
}

/// The provider and the model that `wanted` names, else the first that can be asked.
Result<std::pair<std::string, std::string>> wanted_choice(const std::string& wanted,
                                                          const Json& list,
                                                          const std::vector<FoundProvider>& found) {
  const std::size_t slash = std::min(wanted.find('/'), wanted.size());
  const std::string id = wanted.substr(0, slash);
  const auto at = std::ranges::find_if(found, [&](const FoundProvider& each) {
    return id.empty() ? each.can_be_asked() : each.id == id;
  });
  if (at != found.end()) {
    return std::pair(at->id, slash == wanted.size() ? at->model : wanted.substr(slash + 1));
  }
  return Error{Code::kNotFound,
               id.empty() ? "no model was found on this machine, and no key in the environment"
                          : "nothing of \"" + id + "\" was found",
               "Start a server, or set the variable of a key, and try again; looked for " +
                   places_of(list) + "."}
      .tagged("ProviderNotConnectedError");
}

std::string model_table(const std::string& provider, const std::string& model) {
  const Json name = model;
  return "[model]\nprovider = \"" + provider + "\"\n" +
         (model.empty() ? "" : "name = " + name.dump() + "\n");
}

/// Asks first where that is possible; without an answer only --write writes.
Result<bool> may_write(const ModelSetupOptions& options, Context& context,
                       const std::string& file) {
  if (options.write || !can_ask(context)) return options.write;
  return ask_yes(context, "Write it to " + file + "?");
}

Result<ExitCode> run_models_setup(const ModelSetupOptions& options, Context& context) {
  const auto config = config::load(config_sources(context.common));
  if (!config) return config.error();
  auto connection = connect(context);
  if (!connection) return std::move(connection).error();
  const auto listed = (*connection)->call("models.list", "{}");
  if (!listed) return listed.error();
  const auto list = parse_json(*listed);
  if (!list) return list.error();
  const auto found = found_providers(*list);
  if (!found.empty()) print_found(context.terminal, found);
  const auto choice = wanted_choice(options.model, *list, found);
  if (!choice) return choice.error();
  const auto& [provider, model] = *choice;
  const std::string file = config->writable_file.string();
  context.terminal.out("\n" + file + ":\n" + model_table(provider, model));
  const auto write = may_write(options, context, file);
  if (!write) return write.error();
  if (!*write) {
    context.terminal.note(
        "Nothing was written. To write it: --write. To choose another: quarry models setup "
        "PROVIDER/MODEL");
    return ExitCode::kOk;
  }
  const Json params = {{"provider", provider}, {"model", model}};
  const auto selected = (*connection)->call("models.select", to_text(params));
  if (!selected) return selected.error();
  const auto answer = parse_json(*selected);
  if (!answer) return answer.error();
  context.terminal.note("Written.");
  if (answer->contains("hint")) context.terminal.note("hint: " + answer->value("hint", ""));
  return ExitCode::kOk;
}

}  // namespace

Verb models_setup_verb(CommonOptions&) {
  const auto options = std::make_shared<ModelSetupOptions>();
  return {"models setup",
          "Find models on this machine and keys in the environment, and set one up",
          {{"model", "PROVIDER[/MODEL]", "Use this one; default: the first that is found",
            &options->model},
           {"--write", "", "Write the configuration file without a question", &options->write}},
          [options](Context& context) { return run_models_setup(*options, context); }};
}

}  // namespace quarry::cli
