#include <quarry/pricing.h>
#include <quarry/testing.hpp>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>

namespace {

using namespace std::chrono_literals;
using quarry::testing::FakeCall;
using quarry::testing::FakeClock;
using quarry::testing::FakeHttp;
using quarry::testing::FakePaths;
using quarry::testing::Reply;

constexpr std::string_view kTable =
    R"({"name":"Ours","date":"2026-11-01","models":{"a/m":{"input":"1","output":"2.5"}}})";
constexpr std::string_view kRates =
    R"({"source":"Ours","date":"2026-11-01","input":"1","output":"2.5"})";

constexpr std::int64_t kStartMs = 1'800'000'000'000;

/// The services paths and clock of a host.
struct FakeMachine {
  FakePaths paths;
  FakeClock clock{kStartMs};
};

/// One start of the host.
class Catalogue {
 public:
  Catalogue(const FakeMachine& machine, const FakeHttp& http,
            std::string_view configuration = R"({"url":"https://a.example/prices.json"})")
      : prices_(quarry_plugin_entry_v1, QUARRY_PRICING, "table", configuration,
                {{QUARRY_PATHS, machine.paths.get()},
                 {QUARRY_CLOCK, machine.clock.get()},
                 {QUARRY_HTTP, http.get()}}) {}
  std::string rates(std::string_view model) {
    Reply reply;
    prices_->rates(prices_.instance(), call_.get(), quarry::as_text("a"), quarry::as_text(model),
                   reply.get());
    return reply.value();
  }
  void refresh(Reply& reply) { prices_->refresh(prices_.instance(), call_.get(), reply.get()); }
  std::string refreshed() {
    Reply reply;
    refresh(reply);
    return reply.value();
  }
  std::vector<std::string>& log() { return prices_.host.lines; }
  FakeCall& call() { return call_; }

 private:
  quarry::testing::Component<quarry_pricing_v1> prices_;
  FakeCall call_;
};

class TableCatalogue : public testing::Test {
 protected:
  TableCatalogue() { http_.response.body = kTable; }
  FakeMachine machine_;
  FakeHttp http_;
};

TEST_F(TableCatalogue, KnowsThePricesOfItsTable) {
  Catalogue catalogue(machine_, http_);
  EXPECT_EQ(catalogue.rates("m"), "null");
  EXPECT_EQ(catalogue.refreshed(), R"({"changed":true,"nextMs":86400000})");
  EXPECT_EQ(catalogue.rates("m"), kRates);
  EXPECT_EQ(catalogue.rates("other"), "null");
  EXPECT_EQ(http_.requests.size(), 1u);
}

TEST_F(TableCatalogue, UsesItsCopyForADay) {
  EXPECT_EQ(Catalogue(machine_, http_).refreshed(), R"({"changed":true,"nextMs":86400000})");
  machine_.clock.advance(23h);
  Catalogue restarted(machine_, http_);
  EXPECT_EQ(restarted.rates("m"), kRates) << "before any refresh";
  EXPECT_EQ(restarted.refreshed(), R"({"changed":false,"nextMs":3600000})");
  EXPECT_EQ(http_.requests.size(), 1u) << "without the network";
  machine_.clock.advance(1h);
  EXPECT_EQ(restarted.refreshed(), R"({"changed":false,"nextMs":86400000})");
  EXPECT_EQ(http_.requests.size(), 2u);
}

TEST_F(TableCatalogue, TakesChangedPrices) {
  Catalogue catalogue(machine_, http_);
  EXPECT_EQ(catalogue.refreshed(), R"({"changed":true,"nextMs":86400000})");
  machine_.clock.advance(24h);
  http_.response.body = R"({"name":"Ours","date":"2026-12-01","models":{"a/m":{"input":"3"}}})";
  EXPECT_EQ(catalogue.refreshed(), R"({"changed":true,"nextMs":86400000})");
  EXPECT_EQ(catalogue.rates("m"), R"({"source":"Ours","date":"2026-12-01","input":"3"})");
}

TEST_F(TableCatalogue, KeepsItsPricesWhenARefreshFails) {
  Catalogue catalogue(machine_, http_);
  catalogue.refreshed();
  machine_.clock.advance(24h);
  http_.response = {500, {}, "broken"};
  Reply refused;
  catalogue.refresh(refused);
  EXPECT_EQ(refused.failure().message, "https://a.example/prices.json answered with status 500");
  http_.response = {200, {}, "broken"};
  Reply wrong;
  catalogue.refresh(wrong);
  EXPECT_EQ(wrong.failure().status, QUARRY_UNAVAILABLE);
  http_.response = {200, {}, std::string(2 << 20, ' ')};
  Reply large;
  catalogue.refresh(large);
  EXPECT_EQ(large.failure().status, QUARRY_RESOURCE_EXHAUSTED);
  EXPECT_EQ(catalogue.rates("m"), kRates);
}

TEST_F(TableCatalogue, IgnoresADamagedCopy) {
  Catalogue(machine_, http_).refreshed();
  for (const auto& entry : std::filesystem::directory_iterator(machine_.paths.cache())) {
    std::ofstream(entry.path() / "table.json") << "1800000000000\n{\"name\":";
  }
  Catalogue catalogue(machine_, http_);
  EXPECT_EQ(catalogue.refreshed(), R"({"changed":true,"nextMs":86400000})");
  EXPECT_EQ(http_.requests.size(), 2u);
}

TEST_F(TableCatalogue, FetchesAgainWhenTheClockWasSetBack) {
  Catalogue catalogue(machine_, http_);
  catalogue.refreshed();
  machine_.clock.set_wall(kStartMs - 1);
  catalogue.refreshed();
  EXPECT_EQ(http_.requests.size(), 2u);
}

TEST_F(TableCatalogue, WorksWithoutACache) {
  Catalogue catalogue(machine_, http_);
  std::filesystem::remove_all(machine_.paths.cache());
  EXPECT_EQ(catalogue.refreshed(), R"({"changed":true,"nextMs":86400000})");
  EXPECT_EQ(catalogue.rates("m"), kRates);
  EXPECT_EQ(catalogue.log(),
            std::vector<std::string>{"the table is not kept: the cache cannot be written"});
}

TEST_F(TableCatalogue, EndsWithTheCall) {
  Catalogue catalogue(machine_, http_);
  catalogue.call().cancel_after(0);
  Reply reply;
  catalogue.refresh(reply);
  EXPECT_EQ(reply.failure().status, QUARRY_CANCELLED);
  EXPECT_EQ(catalogue.rates("m"), "null");
}

TEST_F(TableCatalogue, WithoutAnAddressKnowsNoPrice) {
  Catalogue catalogue(machine_, http_, "{}");
  EXPECT_EQ(catalogue.refreshed(), R"({"changed":false})");
  EXPECT_EQ(catalogue.rates("m"), "null");
  EXPECT_TRUE(http_.requests.empty());
}

}  // namespace
