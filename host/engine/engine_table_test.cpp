#include "engine/engine_table.h"

#include "services/log_scope.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::engine {
namespace {

/// Two events, then the end; sets `closed` when it is destroyed.
class TwoEvents final : public Reader {
 public:
  explicit TwoEvents(bool& closed) : closed_(closed) {}
  ~TwoEvents() override { closed_ = true; }
  quarry_read read(std::size_t, const Visit& visit) override {
    visit(1, "meta", "{}");
    visit(2, "done", "{\"a\":1}");
    return QUARRY_READ_END;
  }

 private:
  bool& closed_;
};

class FakeEngine final : public Engine {
 public:
  std::uint64_t call(std::string_view method, std::string_view params, Reply reply,
                     OnProgress) override {
    if (method == "throw") throw std::runtime_error("broken");
    if (method == "echo") {
      reply(std::string(params));
    } else {
      Error error{Code::kNotFound, "no such method", "look"};
      error.details = {{"/a", "is odd"}};
      reply(std::move(error).tagged("NotFound"));
    }
    return 7;
  }
  void cancel(std::uint64_t handle) override { cancelled = handle; }
  std::unique_ptr<Reader> open_reader(std::string_view question, std::uint64_t,
                                      std::function<void()> wake) override {
    if (question != "known") return nullptr;
    wake();
    return std::make_unique<TwoEvents>(closed);
  }
  Result<std::vector<Listening>> start_transports(const std::vector<std::string>&) override {
    return std::vector<Listening>();
  }
  Status send_questions(const Fd&) override { return {}; }
  Status receive_questions(const Fd&, std::chrono::milliseconds) override { return {}; }
  void drain(std::chrono::milliseconds) override {}
  plugins::Store* store() override { return nullptr; }
  std::vector<std::string> problems() const override { return {}; }
  void when_indexed(std::function<void()> act) override { act(); }
  void when_encoded(std::function<void()> act) override { act(); }
  void log_error(const Error&) override {}
  bool end() override { return true; }
  void shutdown() override {}

  std::uint64_t cancelled = 0;
  bool closed = false;
};

/// Stores the reply of a call as one line.
struct Recorder {
  std::string told;
  quarry_reply reply{sizeof(quarry_reply), this, value, failure};

  static void value(const quarry_reply* self, quarry_text json) {
    EXPECT_EQ(services::LogScope::current(), nullptr);
    static_cast<Recorder*>(self->context)->told = std::string(json.data, json.size);
  }
  static void failure(const quarry_reply* self, const quarry_failure* failure) {
    static_cast<Recorder*>(self->context)->told =
        std::to_string(failure->status) + " " +
        std::string(failure->message.data, failure->message.size) + " " +
        std::string(failure->details.data, failure->details.size);
  }
};

class Table : public ::testing::Test {
 protected:
  std::string call(std::string_view method, std::string_view params = "{}") {
    Recorder recorder;
    table_.get()->call(table_.get(), {method.data(), method.size()}, {params.data(), params.size()},
                       &recorder.reply);
    return recorder.told;
  }
  quarry_reader* open(std::string_view id, int* wakes) {
    return table_.get()->open_reader(
        table_.get(), {id.data(), id.size()}, 0,
        [](void* count) {
          EXPECT_EQ(services::LogScope::current(), nullptr);
          ++*static_cast<int*>(count);
        },
        wakes);
  }

  FakeEngine engine_;
  EngineTable table_{engine_};
};

TEST_F(Table, PassesValuesAndFailuresOn) {
  EXPECT_EQ(call("echo", "{\"x\":1}"), "{\"x\":1}");
  EXPECT_EQ(call("other"),
            R"(2 no such method {"fields":[{"field":"/a","message":"is odd"}],"tag":"NotFound"})");
}

/// A transport may go on to another request on the thread of a reply or a wake-up.
TEST_F(Table, LeavesTheIdsOfARequestToTheEngine) {
  const services::LogScope scope(std::make_shared<const services::LogSubject>());
  EXPECT_EQ(call("echo", "{}"), "{}");
  int wakes = 0;
  table_.get()->close_reader(open("known", &wakes));
  EXPECT_EQ(wakes, 1);
  EXPECT_NE(services::LogScope::current(), nullptr);
}

TEST_F(Table, PassesNoSecretOfAModelOn) {
  const std::string told = call(
      "models.select", R"({"provider":"p","model":"","providerOptions":{"api_key":{"env":"A"}}})");
  EXPECT_THAT(told, ::testing::HasSubstr("not accepted over the network"));
  EXPECT_THAT(told, ::testing::HasSubstr("/providerOptions/api_key"));
}

TEST_F(Table, TurnsAnExceptionIntoAFailure) {
  EXPECT_THAT(call("throw"), ::testing::StartsWith("10 broken"));
}

TEST_F(Table, PassesCancellationOn) {
  table_.get()->cancel(table_.get(), 9);
  EXPECT_EQ(engine_.cancelled, 9u);
}

TEST_F(Table, ReadsEventsAndClosesReaders) {
  int wakes = 0;
  EXPECT_EQ(open("unknown", &wakes), nullptr);
  quarry_reader* reader = open("known", &wakes);
  EXPECT_EQ(wakes, 1);
  std::string seen;
  const auto visit = [](void* context, const quarry_event* event) {
    *static_cast<std::string*>(context) += std::to_string(event->number) + " " +
                                           std::string(event->type.data, event->type.size) + " " +
                                           std::string(event->json.data, event->json.size) + "; ";
  };
  EXPECT_EQ(table_.get()->read(reader, 1000, visit, &seen), QUARRY_READ_END);
  EXPECT_EQ(seen, "1 meta {}; 2 done {\"a\":1}; ");
  table_.get()->close_reader(reader);
  EXPECT_TRUE(engine_.closed);
}

}  // namespace
}  // namespace quarry::engine
