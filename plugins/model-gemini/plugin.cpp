#include "model-gemini/decoder.h"
#include "model-gemini/model_list.h"
#include "model-gemini/request.h"
#include "model_http/json_text.h"
#include "provider_schema.h"

#include <quarry/percent.hpp>
#include <quarry/plugin.hpp>

#include <cstdlib>

namespace {

using Json = nlohmann::json;
using quarry::Failure;
using quarry::Outcome;
using quarry::model_http::ChatRequest;
using quarry::model_http::RequestOptions;
using quarry::model_http::Settings;

constexpr const char* kHome = "https://generativelanguage.googleapis.com";
constexpr const char* kDefaultModel = "gemini-flash-latest";
constexpr int kMostPages = 20;

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

class Gemini {
 public:
  using Exchange = quarry::model_http::Exchange;

  Gemini(quarry::Host host, Settings settings, RequestOptions options)
      : host_(host), settings_(std::move(settings)), options_(std::move(options)) {}

  static Outcome<std::unique_ptr<Gemini>> create(quarry::Host host,
                                                 std::string_view configuration) {
    const bool other_key = !is_set("GEMINI_API_KEY") && is_set("GOOGLE_API_KEY");
    const quarry::model_http::Home home{kHome, other_key ? "GOOGLE_API_KEY" : "GEMINI_API_KEY",
                                        "GOOGLE_GEMINI_BASE_URL"};
    auto settings = Settings::read(configuration, home, std::getenv);
    if (!settings) return settings.failure();
    auto options = RequestOptions::take((*settings).options);
    if (!options) return options.failure();
    if (auto unknown = quarry::model_http::unknown_member(settings->options)) return *unknown;
    return std::make_unique<Gemini>(host, std::move(*settings), std::move(*options));
  }

  std::string describe() {
    Json out = {{"title", "Google Gemini"},
                {"needs", settings_.needs()},
                {"local", false},
                {"endpoint", settings_.base_url},
                {"schema", Json::parse(quarry::model_http::kSchema)}};
    if (settings_.at_home) {
      out["vendor"] = "google";
      out["defaultModel"] = kDefaultModel;
    }
    return out.dump();
  }

  Outcome<std::unique_ptr<Exchange>> begin(std::string_view chat_request) {
    const auto chat = ChatRequest::read(chat_request);
    if (!chat) return chat.failure();
    return std::make_unique<Exchange>(quarry::gemini::request_of(settings_, options_, *chat),
                                      quarry::model_http::Framing::kEvents,
                                      std::make_unique<quarry::gemini::Decoder>());
  }

  Outcome<std::string> models(const quarry::Call& call) {
    Json models = Json::array();
    const std::string url = quarry::gemini::url_of(settings_, "models?pageSize=1000");
    std::vector<quarry::HttpHeader> headers = quarry::gemini::key_of(settings_);
    options_.add_headers_to(headers);
    std::string next;
    for (int page = 0; page < kMostPages; ++page) {
      const auto answer = quarry::model_http::get_json(
          host_, call,
          next.empty() ? url : url + "&pageToken=" + quarry::to_percent_encoded(next, "/"),
          headers);
      if (!answer) return answer.failure();
      quarry::gemini::add_models(*answer, models);
      next = quarry::model_http::text_member(*answer, "nextPageToken");
      if (next.empty()) break;
    }
    quarry::gemini::put_first(kDefaultModel, models);
    return Json{{"models", std::move(models)}}.dump();
  }

 private:
  const quarry::Host host_;
  const Settings settings_;
  const RequestOptions options_;
};

}  // namespace

QUARRY_PLUGIN("io.quarry.model-gemini", QUARRY_VERSION, quarry::model<Gemini>("gemini"))
