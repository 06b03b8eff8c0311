#include "runner/testing/isolated_fixture.h"

namespace quarry::runner {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

/// Everything a provider of a draft kind says, as text.
template <class Sink>
class Events : public Sink {
 public:
  bool usage(const plugins::Usage& usage) override {
    said += "usage " + std::to_string(usage.input) + std::to_string(usage.output) + ";";
    return true;
  }
  void finish() override { said += "finish"; }
  void error(const plugins::ModelError& error) override {
    failed = error;
    said += "error " + error.message;
  }

  std::string said;
  plugins::ModelError failed;
};

class Vectors final : public Events<plugins::EmbeddingSink> {
 public:
  bool vector(std::uint32_t index, std::span<const float> values) override {
    said += "vector " + std::to_string(index);
    for (const float value : values) said += " " + std::to_string(value);
    said += ";";
    return true;
  }
};

class Scores final : public Events<plugins::RerankSink> {
 public:
  bool score(std::uint32_t index, double score) override {
    said += "score " + std::to_string(index) + " " + std::to_string(score) + ";";
    return true;
  }
};

/// The plugin org.example.drafts in a runner.
class IsolatedDrafts : public Isolated {
 protected:
  void SetUp() override {
    Isolated::SetUp();
    fs::copy(QUARRY_BUILD_DIR "/tests/plugins/drafts", root_ / "plugins/drafts",
             fs::copy_options::recursive);
    plugins::RegistryOptions options;
    options.directories = {root_ / "plugins"};
    options.disabled = {"org.example.faulty"};
    options.drafts = true;
    options.isolation = {{"org.example.drafts", "process"}};
    options.isolate = [this](const auto& manifest) { return isolate(manifest, runners_); };
    registry_ = plugins::Registry::load(std::move(options));
    ASSERT_TRUE(registry_->problems().empty()) << registry_->problems().front().message;
  }
  /// The output of a request whose response is `bytes`.
  std::string respond(std::string_view bytes, int status = 200, bool complete = true) {
    const auto provider = registry_->make_embedding("vectors", "{}").value();
    const auto exchange = provider->begin("texts").value();
    Vectors sink;
    exchange->head(status, {}, sink);
    exchange->data(bytes, sink);
    exchange->end(complete, sink);
    return sink.said;
  }

  std::unique_ptr<plugins::Registry> registry_;
};

TEST_F(IsolatedDrafts, EncodeTexts) {
  const auto provider = registry_->make_embedding("vectors", "{}").value();
  EXPECT_EQ(provider->describe().variant, "v1");
  const auto exchange = provider->begin("texts").value();
  EXPECT_EQ(exchange->request()->body, "texts");
  Vectors sink;
  for (const auto* bytes : {"vector", "usage"}) exchange->data(bytes, sink);
  exchange->end(true, sink);
  EXPECT_EQ(sink.said, "vector 1 0.500000 -2.000000;usage 7-1;finish");
}

TEST_F(IsolatedDrafts, ScoreDocuments) {
  const auto provider = registry_->make_rerank("scores", "{}").value();
  EXPECT_TRUE(provider->describe().local);
  const auto exchange = provider->begin("query").value();
  Scores sink;
  for (const auto* bytes : {"score", "usage"}) exchange->data(bytes, sink);
  exchange->end(true, sink);
  EXPECT_EQ(sink.said, "score 2 0.250000;usage 7-1;finish");
}

TEST_F(IsolatedDrafts, FaultsOfTheProviderAreThoseItHasInTheHost) {
  EXPECT_THAT(respond("empty"), HasSubstr("vectors (org.example.drafts): the provider gave a "
                                          "vector of 0 values"));
  EXPECT_THAT(respond("long"), HasSubstr("gave a vector of 16385 values"));
  EXPECT_THAT(respond("", 200, false), HasSubstr("ended without a finish or an error"));
  EXPECT_EQ(respond("", 503), "error refused");
}

TEST_F(IsolatedDrafts, RefuseARequest) {
  const auto provider = registry_->make_embedding("vectors", "{}").value();
  EXPECT_THAT(provider->begin("refused").error().message, HasSubstr("refused on purpose"));
}

TEST_F(IsolatedDrafts, ACrashEndsTheRequestAndTheNextOneBegins) {
  EXPECT_THAT(respond("crash"), HasSubstr("was killed by signal 4 (Illegal instruction), while it "
                                          "ran data"));
  EXPECT_EQ(respond("vector"), "vector 1 0.500000 -2.000000;finish");
}

}  // namespace
}  // namespace quarry::runner
