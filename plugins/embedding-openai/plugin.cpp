#include "embedding-openai/vectors.h"
#include "model_http/body_exchange.h"
#include "model_http/embedding_request.h"
#include "model_http/json_text.h"
#include "model_http/settings.h"
#include "schema.json.h"

#include <quarry/draft/embedding.hpp>
#include <quarry/plugin.hpp>

#include <cstdlib>

namespace {

using quarry::Outcome;
using quarry::model_http::EmbeddingOptions;
using quarry::model_http::EmbeddingRequest;
using quarry::model_http::Settings;
using Json = nlohmann::json;

constexpr const char* kHome = "https://api.openai.com/v1";

/// OpenAI, and every server with its API for embeddings.
class OpenAi {
 public:
  using Exchange = quarry::model_http::BodyExchange<quarry::EmbeddingSink>;

  OpenAi(Settings settings, EmbeddingOptions options)
      : settings_(std::move(settings)), options_(std::move(options)) {}

  static Outcome<std::unique_ptr<OpenAi>> create(quarry::Host, std::string_view configuration) {
    auto settings =
        Settings::read(configuration, {kHome, "OPENAI_API_KEY", "OPENAI_BASE_URL"}, std::getenv);
    if (!settings) return settings.failure();
    auto options = EmbeddingOptions::take(settings->options);
    if (!options) return options.failure();
    return std::make_unique<OpenAi>(std::move(*settings), std::move(*options));
  }

  [[nodiscard]] std::string describe() const {
    Json out = {{"title", "OpenAI, or any server that speaks its API"},
                {"schema", Json::parse(SCHEMA_JSON)},
                {"needs", settings_.needs()},
                {"endpoint", settings_.base_url},
                {"variant", options_.variant()},
                {"maxTexts", options_.batch}};
    // A server at another address bills differently.
    if (settings_.at_home) out["vendor"] = "openai";
    return out.dump();
  }

  Outcome<std::unique_ptr<Exchange>> begin(std::string_view request) const {
    const auto asked = EmbeddingRequest::read(request, options_);
    if (!asked) return asked.failure();
    Json body = {{"model", asked->model}, {"input", asked->texts}};
    if (options_.dimensions > 0) body["dimensions"] = options_.dimensions;
    // Shorter than numbers. Other servers may refuse the member, or ignore it.
    if (settings_.at_home) body["encoding_format"] = "base64";
    return std::make_unique<Exchange>(
        quarry::model_http::post_json(settings_.base_url + "/embeddings", settings_.secret,
                                      quarry::model_http::to_text(body)),
        "a list of embeddings", quarry::embedding_openai::read_vectors);
  }

 private:
  const Settings settings_;
  const EmbeddingOptions options_;
};

}  // namespace

QUARRY_PLUGIN("io.quarry.embedding-openai", QUARRY_VERSION, quarry::embedding<OpenAi>("openai"))
