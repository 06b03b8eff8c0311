#include "model-example/decoder.h"
#include "model-example/request.h"
#include "model_http/json_text.h"
#include "provider_schema.h"

#include <quarry/plugin.hpp>

#include <cstdlib>

namespace {

using namespace quarry::example;
using Json = nlohmann::json;
using quarry::Outcome;
using quarry::model_http::ChatRequest;
using quarry::model_http::Settings;

class Example {
 public:
  using Exchange = quarry::model_http::Exchange;

  Example(quarry::Host host, Settings settings, Options options)
      : host_(host), settings_(std::move(settings)), options_(std::move(options)) {}

  static Outcome<std::unique_ptr<Example>> create(quarry::Host host,
                                                  std::string_view configuration) {
    auto settings = Settings::read(
        configuration, {"https://api.example.com", "EXAMPLE_API_KEY", "EXAMPLE_BASE_URL"},
        std::getenv);
    if (!settings) return settings.failure();
    auto options = Options::read(settings->options);
    if (!options) return options.failure();
    return std::make_unique<Example>(host, std::move(*settings), std::move(*options));
  }

  std::string describe() {
    return Json{{"title", "Example"},
                {"needs", settings_.needs()},
                {"local", false},
                {"endpoint", settings_.base_url},
                {"schema", Json::parse(quarry::model_http::kSchema)}}
        .dump();
  }

  Outcome<std::unique_ptr<Exchange>> begin(std::string_view chat_request) {
    const auto chat = ChatRequest::read(chat_request);
    if (!chat) return chat.failure();
    return std::make_unique<Exchange>(request_of(settings_, options_, *chat),
                                      quarry::model_http::Framing::kLines,
                                      std::make_unique<Decoder>());
  }

  Outcome<std::string> models(const quarry::Call& call) {
    const auto listed = quarry::model_http::get_json(host_, call, settings_.base_url + "/models",
                                                     key_of(settings_));
    if (!listed) return listed.failure();
    Json models = Json::array();
    for (const Json& id : quarry::model_http::member(*listed, "models")) {
      if (id.is_string()) models.push_back(Json{{"id", id}});
    }
    return Json{{"models", std::move(models)}}.dump();
  }

 private:
  const quarry::Host host_;
  const Settings settings_;
  const Options options_;
};

}  // namespace

QUARRY_PLUGIN("io.quarry.model-example", QUARRY_VERSION, quarry::model<Example>("example"))
