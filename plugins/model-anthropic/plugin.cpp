#include "model-anthropic/decoder.h"
#include "model-anthropic/model_list.h"
#include "model-anthropic/request.h"

#include <quarry/plugin.hpp>

#include <cstdlib>

namespace {

using Json = nlohmann::json;
using quarry::Failure;
using quarry::Outcome;
using quarry::anthropic::Options;
using quarry::model_http::ChatRequest;
using quarry::model_http::Settings;

constexpr const char* kKey = "ANTHROPIC_API_KEY";
constexpr const char* kDefaultModel = "claude-haiku-4-5";

class Anthropic {
 public:
  using Exchange = quarry::model_http::Exchange;

  Anthropic(quarry::Host host, Settings settings) : host_(host), settings_(std::move(settings)) {}

  static Outcome<std::unique_ptr<Anthropic>> create(quarry::Host host,
                                                    std::string_view configuration) {
    auto settings = Settings::read(
        configuration, {"https://api.anthropic.com", kKey, "ANTHROPIC_BASE_URL"}, std::getenv);
    if (!settings) return settings.failure();
    if (const auto options = Options::read(settings->options); !options) return options.failure();
    return std::make_unique<Anthropic>(host, std::move(*settings));
  }

  std::string describe() {
    Json out = {{"title", "Anthropic"},
                {"schema", quarry::anthropic::schema()},
                {"needs", settings_.needs()},
                {"local", false},
                {"endpoint", settings_.base_url}};
    if (settings_.at_home) out["vendor"] = "anthropic";
    if (settings_.at_home || settings_.secret == kKey) out["defaultModel"] = kDefaultModel;
    return out.dump();
  }

  Outcome<std::unique_ptr<Exchange>> begin(std::string_view chat_request) {
    auto chat = ChatRequest::read(chat_request);
    if (!chat) return chat.failure();
    const auto options = Options::read(options_with(chat->options));
    if (!options) return options.failure();
    return std::make_unique<Exchange>(quarry::anthropic::request_of(settings_, *chat, *options),
                                      quarry::model_http::Framing::kEvents,
                                      std::make_unique<quarry::anthropic::Decoder>());
  }

  Outcome<std::string> models(const quarry::Call& call) {
    const auto options = Options::read(settings_.options);
    if (!options) return options.failure();
    auto headers = quarry::anthropic::headers_of(settings_);
    options->common.add_headers_to(headers);
    const auto answer = quarry::model_http::get_json(
        host_, call, quarry::anthropic::url_of(settings_, "models?limit=1000"), std::move(headers));
    if (!answer) return answer.failure();
    return quarry::anthropic::models_of(*answer, kDefaultModel).dump();
  }

 private:
  /// The configured options, overridden by those of one question; the address cannot be overridden.
  Json options_with(const Json& of_question) const {
    Json out = settings_.options;
    out.update(of_question);
    out.erase("base_url");
    out.erase("api_key");
    return out;
  }

  const quarry::Host host_;
  const Settings settings_;
};

}  // namespace

QUARRY_PLUGIN("io.quarry.model-anthropic", QUARRY_VERSION, quarry::model<Anthropic>("anthropic"))
