#include "catalogue.h"

#include <nlohmann/json.hpp>

namespace quarry::mcp {

Answer no_such_resource(Era era, std::string_view uri) {
  constexpr int kLegacyNotFound = -32002;  // until 2025-11-25
  const int code = era == Era::kModern ? kInvalidParams : kLegacyNotFound;
  return Answer::failed(code, "there is no such resource", "{\"uri\":" + json_string(uri) + "}");
}

void Catalogue::list_resources(std::shared_ptr<Call> call) {
  call->answer(Answer::of(R"({"resources":[]})"));
}

void Catalogue::read_resource(std::shared_ptr<Call> call, const std::string& uri) {
  call->answer(no_such_resource(call->era(), uri));
}

void Catalogue::list_templates(std::shared_ptr<Call> call) {
  call->answer(Answer::of(R"({"resourceTemplates":[]})"));
}

void Catalogue::list_prompts(std::shared_ptr<Call> call) {
  call->answer(Answer::of(R"({"prompts":[]})"));
}

void Catalogue::get_prompt(std::shared_ptr<Call> call, const std::string& name, const Json&) {
  call->answer(Answer::failed(kInvalidParams, "there is no prompt " + name));
}

void Catalogue::complete(std::shared_ptr<Call> call) {
  call->answer(Answer::of(R"({"completion":{"values":[]}})"));
}

}  // namespace quarry::mcp
