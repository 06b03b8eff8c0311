#include <quarry/plugin.hpp>
#include <quarry/testing.hpp>

#include <gtest/gtest-spi.h>

namespace {

using quarry::testing::Component;
using quarry::testing::exchange;
using quarry::testing::exchange_cut_everywhere;
using quarry::testing::FakeCall;
using quarry::testing::FakeHost;
using quarry::testing::FakeHttp;
using quarry::testing::Reply;
using quarry::testing::Response;
using quarry::testing::Sink;
using quarry::testing::StartedExchange;

/// A provider that makes each line a text delta, and "end" the end.
class Lines {
 public:
  class Exchange {
   public:
    quarry::HttpRequest request() {
      return {"POST", "https://a.example", {{"authorization", "Key ", "KEY"}}, "body"};
    }
    void head(int status, const std::vector<quarry::HttpHeader>& headers, quarry::ModelSink& sink) {
      if (status < 400) return;
      const std::string wait(quarry::header(headers, "retry-after-ms"));
      sink.error(QUARRY_UNAVAILABLE, "busy", status, wait.empty() ? -1 : std::stoll(wait));
    }
    void data(std::string_view bytes, quarry::ModelSink& sink) {
      if (forgetful) pending_.clear();
      pending_ += bytes;
      for (auto end = pending_.find('\n'); end != std::string::npos; end = pending_.find('\n')) {
        const auto line = pending_.substr(0, end);
        pending_.erase(0, end + 1);
        if (line == "end") return sink.finish(QUARRY_FINISH_STOP);
        if (line == "usage") sink.usage({0, 0, 9, 8, 7, 6, 5});
        sink.text(line);
      }
    }
    void end(quarry_end reason, quarry::ModelSink& sink) {
      if (reason == QUARRY_END_CUT) sink.error(QUARRY_UNAVAILABLE, "cut");
    }
    bool forgetful = false;

   private:
    std::string pending_;
  };
  explicit Lines(quarry::Host host) {
    had_http = host.service<quarry_http_v1>(QUARRY_HTTP) != nullptr;
  }
  std::string describe() { return "{}"; }
  quarry::Outcome<std::unique_ptr<Exchange>> begin(std::string_view request) {
    auto made = std::make_unique<Exchange>();
    made->forgetful = request == "forgetful";
    return made;
  }
  static inline bool had_http = false;  ///< when the last instance was created
};

class Kit : public ::testing::Test {
 protected:
  Component<quarry_model_v1> lines_{quarry_plugin_entry_v1, QUARRY_MODEL, "lines"};
};

TEST_F(Kit, TheStepIsTheSameHoweverItIsCut) {
  const auto step = exchange_cut_everywhere(lines_, "{}", "one\ntwo\nend\n");
  EXPECT_EQ(step.text, "onetwo");
  EXPECT_EQ(step.finishes, std::vector<quarry_finish>{QUARRY_FINISH_STOP});
}

TEST_F(Kit, ATranslatorThatForgetsHalfALineIsCaught) {
  EXPECT_NONFATAL_FAILURE(
      {
        const auto whole = exchange(lines_, "forgetful", {"a\nend\n"});
        const auto cut = exchange(lines_, "forgetful", {"a\ne", "nd\n"});
        EXPECT_TRUE(whole == cut) << "differs";
      },
      "differs");
}

TEST_F(Kit, AStepWithoutAnEndIsCaught) {
  EXPECT_NONFATAL_FAILURE(exchange_cut_everywhere(lines_, "{}", "x"), "exactly one end");
}

TEST_F(Kit, TheRequestIsSeenAsTheHostSeesIt) {
  StartedExchange started(lines_, "{}");
  const quarry::HttpRequest request = started.request();
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.url, "https://a.example");
  EXPECT_EQ(request.body, "body");
  ASSERT_EQ(request.headers.size(), 1u);
  EXPECT_EQ(request.headers[0].value, "Key ");
  EXPECT_EQ(request.headers[0].secret, "KEY");
}

TEST_F(Kit, AResponseMayFailOrBreak) {
  const auto busy =
      exchange(lines_, "{}", Response{.status = 503, .headers = {{"Retry-After-Ms", "20", ""}}});
  EXPECT_EQ(busy.errors, std::vector<std::string>{"busy"});
  EXPECT_EQ(busy.refusals, (std::vector<Sink::Refusal>{{QUARRY_UNAVAILABLE, 503, 20}}));
  const auto cut =
      exchange(lines_, "{}", Response{.pieces = {"one\n", "tw"}, .end = QUARRY_END_CUT});
  EXPECT_EQ(cut.text, "one");
  EXPECT_EQ(cut.errors, std::vector<std::string>{"cut"});
}

TEST_F(Kit, EveryCountIsKept) {
  const auto step = exchange(lines_, "{}", {"usage\nend\n"});
  EXPECT_EQ(step.input_tokens, 9);
  EXPECT_EQ(step.output_tokens, 8);
  EXPECT_EQ(step.reasoning_tokens, 7);
  EXPECT_EQ(step.cache_read_tokens, 6);
  EXPECT_EQ(step.cache_write_tokens, 5);
}

TEST(KitReply, NoOutcomeAndTwoAreCaught) {
  Reply none;
  EXPECT_NONFATAL_FAILURE(none.value(), "exactly once");
  Reply twice;
  twice.get()->value(twice.get(), quarry::as_text("1"));
  twice.get()->value(twice.get(), quarry::as_text("2"));
  EXPECT_NONFATAL_FAILURE(twice.value(), "exactly once");
}

TEST(KitReply, AFailureIsNoValue) {
  Reply reply;
  quarry::detail::fail(reply.get(), {QUARRY_NOT_FOUND, "gone", "look elsewhere", {}});
  EXPECT_EQ(reply.failure().hint, "look elsewhere");
  EXPECT_NONFATAL_FAILURE(reply.value(), "gone");
}

TEST(KitCall, IsOverAfterSoManyLooks) {
  FakeCall fake;
  const quarry::Call call(fake.get());
  EXPECT_FALSE(call.over());
  fake.cancel_after(2, QUARRY_DEADLINE_EXCEEDED);
  EXPECT_FALSE(call.over());
  EXPECT_FALSE(call.over());
  EXPECT_TRUE(call.over());
  EXPECT_EQ(call.why().status, QUARRY_DEADLINE_EXCEEDED);
  call.progress(R"({"done":1})");
  EXPECT_EQ(fake.progress, std::vector<std::string>{R"({"done":1})"});
}

TEST(KitHost, OffersWhatTheTestGaveIt) {
  FakeHost fake;
  const quarry::Host host(fake.get());
  host.log(QUARRY_LOG_INFO, "heard");
  EXPECT_EQ(fake.lines, std::vector<std::string>{"heard"});
  EXPECT_EQ(host.service<int>("quarry.none/1"), nullptr);
  const int table = 7;
  fake.offer("quarry.some/1", &table);
  EXPECT_EQ(host.service<int>("quarry.some/1"), &table);
}

TEST(KitComponent, HasItsServicesWhenItIsCreated) {
  const FakeHttp http;
  const Component<quarry_model_v1> lines(quarry_plugin_entry_v1, QUARRY_MODEL, "lines", "{}",
                                         {{QUARRY_HTTP, http.get()}});
  EXPECT_TRUE(Lines::had_http);
}

TEST(KitComponent, OneThatIsNotOfferedIsCaught) {
  EXPECT_NONFATAL_FAILURE(Component<quarry_model_v1>(quarry_plugin_entry_v1, QUARRY_MODEL, "none"),
                          "offers no");
}

}  // namespace

QUARRY_PLUGIN("org.example.kit", "1.0.0", quarry::model<Lines>("lines"))
