#include "model_http/body_exchange.h"
#include "model_http/json_text.h"
#include "model_http/request_options.h"
#include "model_http/settings.h"
#include "rerank-cohere/scores.h"
#include "schema.json.h"

#include <quarry/draft/rerank.hpp>
#include <quarry/plugin.hpp>

#include <cstdlib>

namespace {

using quarry::Failure;
using quarry::Outcome;
using quarry::model_http::Settings;
using Json = nlohmann::json;

constexpr const char* kHome = "https://api.cohere.com/v2";
constexpr std::int64_t kUsualBatch = 100;
constexpr std::int64_t kMostBatch = 1000;

/// Cohere, and every server with its API for reranking.
class Cohere {
 public:
  using Exchange = quarry::model_http::BodyExchange<quarry::RerankSink>;

  Cohere(Settings settings, std::int64_t batch) : settings_(std::move(settings)), batch_(batch) {}

  static Outcome<std::unique_ptr<Cohere>> create(quarry::Host, std::string_view configuration) {
    auto settings = Settings::read(configuration, {kHome, "CO_API_KEY", "CO_API_URL"}, std::getenv);
    if (!settings) return settings.failure();
    Json& options = (*settings).options;
    std::int64_t batch = kUsualBatch;
    if (auto wrong = quarry::model_http::take_count(options, "batch", kMostBatch, batch)) {
      return std::move(*wrong);
    }
    if (const auto unknown = quarry::model_http::unknown_member(options)) return *unknown;
    return std::make_unique<Cohere>(std::move(*settings), batch);
  }

  [[nodiscard]] std::string describe() const {
    Json out = {{"title", "Cohere, or any server that speaks its API for reranking"},
                {"schema", Json::parse(SCHEMA_JSON)},
                {"needs", settings_.needs()},
                {"endpoint", settings_.base_url},
                {"maxDocuments", batch_}};
    // A server at another address bills differently.
    if (settings_.at_home) out["vendor"] = "cohere";
    return out.dump();
  }

  Outcome<std::unique_ptr<Exchange>> begin(std::string_view request) const {
    const Json asked = quarry::model_http::read_json(request);
    const Json& documents = quarry::model_http::member(asked, "documents");
    for (const char* name : {"model", "query"}) {
      if (quarry::model_http::text_member(asked, name).empty()) {
        return Failure{QUARRY_INVALID_ARGUMENT, std::string("the request has no ") + name, {}, {}};
      }
    }
    if (!documents.is_array() || documents.empty()) {
      return Failure{QUARRY_INVALID_ARGUMENT, "the request has no documents", {}, {}};
    }
    const Json body = {{"model", asked["model"]},
                       {"query", asked["query"]},
                       {"documents", documents},
                       {"top_n", documents.size()}};
    return std::make_unique<Exchange>(
        quarry::model_http::post_json(settings_.base_url + "/rerank", settings_.secret,
                                      quarry::model_http::to_text(body)),
        "a list of scores", quarry::rerank_cohere::read_scores);
  }

 private:
  const Settings settings_;
  const std::int64_t batch_;
};

}  // namespace

QUARRY_PLUGIN("io.quarry.rerank-cohere", QUARRY_VERSION, quarry::rerank<Cohere>("cohere"))
