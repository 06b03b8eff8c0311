#include "model-extractive/answerer.h"

#include <quarry/plugin.hpp>

#include <nlohmann/json.hpp>

namespace {

using Json = nlohmann::json;

/// The answerer as a model provider in the generate form.
class Extractive {
 public:
  std::string describe() {
    return R"({"title":"Extractive answers, without a model","needs":[],"local":true,)"
           R"("defaultModel":"extractive",)"
           R"("schema":{"type":"object","properties":{},"additionalProperties":false}})";
  }

  void generate(const quarry::Call& call, std::string_view chat_request, quarry::ModelSink& sink) {
    const auto step = quarry::extractive::next_step(Json::parse(chat_request));
    for (std::uint32_t i = 0; i < step.calls.size(); ++i) {
      if (!sink.tool_call(i, {}, step.calls[i].name, step.calls[i].arguments)) return;
    }
    for (const std::string& paragraph : step.paragraphs) {
      if (call.over() || !sink.text(paragraph)) return;
    }
    sink.finish(step.calls.empty() ? QUARRY_FINISH_STOP : QUARRY_FINISH_TOOL_CALLS);
  }

  std::string models(const quarry::Call&) { return R"({"models":[{"id":"extractive"}]})"; }
};

}  // namespace

QUARRY_PLUGIN("io.quarry.model-extractive", QUARRY_VERSION, quarry::model<Extractive>("extractive"))
