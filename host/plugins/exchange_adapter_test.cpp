#include "plugins/adapters.h"
#include "plugins/testing/scripted.h"

#include <quarry/model.h>

#include <functional>

#include <gmock/gmock.h>

namespace quarry::plugins {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A scripted provider of the exchange form that is also its only exchange.
struct Script {
  std::function<void(quarry_exchange**, const quarry_reply*)> begin =
      [this](quarry_exchange** exchange, const quarry_reply* reply) {
        *exchange = reinterpret_cast<quarry_exchange*>(this);
        say(reply, "{}");
      };
  const quarry_http_request* request = nullptr;
  std::string head;
  std::function<void(std::string_view, const quarry_model_sink*)> data;
  std::function<void(quarry_end, const quarry_model_sink*)> end = [](quarry_end, auto*) {};
  int destroyed = 0;
};

Script& of(quarry_exchange* exchange) {
  return *reinterpret_cast<Script*>(exchange);
}

constexpr quarry_model_v1 kTable{
    .struct_size = sizeof(quarry_model_v1),
    .describe =
        [](void*, const quarry_call*, const quarry_reply* reply) {
          say(reply, R"({"title":"T","endpoint":"https://A.example/v1"})");
        },
    .generate = nullptr,
    .begin = [](void* self, const quarry_call*, quarry_text, quarry_exchange** exchange,
                const quarry_reply* reply) { static_cast<Script*>(self)->begin(exchange, reply); },
    .request = [](quarry_exchange* exchange) { return of(exchange).request; },
    .head =
        [](quarry_exchange* exchange, std::int32_t status, std::uint32_t count,
           const quarry_header* const* headers, const quarry_model_sink*) {
          of(exchange).head = std::to_string(status);
          for (std::uint32_t i = 0; i < count; ++i) {
            of(exchange).head += " " + std::string(as_view(headers[i]->name)) + "=" +
                                 std::string(as_view(headers[i]->value));
          }
        },
    .data = [](quarry_exchange* exchange, quarry_text bytes,
               const quarry_model_sink* sink) { of(exchange).data(as_view(bytes), sink); },
    .end = [](quarry_exchange* exchange, quarry_end reason,
              const quarry_model_sink* sink) { of(exchange).end(reason, sink); },
    .destroy_exchange = [](quarry_exchange* exchange) { ++of(exchange).destroyed; },
    .models = nullptr};

constexpr std::string_view kNoEnd =
    "error scripted (org.example.scripted): the provider ended without a finish or an error";

/// The parameter: true if the plugin came with the host, so that its functions are called at once.
class Exchange : public ::testing::TestWithParam<bool> {
 protected:
  Result<std::unique_ptr<ModelExchange>> begin() {
    return adapt_model(
               *make_instance(component_, &script_, permissions_, configuration_, GetParam()))
        .value()
        ->begin("{}");
  }

  Script script_;
  Permissions permissions_{.hosts = {}, .programs = {}, .secrets = {"KEY"}};
  std::string configuration_ = "{}";
  quarry_component component_ = scripted_component(QUARRY_MODEL, &kTable);
  RecordedSink sink_;
  quarry_header header_{sizeof header_, as_text("Authorization"), as_text("Bearer "),
                        as_text("KEY")};
  const quarry_header* headers_[1] = {&header_};
  quarry_http_request request_{sizeof request_,
                               1,
                               as_text("POST"),
                               as_text("https://a.example/v1"),
                               headers_,
                               as_text("{}"),
                               0,
                               -1,
                               0};
};

TEST_P(Exchange, GoesToTheHostsThatThePluginMayReach) {
  permissions_.hosts = {"*.models.example"};
  permissions_.host_fields = {"/base_url"};
  configuration_ = R"({"base_url":"http://localhost:8080/v1"})";
  script_.request = &request_;
  const auto exchange = begin().value();
  for (const char* permitted : {"https://a.example/other", "https://eu.models.example/v1",
                                "http://localhost:8080/v1/chat"}) {
    request_.url = as_text(permitted);
    EXPECT_TRUE(exchange->request()) << permitted;
  }
  for (const char* other :
       {"https://b.example/v1", "https://models.example/", "https://a.example.evil.test/",
        "https://a.example@evil.test/v1", "http://127.0.0.1/v1"}) {
    request_.url = as_text(other);
    const auto refused = exchange->request();
    ASSERT_FALSE(refused) << other;
    EXPECT_EQ(refused.error().code, Code::kInternal);
    EXPECT_THAT(refused.error().message, HasSubstr("neither the manifest nor"));
  }
}

TEST_P(Exchange, SaysWhatToSend) {
  script_.request = &request_;
  const auto exchange = begin().value();
  for (int attempt = 0; attempt < 2; ++attempt) {
    const auto request = exchange->request();
    ASSERT_TRUE(request) << request.error().message;
    EXPECT_EQ(request->method, "POST");
    EXPECT_EQ(request->url, "https://a.example/v1");
    EXPECT_EQ(request->body, "{}");
    ASSERT_EQ(request->headers.size(), 1u);
    EXPECT_EQ(request->headers.front().value, "Bearer ");
    EXPECT_EQ(request->headers.front().secret, "KEY");
  }
}

TEST_P(Exchange, ARequestContainsTheSecretsOfItsConfigurationAndNoOther) {
  permissions_ = {};
  permissions_.secret_fields = {"/api_key"};
  configuration_ = R"({"api_key":"model.work.api_key","other":"model.api_key"})";
  script_.request = &request_;
  const auto exchange = begin().value();
  header_.secret = as_text("model.work.api_key");
  EXPECT_TRUE(exchange->request());
  for (const char* foreign : {"KEY", "model.api_key", "resource.kit.token"}) {
    header_.secret = as_text(foreign);
    EXPECT_THAT(fault(exchange->request()), HasSubstr("which the manifest does not permit"));
  }
}

TEST_P(Exchange, ARequestThatIsNoneIsTheProvidersFault) {
  using Wrong = std::function<void()>;
  const auto sound = request_;
  const std::pair<const char*, Wrong> wrongs[] = {
      {"it gave none", [&] { script_.request = nullptr; }},
      {"it is too short", [&] { request_.struct_size = 8; }},
      {"no method", [&] { request_.method = {}; }},
      {"not http", [&] { request_.url = as_text("file:///etc/passwd"); }},
      {"not http", [&] { request_.url = {}; }},
      {"more than 100 headers", [&] { request_.header_count = 101; }},
      {"a header is null", [&] { request_.headers = nullptr; }},
      {"a header is null", [&] { headers_[0] = nullptr; }},
      {"a header is too short", [&] { header_.struct_size = 8; }},
      {"no name", [&] { header_.name = {}; }}};
  const auto exchange = begin().value();
  for (const auto& [words, make_wrong] : wrongs) {
    request_ = sound;
    header_ = {sizeof header_, as_text("A"), as_text("b"), {}};
    headers_[0] = &header_;
    script_.request = &request_;
    make_wrong();
    EXPECT_THAT(fault(exchange->request()), HasSubstr(words));
  }
}

TEST_P(Exchange, BytesBecomeEvents) {
  script_.data = [](auto bytes, auto* sink) { sink->text(sink, as_text(bytes)); };
  script_.end = [](auto reason, auto* sink) {
    EXPECT_EQ(reason, QUARRY_END_COMPLETE);
    sink->finish(sink, QUARRY_FINISH_STOP);
  };
  const auto exchange = begin().value();
  const services::HttpHeader headers[] = {{"a", "b", ""}};
  exchange->head(200, headers, sink_);
  exchange->data("\xE2\x82", sink_);
  exchange->data("\xAC", sink_);
  exchange->end(true, sink_);
  EXPECT_EQ(script_.head, "200 a=b");
  EXPECT_THAT(sink_.events, ElementsAre("text €", "finish 0"));
}

TEST_P(Exchange, AnEndInTheDataIsTheOnlyOne) {
  script_.data = [](auto, auto* sink) { sink->finish(sink, QUARRY_FINISH_STOP); };
  script_.end = [](auto, auto* sink) { sink->finish(sink, QUARRY_FINISH_LENGTH); };
  const auto exchange = begin().value();
  exchange->data("a", sink_);
  exchange->data("b", sink_);
  exchange->end(true, sink_);
  EXPECT_THAT(sink_.events, ElementsAre("finish 0"));
}

TEST_P(Exchange, OneThatIsCutSaysSo) {
  script_.end = [](auto reason, auto* sink) {
    EXPECT_EQ(reason, QUARRY_END_CUT);
    const quarry_model_error error{sizeof error, QUARRY_UNAVAILABLE, 0, -1, as_text("cut")};
    sink->error(sink, &error);
  };
  begin().value()->end(false, sink_);
  EXPECT_THAT(sink_.events, ElementsAre("error cut"));
}

TEST_P(Exchange, OneWithoutAnEndIsTheProvidersFault) {
  script_.data = [](auto, auto* sink) { sink->text(sink, as_text("a\xE2")); };
  const auto exchange = begin().value();
  exchange->data("x", sink_);
  exchange->end(true, sink_);
  EXPECT_THAT(sink_.events, ElementsAre("text a", "text \uFFFD", kNoEnd));
}

TEST_P(Exchange, IsDestroyedOnceAtAnyMoment) {
  {
    const auto exchange = begin().value();
    EXPECT_EQ(script_.destroyed, 0);
  }
  EXPECT_EQ(script_.destroyed, 1);
}

TEST_P(Exchange, OneThatFailedToBeginIsDestroyedWhenItWasMade) {
  script_.begin = [this](auto** exchange, auto* reply) {
    *exchange = reinterpret_cast<quarry_exchange*>(&script_);
    say_failure(reply, QUARRY_INVALID_ARGUMENT, "unknown model");
  };
  const auto begun = begin();
  ASSERT_FALSE(begun);
  EXPECT_EQ(begun.error().message, "unknown model");
  EXPECT_EQ(script_.destroyed, 1);
}

TEST_P(Exchange, OneThatBeginsNothingIsTheProvidersFault) {
  script_.begin = [](auto**, auto* reply) { say(reply, "{}"); };
  EXPECT_THAT(fault(begin()), HasSubstr("began no exchange"));
  script_.begin = [](auto**, auto*) {};
  EXPECT_THAT(fault(begin()), HasSubstr("without an outcome"));
}

INSTANTIATE_TEST_SUITE_P(OwnAndOther, Exchange, ::testing::Bool());

TEST_P(Exchange, CannotGenerate) {
  adapt_model(*make_instance(component_, &script_, {}, "{}", GetParam()))
      .value()
      ->generate({}, "{}", sink_);
  EXPECT_EQ(sink_.last_error.code, Code::kUnsupported);
}

}  // namespace
}  // namespace quarry::plugins
