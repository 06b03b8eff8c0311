// Group calls: exchanges of the draft kinds of embedding and rerank providers.

#include "conformance/checks.h"
#include "plugins/compose.h"

#include <quarry/draft/embedding.h>
#include <quarry/draft/rerank.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::conformance {
namespace {

using plugins::compose;

/// The output of a request as text.
template <class Sink>
struct Transcript : Sink {
  bool usage(const plugins::Usage& usage) override {
    said += compose("usage {}; ", usage.input);
    return true;
  }
  void finish() override {
    ++ends;
    said += "finish";
  }
  void error(const plugins::ModelError& error) override {
    ++ends;
    failed = true;
    said += "error " + error.message;
  }
  std::string said;
  int ends = 0;
  bool failed = false;
};

struct Vectors final : Transcript<plugins::EmbeddingSink> {
  bool vector(std::uint32_t index, std::span<const float> values) override {
    said += compose("vector {} of {} values; ", index, values.size());
    return true;
  }
};

struct Scores final : Transcript<plugins::RerankSink> {
  bool score(std::uint32_t index, double score) override {
    said += compose("score {} {}; ", index, score);
    return true;
  }
};

/// Bodies of servers, and what is none.
constexpr std::string_view kBodies[] = {
    R"({"data":[{"index":0,"embedding":[0.5,-1]},{"index":1,"embedding":[1,2]}],"usage":{"prompt_tokens":9,"total_tokens":9}})",
    R"({"embeddings":[[0.5,-1],[1,2]],"prompt_eval_count":9})",
    R"({"results":[{"index":1,"relevance_score":0.75},{"index":0,"relevance_score":-2}],"usage":{"total_tokens":9}})",
    "<!doctype html><title>Grüße</title>", ""};

/// One request of a provider and its responses.
template <class Output, class Provider>
class ExchangeTrial {
 public:
  ExchangeTrial(Trial& trial, const Made& made, Provider& provider, std::string_view request)
      : trial_(trial), made_(made), provider_(provider), request_(request) {}

  Verdict run() {
    for (const std::string_view body : kBodies) {
      const auto whole = respond(200, body, body.size() + 1, true);
      if (!whole) return judge(whole.error());
      if (Verdict ended = judge_end(*whole, "a response"); ended.outcome != Outcome::kPass)
        return ended;
      const auto cut = respond(200, body, 1, true);
      if (cut && cut->said == whole->said) continue;
      return fails(compose("cut after every byte, a response gives \"{}\" instead of \"{}\"",
                           cut ? cut->said : cut.error().message, whole->said),
                   "keep bytes until what they belong to is whole");
    }
    for (const auto& [status, complete] : {std::pair(503, true), {200, false}}) {
      const auto failed = respond(status, kBodies[0].substr(0, 40), 10, complete);
      if (!failed) return judge(failed.error());
      const std::string what = compose("a response of status {}", status);
      if (Verdict ended = judge_end(*failed, what); ended.outcome != Outcome::kPass) return ended;
      if (failed->failed) continue;
      return fails(what + (complete ? " ends" : " that breaks off ends") + " without an error",
                   "call error of the sink for a status of 400 and more, and for a cut");
    }
    return {};
  }

 private:
  Result<Output> respond(int status, std::string_view body, std::size_t piece, bool complete) {
    trial_.at(made_, "begin");
    auto exchange = provider_.begin(request_);
    if (!exchange) return std::move(exchange).error();
    trial_.at(made_, "request");
    for (int attempt = 0; attempt < 2; ++attempt) {  // the second is a retry
      if (const auto request = (*exchange)->request(); !request) return request.error();
    }
    Output output;
    const std::vector<services::HttpHeader> headers{{"content-type", "application/json", ""}};
    trial_.at(made_, "head");
    (*exchange)->head(status, headers, output);
    trial_.at(made_, "data");
    for (std::size_t from = 0; from < body.size(); from += piece) {
      (*exchange)->data(body.substr(from, piece), output);
    }
    trial_.at(made_, "end");
    (*exchange)->end(complete, output);
    trial_.at(made_, "destroy_exchange");
    exchange->reset();
    return output;
  }

  static Verdict judge_end(const Output& output, std::string_view what) {
    // The host ends what the provider left without an end, and says so.
    if (!output.said.ends_with("the provider ended without a finish or an error")) return {};
    return fails(compose("{} ended without finish or error", what),
                 "call finish or error of the sink, at the latest in end");
  }

  Trial& trial_;
  const Made& made_;
  Provider& provider_;
  const std::string request_;
};

template <class Output, class Provider>
Verdict check_exchanges(
    Trial& trial, const char* kind,
    Result<std::shared_ptr<Provider>> (*adapt)(std::shared_ptr<plugins::Instance>),
    std::string_view request) {
  return for_each(trial, kind, [&](Generation&, const Made& made) {
    trial.at(made, "describe");
    const auto provider = adapt(made.instance);
    if (!provider) return judge(provider.error());
    static_cast<void>(new std::shared_ptr(*provider));
    return ExchangeTrial<Output, Provider>(trial, made, **provider, request).run();
  });
}

}  // namespace

Verdict embedding_exchange_ends(Trial& trial) {
  return check_exchanges<Vectors>(
      trial, QUARRY_EMBEDDING, plugins::adapt_embedding,
      R"({"model":"example","kind":"passage","texts":["Grüße 🪨","parse_date"]})");
}

Verdict rerank_exchange_ends(Trial& trial) {
  return check_exchanges<Scores>(
      trial, QUARRY_RERANK, plugins::adapt_rerank,
      R"({"model":"example","query":"Where are dates parsed?","documents":["Grüße 🪨","parse_date"]})");
}

}  // namespace quarry::conformance
