// Providers of the draft kinds: their output is the one that the response names, as in "vector",
// "score" or "crash".
#include <quarry/draft/embedding.hpp>
#include <quarry/draft/rerank.hpp>
#include <quarry/plugin.hpp>

#include <csignal>
#include <string>
#include <string_view>

namespace {

/// A provider whose sink is `Sink`; `act` writes to it what a part of a response names.
template <class Sink, void (*act)(std::string_view, Sink&)>
class Provider {
 public:
  struct Exchange {
    std::string text;
    quarry::HttpRequest request() { return {"POST", "https://example.org/", {}, text}; }
    void head(int status, const std::vector<quarry::HttpHeader>&, Sink& sink) {
      if (status >= 400) sink.error(QUARRY_UNAVAILABLE, "refused", status, 250);
    }
    void data(std::string_view bytes, Sink& sink) {
      if (bytes == "crash") std::raise(SIGILL);  // which no sanitizer handles
      if (bytes == "usage") sink.usage(7);
      act(bytes, sink);
    }
    void end(quarry_end reason, Sink& sink) {
      if (reason == QUARRY_END_COMPLETE) sink.finish();
    }
  };

  static std::string describe() { return R"({"title":"Drafts","local":true,"variant":"v1"})"; }
  static quarry::Outcome<std::unique_ptr<Exchange>> begin(std::string_view request) {
    if (request == "refused") {
      return quarry::Failure{QUARRY_INVALID_ARGUMENT, "refused on purpose", {}, {}};
    }
    return std::make_unique<Exchange>(std::string(request));
  }
};

void give_vectors(std::string_view bytes, quarry::EmbeddingSink& sink) {
  if (bytes == "vector") sink.vector(1, {0.5F, -2});
  if (bytes == "empty") sink.vector(1, {});
  if (bytes == "long") sink.vector(1, std::vector<float>(QUARRY_LIMIT_DIMENSION + 1));
}

void give_scores(std::string_view bytes, quarry::RerankSink& sink) {
  if (bytes == "score") sink.score(2, 0.25);
}

using Vectors = Provider<quarry::EmbeddingSink, give_vectors>;
using Scores = Provider<quarry::RerankSink, give_scores>;

}  // namespace

QUARRY_PLUGIN("org.example.drafts", "1.0.0", quarry::embedding<Vectors>("vectors"),
              quarry::rerank<Scores>("scores"))
