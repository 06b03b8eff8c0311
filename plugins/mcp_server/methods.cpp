#include "methods.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

namespace quarry::mcp {
namespace {

enum class Eras { kLegacy, kModern, kBoth };

bool covers(Eras eras, Era era) {
  return eras == Eras::kBoth || (era == Era::kModern) == (eras == Eras::kModern);
}

Json capabilities_of(const Offer& offer, Era era) {
  // Only the streams of the modern era carry notifications of changes.
  const auto list = [era](bool changes) {
    Json capability = Json::object();
    if (changes && era == Era::kModern) capability["listChanged"] = true;
    return capability;
  };
  Json all{{"tools", list(offer.tools_change)}, {"resources", list(offer.resources_change)}};
  if (offer.resources_updated) all["resources"]["subscribe"] = true;
  if (offer.has_prompts) all["prompts"] = list(offer.prompts_change);
  if (offer.completes) all["completions"] = Json::object();
  if (era != Era::kModern) all["logging"] = Json::object();
  return all;
}

Json server_info(const Offer& offer) {
  return {{"name", offer.name}, {"title", offer.title}, {"version", offer.version}};
}

Answer missing(std::string_view what) {
  return Answer::failed(kInvalidParams, "params." + std::string(what) + " must be a string");
}

/// True for the ways in which clients write no arguments: null, empty text, and the empty list that
/// PHP makes of an empty map.
bool is_nothing(const Json& arguments) {
  return arguments.is_null() || arguments == Json(std::string()) ||
         (arguments.is_array() && arguments.empty());
}

/// `arguments` of the params, which may be the JSON text of an object, or a list of one; nothing if
/// it is none. Its members are the engine's to read. The text has the limits of a body: copies of
/// what is nested without end would overflow the stack.
std::optional<Json> arguments_of(const Json& params) {
  const Json* given = find(params, "arguments");
  if (given == nullptr || is_nothing(*given)) return Json::object();
  if (given->is_array() && given->size() == 1) given = &given->front();
  if (given->is_object()) return std::optional(*given);
  if (!given->is_string()) return std::nullopt;
  const ParsedJson parsed = parse_json(given->get_ref<const std::string&>());
  return parsed && parsed.value->is_object() ? std::optional(*parsed.value) : std::nullopt;
}

}  // namespace

struct Methods::Row {
  std::string_view name;
  Eras eras;
  void (Methods::*run)(const std::shared_ptr<Call>& call);
  bool Offer::*needs = nullptr;  // if set, the method exists only if this is true
};

const Methods::Row* Methods::find_row(std::string_view method, Era era, const Offer& offer) {
  // Clients before 2026-07-28 list prompts even if none are offered, so they get an empty list
  // instead of an error.
  static constexpr std::array<Row, 17> kRows{{
      {"tools/call", Eras::kBoth, &Methods::call_tool},
      {"tools/list", Eras::kBoth, &Methods::list_tools},
      {"initialize", Eras::kLegacy, &Methods::initialize},
      {"ping", Eras::kLegacy, &Methods::ping},
      {"logging/setLevel", Eras::kLegacy, &Methods::set_level},
      {"server/discover", Eras::kModern, &Methods::discover},
      {"resources/list", Eras::kBoth, &Methods::list_resources},
      {"resources/read", Eras::kBoth, &Methods::read_resource},
      {"resources/templates/list", Eras::kBoth, &Methods::list_templates},
      {"resources/subscribe", Eras::kLegacy, &Methods::watch_resource, &Offer::resources_updated},
      {"resources/unsubscribe", Eras::kLegacy, &Methods::watch_resource, &Offer::resources_updated},
      {"prompts/list", Eras::kLegacy, &Methods::list_prompts},
      {"prompts/list", Eras::kModern, &Methods::list_prompts, &Offer::has_prompts},
      {"prompts/get", Eras::kLegacy, &Methods::get_prompt},
      {"prompts/get", Eras::kModern, &Methods::get_prompt, &Offer::has_prompts},
      {"completion/complete", Eras::kBoth, &Methods::complete, &Offer::completes},
      {"subscriptions/listen", Eras::kModern, &Methods::listen},
  }};
  const auto row = std::ranges::find_if(kRows, [&](const Row& one) {
    return one.name == method && covers(one.eras, era) &&
           (one.needs == nullptr || offer.*one.needs);
  });
  return row == kRows.end() ? nullptr : &*row;
}

Methods::Methods(Catalogue& catalogue) : catalogue_(catalogue) {
  catalogue_.on_change([this](Change what) { listeners_.notify(what); });
}

void Methods::run(const std::shared_ptr<Call>& call, bool over_http) {
  const Message& message = call->message();
  const Row* const row = find_row(message.method, call->era(), catalogue_.offer());
  if (row == nullptr) {
    RpcError unknown{kMethodNotFound, "there is no method " + message.method};
    const int status = call->era() == Era::kModern ? 404 : 200;
    return call->answer(Answer::refused({status, std::move(unknown)}));
  }
  if (!call->params().is_object()) {
    return call->answer(Answer::refused({400, {kInvalidRequest, "params must be an object"}}));
  }
  if (call->era() == Era::kModern) {
    auto refused = check_modern(call->head(), message, over_http);
    if (refused) return call->answer(Answer::refused(std::move(*refused)));
  }
  (this->*row->run)(call);
}

void Methods::initialize(const std::shared_ptr<Call>& call) {
  const Json* const version = find(call->params(), "protocolVersion");
  if (version == nullptr || !version->is_string()) return call->answer(missing("protocolVersion"));
  const Offer& offer = catalogue_.offer();
  Json result{{"protocolVersion", negotiate(version->get<std::string>())},
              {"capabilities", capabilities_of(offer, Era::kLegacy)},
              {"serverInfo", server_info(offer)}};
  if (!offer.instructions.empty()) result["instructions"] = offer.instructions;
  call->answer(Answer::of(dump(result)));
}

void Methods::ping(const std::shared_ptr<Call>& call) {
  call->answer(Answer::of("{}"));
}

void Methods::set_level(const std::shared_ptr<Call>& call) {
  if (!rank_of_level(find_string(call->params(), "level"))) {
    return call->answer(
        Answer::failed(kInvalidParams, "params.level must be a level from debug to emergency"));
  }
  call->answer(Answer::of("{}"));
}

void Methods::discover(const std::shared_ptr<Call>& call) {
  const Offer& offer = catalogue_.offer();
  Json result{{"supportedVersions", Json::array({kModernVersion})},
              {"capabilities", capabilities_of(offer, Era::kModern)}};
  if (!offer.instructions.empty()) result["instructions"] = offer.instructions;
  call->answer(Answer::of(dump(result)));
}

void Methods::list_tools(const std::shared_ptr<Call>& call) {
  catalogue_.list_tools(call);
}

void Methods::call_tool(const std::shared_ptr<Call>& call) {
  const Json* const name = find(call->params(), "name");
  if (name == nullptr || !name->is_string()) return call->answer(missing("name"));
  const auto arguments = arguments_of(call->params());
  if (!arguments) {
    return call->answer(Answer::failed(kInvalidParams, "params.arguments must be an object"));
  }
  call->tool = name->get<std::string>();
  const auto properties = catalogue_.properties_of(call->tool);
  if (properties == nullptr) {
    return call->answer(
        Answer::failed(kInvalidParams, "there is no tool " + call->tool + "; tools/list has them"));
  }
  if (call->era() == Era::kModern) {
    auto refused = check_parameters(call->head(), *properties, *arguments);
    if (refused) return call->answer(Answer::refused(std::move(*refused)));
  }
  catalogue_.call_tool(call, call->tool, *arguments);
}

void Methods::list_resources(const std::shared_ptr<Call>& call) {
  catalogue_.list_resources(call);
}

void Methods::read_resource(const std::shared_ptr<Call>& call) {
  const Json* const uri = find(call->params(), "uri");
  if (uri == nullptr || !uri->is_string()) return call->answer(missing("uri"));
  catalogue_.read_resource(call, uri->get<std::string>());
}

void Methods::list_templates(const std::shared_ptr<Call>& call) {
  catalogue_.list_templates(call);
}

void Methods::watch_resource(const std::shared_ptr<Call>& call) {
  const Json* const uri = find(call->params(), "uri");
  if (uri == nullptr || !uri->is_string()) return call->answer(missing("uri"));
  call->answer(Answer::of("{}"));
}

void Methods::list_prompts(const std::shared_ptr<Call>& call) {
  catalogue_.list_prompts(call);
}

void Methods::get_prompt(const std::shared_ptr<Call>& call) {
  const Json* const name = find(call->params(), "name");
  if (name == nullptr || !name->is_string()) return call->answer(missing("name"));
  const auto arguments = arguments_of(call->params());
  if (!arguments) {
    return call->answer(Answer::failed(kInvalidParams, "params.arguments must be an object"));
  }
  catalogue_.get_prompt(call, name->get<std::string>(), *arguments);
}

void Methods::complete(const std::shared_ptr<Call>& call) {
  catalogue_.complete(call);
}

void Methods::listen(const std::shared_ptr<Call>& call) {
  const Json* const filter = find(call->params(), "notifications");
  if (filter == nullptr || !filter->is_object()) {
    return call->answer(Answer::failed(kInvalidParams, "params.notifications must be an object"));
  }
  listeners_.add(call, catalogue_.offer());
}

std::string render(const Call& call, const Answer& answer, const Offer& offer) {
  if (answer.error) return error_message(call.message().id, *answer.error);
  if (call.era() != Era::kModern || answer.typed) {
    return result_message(call.message().id, answer.result);
  }
  // Other callers may change the resources; lists about the server itself may be cached.
  const std::string& method = call.message().method;
  const bool stays =
      method == "tools/list" || method == "prompts/list" || method == "server/discover";
  std::string result = R"({"resultType":"complete","ttlMs":)";
  result += std::to_string(stays ? offer.list_lifetime.count() : 0);
  result += R"(,"cacheScope":"private","_meta":{)" + json_string(kMetaServerInfo) + ":" +
            dump(server_info(offer)) + "}";
  if (answer.result != "{}") result += ",";
  return result_message(call.message().id, result.append(answer.result, 1));
}

}  // namespace quarry::mcp
