#include <quarry/plugin.hpp>
#include <quarry/testing.hpp>

#include <gtest/gtest-spi.h>

namespace {

using quarry::testing::Component;
using quarry::testing::exchange;
using quarry::testing::exchange_cut_everywhere;
using quarry::testing::FakeCall;
using quarry::testing::FakeHost;
using quarry::testing::Reply;

/// A translator of lines: each is a text delta, "end" is the end.
class Lines {
 public:
  class Exchange {
   public:
    quarry::HttpRequest request() { return {"GET", "https://a.example", {}, {}}; }
    void head(int, const std::vector<quarry::HttpHeader>&, quarry::ModelSink&) {}
    void data(std::string_view bytes, quarry::ModelSink& sink) {
      if (forgetful) pending_.clear();
      pending_ += bytes;
      for (auto end = pending_.find('\n'); end != std::string::npos; end = pending_.find('\n')) {
        const auto line = pending_.substr(0, end);
        pending_.erase(0, end + 1);
        if (line == "end") return sink.finish(QUARRY_FINISH_STOP);
        sink.text(line);
      }
    }
    void end(quarry_end, quarry::ModelSink&) {}
    bool forgetful = false;

   private:
    std::string pending_;
  };
  std::string describe() { return "{}"; }
  quarry::Outcome<std::unique_ptr<Exchange>> begin(std::string_view request) {
    auto made = std::make_unique<Exchange>();
    made->forgetful = request == "forgetful";
    return made;
  }
};

class Kit : public testing::Test {
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

TEST(KitComponent, OneThatIsNotOfferedIsCaught) {
  EXPECT_NONFATAL_FAILURE(Component<quarry_model_v1>(quarry_plugin_entry_v1, QUARRY_MODEL, "none"),
                          "offers no");
}

}  // namespace

QUARRY_PLUGIN("org.example.kit", "1.0.0", quarry::model<Lines>("lines"))
