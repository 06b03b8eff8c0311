#include "pricing-models-dev/catalogue.h"

#include <quarry/paths.h>
#include <quarry/testing.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <quarry_test.h>

#include <gmock/gmock.h>

namespace quarry::pricing_models_dev {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr std::int64_t kHour = 3'600'000;
constexpr std::int64_t kStart = 1'793'491'200'000;  // 2026-11-01T00:00:00Z

constexpr const char* kOne = R"({"openai":{"models":{"gpt-x":{"cost":{"input":1}}}}})";
constexpr const char* kTwo = R"({"openai":{"models":{"gpt-x":{"cost":{"input":2}}}}})";

/// A host with a stopped clock, a cache directory and a scripted server.
class World : public ::testing::Test {
 protected:
  World() {
    host_.offer(QUARRY_CLOCK, &clock_);
    host_.offer(QUARRY_PATHS, &paths_);
    host_.offer(QUARRY_HTTP, http_.get());
  }

  std::unique_ptr<Catalogue> catalogue(std::string_view configuration = "{}") {
    return std::make_unique<Catalogue>(Host(host_.get()), *Settings::read(configuration));
  }
  std::string refresh(Catalogue& catalogue) {
    const testing::FakeCall call;
    const auto done = catalogue.refresh(Call(call.get()));
    return done ? *done : done.failure().message + "|" + done.failure().hint;
  }
  void answer(int status, std::string body, std::string etag = {}) {
    http_.response = {status, {{"ETag", std::move(etag), {}}}, std::move(body)};
  }
  /// The ETags of the requests.
  std::vector<std::string> asked() {
    std::vector<std::string> out;
    for (const auto& request : http_.requests) {
      out.emplace_back(header(request.headers, "if-none-match"));
    }
    return out;
  }
  /// Leaves the first catalogue in the cache.
  void fetch_first() {
    answer(200, kOne, "\"1\"");
    ASSERT_EQ(refresh(*catalogue()), R"({"changed":true,"nextMs":86400000})");
    http_.requests.clear();
  }

  const fs::path directory_ = test_directory();
  std::int64_t now_ = kStart;
  testing::FakeHttp http_;
  testing::FakeHost host_;

 private:
  static World& of(void* context) { return *static_cast<World*>(context); }
  quarry_clock_v1 clock_{sizeof clock_, this,
                         [](const quarry_clock_v1* self) { return of(self->context).now_; },
                         nullptr, nullptr};
  quarry_paths_v1 paths_{
      sizeof paths_, this,
      [](const quarry_paths_v1* self) { return as_text(of(self->context).directory_.native()); },
      nullptr};
};

using ModelsDev = World;

TEST_F(ModelsDev, KnowsNothingBeforeItWasFetchedAndAsksNobody) {
  EXPECT_EQ(catalogue()->rates("openai", "gpt-x"), "null");
  EXPECT_TRUE(asked().empty());
}

TEST_F(ModelsDev, AnswersWithItsNameAndTheDayItWasFetched) {
  answer(200, kOne, "\"1\"");
  const auto prices = catalogue();
  EXPECT_EQ(refresh(*prices), R"({"changed":true,"nextMs":86400000})");
  EXPECT_EQ(prices->rates("openai", "gpt-x"),
            R"({"source":"models.dev","date":"2026-11-01","input":"1"})");
  EXPECT_EQ(prices->rates("azure", "gpt-x"), "null") << "never by the model alone";
}

TEST_F(ModelsDev, KnowsAModelOfGoogleByItsLongName) {
  answer(200, R"({"google":{"models":{"gemini-x":{"cost":{"input":1}}}},
                  "other":{"models":{"gemini-x":{"cost":{"input":2}}}}})");
  const auto prices = catalogue();
  refresh(*prices);
  EXPECT_THAT(prices->rates("google", "models/gemini-x"), HasSubstr("\"input\":\"1\""));
  EXPECT_EQ(prices->rates("other", "models/gemini-x"), "null");
}

TEST_F(ModelsDev, IsThereAtTheNextStartWithoutTheNetwork) {
  fetch_first();
  const auto prices = catalogue();
  EXPECT_THAT(prices->rates("openai", "gpt-x"), HasSubstr("\"input\":\"1\""));
  now_ += kHour;
  EXPECT_EQ(refresh(*prices), R"({"changed":false,"nextMs":82800000})");
  EXPECT_TRUE(asked().empty()) << "it is not due";
}

TEST_F(ModelsDev, AsksOnlyWhetherTheOldOneStillHolds) {
  fetch_first();
  now_ += 24 * kHour;
  answer(304, "");
  const auto prices = catalogue();
  EXPECT_EQ(refresh(*prices), R"({"changed":false,"nextMs":86400000})");
  EXPECT_EQ(asked(), std::vector<std::string>{"\"1\""});
  EXPECT_THAT(prices->rates("openai", "gpt-x"), HasSubstr("\"date\":\"2026-11-02\""));
  EXPECT_EQ(refresh(*catalogue()), R"({"changed":false,"nextMs":86400000})");
  EXPECT_EQ(asked().size(), 1u) << "the response was stored";
}

TEST_F(ModelsDev, TakesNewPrices) {
  fetch_first();
  now_ += 25 * kHour;
  answer(200, kTwo, "\"2\"");
  const auto prices = catalogue();
  EXPECT_EQ(refresh(*prices), R"({"changed":true,"nextMs":86400000})");
  EXPECT_THAT(prices->rates("openai", "gpt-x"), HasSubstr("\"input\":\"2\""));
}

TEST_F(ModelsDev, SeesWhatAnotherProcessFetched) {
  fetch_first();
  const auto prices = catalogue();
  EXPECT_THAT(prices->rates("openai", "gpt-x"), HasSubstr("\"input\":\"1\""));
  now_ += 24 * kHour;
  answer(200, kTwo);
  refresh(*catalogue());
  EXPECT_EQ(refresh(*prices), R"({"changed":true,"nextMs":86400000})");
  EXPECT_EQ(asked().size(), 1u);
  EXPECT_THAT(prices->rates("openai", "gpt-x"), HasSubstr("\"input\":\"2\""));
}

TEST_F(ModelsDev, ABadCatalogueNeverReplacesAGoodOne) {
  fetch_first();
  now_ += 24 * kHour;
  const auto prices = catalogue();
  const auto fails_with = [&](const char* reason) {
    EXPECT_THAT(refresh(*prices), HasSubstr(reason));
    EXPECT_THAT(prices->rates("openai", "gpt-x"), HasSubstr("\"input\":\"1\""));
    EXPECT_THAT(catalogue()->rates("openai", "gpt-x"), HasSubstr("\"input\":\"1\""));
  };
  answer(200, std::string(kTwo).substr(0, 40));
  fails_with("not one whole JSON object");
  answer(200, "");
  fails_with("not one whole JSON object");
  answer(200, "{}");
  fails_with("prices no model");
  answer(200, "<html>moved</html>");
  fails_with("not one whole JSON object");
  answer(503, kTwo);
  fails_with("HTTP 503");
  http_.failure = {QUARRY_UNAVAILABLE, "no connection", {}, {}};
  fails_with("no connection");
  http_.failure.status = QUARRY_OK;
  answer(200, std::string((std::size_t{32} << 20) + 1, ' '));
  fails_with("more than 33554432 bytes");
}

TEST_F(ModelsDev, RefusesACatalogueThatLostHalfOfItsModels) {
  std::string many = "{\"p\":{\"models\":{";
  for (int i = 0; i < 10; ++i) {
    many += (i ? "," : "") + ("\"m" + std::to_string(i)) + R"(":{"cost":{"input":1}})";
  }
  answer(200, many + "}}}");
  const auto prices = catalogue();
  refresh(*prices);
  now_ += 24 * kHour;
  answer(200, R"({"p":{"models":{"m0":{"cost":{"input":2}}}}})");
  const std::string told = refresh(*prices);
  EXPECT_THAT(told, HasSubstr("prices 1 models, the old one 10; the old one is kept"));
  EXPECT_THAT(told, HasSubstr("Remove " + (directory_ / "table").string()));
  EXPECT_THAT(prices->rates("p", "m0"), HasSubstr("\"input\":\"1\""));
}

TEST_F(ModelsDev, AnotherAddressIsAnotherCatalogue) {
  fetch_first();
  answer(200, kTwo);
  const auto prices = catalogue(R"({"url":"http://127.0.0.1/other"})");
  EXPECT_EQ(refresh(*prices), R"({"changed":true,"nextMs":86400000})");
  EXPECT_EQ(asked(), std::vector<std::string>{""});
}

TEST_F(ModelsDev, ADamagedFileIsFetchedAgain) {
  fetch_first();
  std::ofstream(directory_ / "table", std::ios::app) << "x";
  EXPECT_EQ(catalogue()->rates("openai", "gpt-x"), "null");
  EXPECT_EQ(refresh(*catalogue()), R"({"changed":true,"nextMs":86400000})");
  EXPECT_EQ(asked(), std::vector<std::string>{""});
}

TEST_F(ModelsDev, NeverAsksWhenToldSoAndLivesWithoutServices) {
  EXPECT_EQ(refresh(*catalogue(R"({"refresh_hours":0})")), R"({"changed":false})");
  host_.offer(QUARRY_PATHS, nullptr);
  host_.offer(QUARRY_CLOCK, nullptr);
  answer(200, kOne);
  const auto prices = catalogue();
  EXPECT_EQ(refresh(*prices), R"({"changed":true,"nextMs":86400000})");
  EXPECT_THAT(prices->rates("openai", "gpt-x"), HasSubstr("\"input\":\"1\""));
  host_.offer(QUARRY_HTTP, nullptr);
  EXPECT_EQ(refresh(*catalogue()), R"({"changed":false})");
}

TEST_F(ModelsDev, SaysWhenTheCacheCannotBeWrittenAndGoesOn) {
  fs::create_directory(directory_ / "table");
  answer(200, kOne);
  const auto prices = catalogue();
  EXPECT_EQ(refresh(*prices), R"({"changed":true,"nextMs":86400000})");
  ASSERT_EQ(host_.lines.size(), 1u);
  EXPECT_THAT(host_.lines[0], HasSubstr("cannot be written: Is a directory"));
  EXPECT_THAT(prices->rates("openai", "gpt-x"), HasSubstr("\"input\":\"1\""));
}

}  // namespace
}  // namespace quarry::pricing_models_dev
