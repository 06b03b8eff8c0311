// Plugins in C++ that throw wherever they can: the wrapper must not let exceptions cross.
#include "plugins/adapters.h"
#include "plugins/testing/scripted.h"

#include <quarry/plugin.hpp>

#include <stdexcept>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace quarry::plugins {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using TextOutcome = Outcome<std::string>;

[[noreturn]] void refuse() {
  throw std::runtime_error("thrown on purpose");
}

struct ThrowingResource {
  TextOutcome describe() { return std::string(R"({"title":"T","schema":{}})"); }
  TextOutcome normalise(const quarry::Call&, std::string_view) { refuse(); }
  TextOutcome resolve(const quarry::Call&, std::string_view) { throw 7; }
  TextOutcome fetch(const quarry::Call&, std::string_view, std::string_view, quarry::Tree&) {
    refuse();
  }
  TextOutcome parse_reference(std::string_view) { refuse(); }
};

struct ThrowingModel {
  TextOutcome describe() { return std::string(R"({"title":"T","schema":{}})"); }
  void generate(const quarry::Call&, std::string_view request, quarry::ModelSink& sink) {
    sink.text("so far");
    if (request == "odd") throw 7;
    refuse();
  }
  TextOutcome models(const quarry::Call&) { refuse(); }
};

struct ThrowingExchange {
  quarry::HttpRequest request() { refuse(); }
  void head(int, const std::vector<quarry::HttpHeader>&, quarry::ModelSink&) { refuse(); }
  void data(std::string_view, quarry::ModelSink&) { refuse(); }
  void end(quarry_end, quarry::ModelSink&) { refuse(); }
};
struct ThrowingTranslator {
  using Exchange = ThrowingExchange;
  TextOutcome describe() { return std::string(R"({"title":"T","schema":{}})"); }
  Outcome<std::unique_ptr<Exchange>> begin(std::string_view request) {
    if (request == "refuse") refuse();
    return std::make_unique<Exchange>();
  }
};

struct ThrowingPricing {
  TextOutcome rates(std::string_view, std::string_view) { refuse(); }
  TextOutcome refresh(const quarry::Call&) { refuse(); }
};

struct ThrowingTransport {
  TextOutcome start(const Call&, const quarry_engine* engine) {
    if (engine == nullptr) refuse();
    return std::string("{}");
  }
  void stop(std::chrono::milliseconds) { refuse(); }
};

struct ThrowingConstructor : ThrowingPricing {
  ThrowingConstructor() { refuse(); }
};

TEST(Trampoline, AResourceThatThrowsFails) {
  const auto component = quarry::resource<ThrowingResource>("scripted");
  const auto type = adapt_resource(*make_instance(component)).value();
  Json resource = Json::object();
  EXPECT_THAT(fault(type->normalise({}, resource)), HasSubstr("thrown on purpose"));
  EXPECT_THAT(fault(type->resolve({}, resource, {})), HasSubstr("no exception"));
  EXPECT_THAT(fault(type->parse_reference({}, "x")), HasSubstr("thrown on purpose"));
}

TEST(Trampoline, AModelThatThrowsEndsItsStep) {
  const auto component = quarry::model<ThrowingModel>("scripted");
  const auto model = adapt_model(*make_instance(component)).value();
  RecordedSink sink;
  model->generate({}, "{}", sink);
  EXPECT_THAT(sink.events, ElementsAre("text so far", "error thrown on purpose"));
  EXPECT_EQ(sink.last_error.code, Code::kInternal);
  sink = {};
  model->generate({}, "odd", sink);
  EXPECT_THAT(sink.events.back(), HasSubstr("threw something that is no exception"));
  EXPECT_THAT(fault(model->models({})), HasSubstr("thrown on purpose"));
}

TEST(Trampoline, AnExchangeThatThrowsEndsItsStep) {
  const auto component = quarry::model<ThrowingTranslator>("scripted");
  const auto model = adapt_model(*make_instance(component)).value();
  EXPECT_THAT(fault(model->begin("refuse")), HasSubstr("thrown on purpose"));
  const auto exchange = model->begin("{}").value();
  EXPECT_THAT(fault(exchange->request()), HasSubstr("it gave none"));
  RecordedSink sink;
  exchange->head(200, {}, sink);
  exchange->data("x", sink);
  exchange->end(true, sink);
  EXPECT_THAT(sink.events, ElementsAre("error thrown on purpose"));
}

TEST(Trampoline, ACatalogueThatThrowsFails) {
  const auto component = quarry::pricing<ThrowingPricing>("scripted");
  const auto catalogue = adapt_pricing(*make_instance(component)).value();
  EXPECT_THAT(fault(catalogue->rates("a", "b")), HasSubstr("thrown on purpose"));
  EXPECT_THAT(fault(catalogue->refresh({})), HasSubstr("thrown on purpose"));
}

TEST(Trampoline, ATransportThatThrowsFailsToStartAndStopsAllTheSame) {
  const auto component = quarry::transport<ThrowingTransport>("scripted");
  const auto transport = adapt_transport(*make_instance(component)).value();
  EXPECT_THAT(fault(transport->start(nullptr)), HasSubstr("thrown on purpose"));
  const quarry_engine engine{};
  ASSERT_TRUE(transport->start(&engine));
  EXPECT_TRUE(transport->stop(std::chrono::milliseconds(0)));
}

TEST(Trampoline, AConstructorThatThrowsIsAFailureToMake) {
  const auto component = quarry::pricing<ThrowingConstructor>("scripted");
  EXPECT_THAT(fault(make_instance(component)), HasSubstr("thrown on purpose"));
}

}  // namespace
}  // namespace quarry::plugins
