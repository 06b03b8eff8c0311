#include "model-ollama/decoder.h"
#include "model-ollama/model_list.h"
#include "model-ollama/request.h"
#include "model_http/json_text.h"
#include "model_http/ollama_address.h"

#include <quarry/plugin.hpp>

#include <cstdlib>

namespace {

using namespace quarry::ollama;
using Json = nlohmann::json;
using quarry::Failure;
using quarry::Outcome;
using quarry::model_http::ChatRequest;
using quarry::model_http::kOllamaCloud;
using quarry::model_http::ollama_base_url;
using quarry::model_http::Settings;

// Further models are listed by name only.
constexpr std::size_t kMostDescribed = 32;

class Ollama {
 public:
  using Exchange = quarry::model_http::Exchange;

  Ollama(quarry::Host host, Settings settings, Options options)
      : host_(host), settings_(std::move(settings)), options_(std::move(options)) {}

  static Outcome<std::unique_ptr<Ollama>> create(quarry::Host host,
                                                 std::string_view configuration) {
    const char* variable = std::getenv("OLLAMA_HOST");
    const std::string own = ollama_base_url(variable == nullptr ? "" : variable);
    auto settings = Settings::read(configuration, {own, "", ""}, std::getenv);
    if (!settings) return settings.failure();
    auto options = Options::read(settings->options);
    if (!options) return options.failure();
    const bool in_cloud = settings->base_url == kOllamaCloud;
    if (in_cloud && settings->secret.empty()) (*settings).secret = "OLLAMA_API_KEY";
    if (!in_cloud && options->context_tokens == 0) {
      (*options).context_tokens = Options::kUsualContext;
    }
    return std::make_unique<Ollama>(host, std::move(*settings), std::move(*options));
  }

  std::string describe() {
    Json out = {{"title", "Ollama"},
                {"needs", settings_.needs()},
                {"local", settings_.secret.empty()},
                {"endpoint", settings_.base_url},
                {"schema", schema()}};
    if (settings_.base_url == kOllamaCloud) out["vendor"] = "ollama-cloud";
    return out.dump();
  }

  Outcome<std::unique_ptr<Exchange>> begin(std::string_view chat_request) {
    const auto chat = ChatRequest::read(chat_request);
    if (!chat) return chat.failure();
    return std::make_unique<Exchange>(request_of(settings_, options_, *chat),
                                      quarry::model_http::Framing::kLines,
                                      std::make_unique<Decoder>());
  }

  Outcome<std::string> models(const quarry::Call& call) {
    const auto tags =
        quarry::model_http::get_json(host_, call, settings_.base_url + "/api/tags", headers());
    if (!tags) return tags.failure();
    std::vector<Model> models = models_of(*tags);
    for (std::size_t i = 0; i < std::min(models.size(), kMostDescribed); ++i) {
      if (call.over()) return call.why();
      ask_about(models[i], call);
    }
    return list_of(models, options_.context_tokens);
  }

 private:
  [[nodiscard]] std::vector<quarry::HttpHeader> headers() const {
    std::vector<quarry::HttpHeader> out = key_of(settings_);
    options_.request.add_headers_to(out);
    return out;
  }

  /// Adds details of a model; without a response it stays unchanged.
  void ask_about(Model& model, const quarry::Call& call) const {
    quarry::HttpRequest request{"POST", settings_.base_url + "/api/show", headers(),
                                Json{{"model", model.id}}.dump()};
    request.headers.push_back({"content-type", "application/json", {}});
    const auto answer = quarry::fetch(host_, call, request);
    if (answer && answer->status < 400) {
      quarry::ollama::describe(model, quarry::model_http::read_json(answer->body));
    }
  }

  const quarry::Host host_;
  const Settings settings_;
  const Options options_;
};

}  // namespace

QUARRY_PLUGIN("io.quarry.model-ollama", QUARRY_VERSION, quarry::model<Ollama>("ollama"))
