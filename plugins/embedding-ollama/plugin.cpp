#include "embedding-ollama/vectors.h"
#include "model_http/body_exchange.h"
#include "model_http/embedding_request.h"
#include "model_http/json_text.h"
#include "model_http/ollama_address.h"
#include "model_http/settings.h"
#include "schema.json.h"

#include <quarry/draft/embedding.hpp>
#include <quarry/plugin.hpp>

#include <cstdlib>

namespace {

using quarry::Outcome;
using quarry::model_http::EmbeddingOptions;
using quarry::model_http::EmbeddingRequest;
using quarry::model_http::kOllamaCloud;
using quarry::model_http::Settings;
using Json = nlohmann::json;

class Ollama {
 public:
  using Exchange = quarry::model_http::BodyExchange<quarry::EmbeddingSink>;

  Ollama(Settings settings, EmbeddingOptions options)
      : settings_(std::move(settings)), options_(std::move(options)) {}

  static Outcome<std::unique_ptr<Ollama>> create(quarry::Host, std::string_view configuration) {
    const char* variable = std::getenv("OLLAMA_HOST");
    const std::string own =
        quarry::model_http::ollama_base_url(variable == nullptr ? "" : variable);
    auto settings = Settings::read(configuration, {own, "", ""}, std::getenv);
    if (!settings) return settings.failure();
    auto options = EmbeddingOptions::take(settings->options);
    if (!options) return options.failure();
    if (settings->base_url == kOllamaCloud && settings->secret.empty()) {
      (*settings).secret = "OLLAMA_API_KEY";
    }
    return std::make_unique<Ollama>(std::move(*settings), std::move(*options));
  }

  [[nodiscard]] std::string describe() const {
    Json out = {{"title", "Ollama"},
                {"schema", Json::parse(SCHEMA_JSON)},
                {"needs", settings_.needs()},
                {"local", settings_.secret.empty()},
                {"endpoint", settings_.base_url},
                {"variant", options_.variant()},
                {"maxTexts", options_.batch}};
    if (settings_.base_url == kOllamaCloud) out["vendor"] = "ollama-cloud";
    return out.dump();
  }

  Outcome<std::unique_ptr<Exchange>> begin(std::string_view request) const {
    const auto asked = EmbeddingRequest::read(request, options_);
    if (!asked) return asked.failure();
    Json body = {{"model", asked->model}, {"input", asked->texts}};
    if (options_.dimensions > 0) body["dimensions"] = options_.dimensions;
    return std::make_unique<Exchange>(
        quarry::model_http::post_json(settings_.base_url + "/api/embed", settings_.secret,
                                      quarry::model_http::to_text(body)),
        "a list of embeddings", quarry::embedding_ollama::read_vectors);
  }

 private:
  const Settings settings_;
  const EmbeddingOptions options_;
};

}  // namespace

QUARRY_PLUGIN("io.quarry.embedding-ollama", QUARRY_VERSION, quarry::embedding<Ollama>("ollama"))
