#include "retrieval/provider_reranker.h"

#include "base/json_writer.h"
#include "services/workers.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace quarry::retrieval {
namespace {

using Documents = std::span<const std::string_view>;

/// Of a response, which repeats the documents if the server likes to.
constexpr std::uint64_t kResponseBytes = 64u << 20;

/// Collects the scores of one request, and checks that they are finite.
class ScoreCollector final : public Collector<plugins::RerankSink> {
 public:
  ScoreCollector(const ProviderUse& use, std::size_t documents)
      : Collector(use, documents, {"score", "documents"}), scores_(documents) {}

  bool score(std::uint32_t index, double score) override {
    if (!take(index)) return false;
    scores_[index] = score;
    return std::isfinite(score) ||
           fail("the score with the index " + std::to_string(index) + " is not finite");
  }

  /// One a document. Valid if there is no failure.
  [[nodiscard]] const std::vector<double>& scores() const { return scores_; }

 private:
  std::vector<double> scores_;
};

class ProviderReranker final : public corpus::Reranker {
 public:
  ProviderReranker(std::shared_ptr<plugins::RerankProvider> provider, ProviderUse use)
      : provider_(std::move(provider)), use_(interactive(std::move(use))) {
    use_.limits.max_bytes = kResponseBytes;
  }

  Result<std::vector<double>> score(std::string_view query, Documents documents,
                                    std::stop_token stop) override {
    const auto empty = std::ranges::find_if(documents, &std::string_view::empty);
    if (query.empty() || empty != documents.end()) {
      return Error(Code::kInvalidArgument,
                   query.empty() ? std::string("the query to score is empty")
                                 : "document " + std::to_string(empty - documents.begin()) +
                                       " to score is empty");
    }
    const services::BlockedWorker waits;
    std::vector<double> scores;
    while (!documents.empty()) {
      const auto most = std::min<std::size_t>(documents.size(), provider_->describe().most_items);
      ScoreCollector collector(use_, most);
      Status done =
          ask_provider(*provider_, use_, request_of(query, documents.first(most)), collector, stop);
      if (!done) return std::move(done).error();
      scores.insert(scores.end(), collector.scores().begin(), collector.scores().end());
      documents = documents.subspan(most);
    }
    return scores;
  }

 private:
  [[nodiscard]] std::string request_of(std::string_view query, Documents documents) const {
    return json_object([&](JsonWriter& json) {
      json.member("model", use_.model).member("query", query);
      json.array("documents", [&] {
        for (const std::string_view document : documents) json.item(document);
      });
    });
  }

  const std::shared_ptr<plugins::RerankProvider> provider_;
  ProviderUse use_;
};

}  // namespace

std::shared_ptr<corpus::Reranker> make_reranker(std::shared_ptr<plugins::RerankProvider> provider,
                                                ProviderUse use) {
  return std::make_shared<ProviderReranker>(std::move(provider), std::move(use));
}

}  // namespace quarry::retrieval
