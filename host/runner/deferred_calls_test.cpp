#include "runner/testing/models_fixture.h"
#include "services/io_thread.h"

#include <future>
#include <thread>
#include <vector>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

namespace quarry::runner {
namespace {

using namespace std::chrono_literals;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using Exchange = plugins::ModelExchange;

/// Runs an I/O thread.
class IoLoop {
 public:
  ~IoLoop() {
    work_.reset();
    loop_.join();
  }
  [[nodiscard]] services::IoThread& thread() { return thread_; }
  [[nodiscard]] bool is_this_thread() const { return std::this_thread::get_id() == loop_.get_id(); }
  /// Runs `function` on the thread, and waits for it.
  template <class Function>
  void run(Function function) {
    std::promise<void> done;
    thread_.post([&] {
      function();
      done.set_value();
    });
    done.get_future().wait();
  }

 private:
  boost::asio::io_context io_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{
      io_.get_executor()};
  services::IoThread thread_{io_};
  std::thread loop_{[this] { io_.run(); }};
};

/// The plugin org.example.models in a runner whose exchanges are called without waiting.
class DeferredModels : public IsolatedModels {
 protected:
  void SetUp() override {
    runners_.io = &loop_.thread();
    IsolatedModels::SetUp();
  }
  std::unique_ptr<Exchange> begin(std::string_view request = "question") {
    auto exchange = model("exchange")->begin(request);
    EXPECT_TRUE(exchange) << exchange.error().message;
    return std::move(*exchange);
  }
  using Function = std::function<void(plugins::DeferredExchange<plugins::ModelSink>&,
                                      std::function<void()> done)>;
  /// Begins a function of the exchange on the I/O thread, and returns once it has ended.
  void call(Exchange& exchange, const Function& function) {
    std::promise<void> done;
    loop_.thread().post([&] {
      const auto returned = std::make_shared<bool>(false);
      function(*exchange.deferred(), [this, &done, returned] {
        EXPECT_TRUE(*returned) << "it has waited";
        EXPECT_TRUE(loop_.is_this_thread());
        done.set_value();
      });
      *returned = true;
    });
    done.get_future().wait();
  }
  void give(Exchange& exchange, std::string_view bytes, Transcript& transcript) {
    call(exchange,
         [&](auto& functions, auto done) { functions.data(bytes, transcript, std::move(done)); });
  }

  IoLoop loop_;
};

TEST_F(DeferredModels, TranslateAsOthersDo) {
  const auto exchange = begin();
  ASSERT_TRUE(exchange->request());
  Transcript transcript;
  const services::HttpHeader header{"Etag", "one", ""};
  call(*exchange, [&](auto& functions, auto done) {
    functions.head(200, {&header, 1}, transcript, std::move(done));
  });
  EXPECT_EQ(transcript.said, "text 200one;");
  give(*exchange, "bytes", transcript);
  call(*exchange,
       [&](auto& functions, auto done) { functions.end(true, transcript, std::move(done)); });
  EXPECT_EQ(transcript.said, "text 200one;text bytes;finish 0");
}

TEST_F(DeferredModels, OfAResponseThatBrokeEndWithTheError) {
  const auto exchange = begin("cut");
  Transcript transcript;
  call(*exchange,
       [&](auto& functions, auto done) { functions.end(false, transcript, std::move(done)); });
  EXPECT_EQ(transcript.failed.http_status, 503);
}

TEST_F(DeferredModels, AreCalledManyAtOnce) {
  constexpr std::size_t kExchanges = 100;
  constexpr std::size_t kParts = 20;
  std::vector<std::unique_ptr<Exchange>> exchanges;
  std::vector<Transcript> transcripts(kExchanges);
  for (std::size_t i = 0; i < kExchanges; ++i) exchanges.push_back(begin());
  std::size_t running = kExchanges;
  std::promise<void> done;
  std::function<void(std::size_t, std::size_t)> give_part = [&](std::size_t i, std::size_t part) {
    if (part == kParts) {
      if (--running == 0) done.set_value();
      return;
    }
    exchanges[i]->deferred()->data(std::to_string(part), transcripts[i],
                                   [&, i, part] { give_part(i, part + 1); });
  };
  loop_.thread().post([&] {
    for (std::size_t i = 0; i < kExchanges; ++i) give_part(i, 0);
  });
  done.get_future().wait();
  std::string expected;
  for (std::size_t part = 0; part < kParts; ++part) {
    expected += "text " + std::to_string(part) + ";";
  }
  for (const Transcript& transcript : transcripts) EXPECT_EQ(transcript.said, expected);
}

TEST_F(DeferredModels, TakeMoreThanTheSocketHolds) {
  constexpr std::size_t kExchanges = 8;
  const std::string large(1u << 20, 'x');
  std::vector<std::unique_ptr<Exchange>> exchanges;
  std::vector<Transcript> transcripts(kExchanges);
  for (std::size_t i = 0; i < kExchanges; ++i) exchanges.push_back(begin());
  std::size_t running = kExchanges;
  std::promise<void> done;
  loop_.thread().post([&] {
    for (std::size_t i = 0; i < kExchanges; ++i) {
      exchanges[i]->deferred()->data(large, transcripts[i], [&] {
        if (--running == 0) done.set_value();
      });
    }
  });
  done.get_future().wait();
  for (const Transcript& transcript : transcripts) EXPECT_EQ(transcript.bytes, large.size());
}

TEST_F(DeferredModels, ThatHangHoldUpNothingAndFailAtTheirLimit) {
  const auto exchange = begin();
  Transcript transcript;
  std::promise<void> done;
  bool ended = false;
  // Its time is checked twice before it is over, so that the second job precedes its end.
  loop_.thread().post([&] {
    exchange->deferred()->data("hang", transcript, [&] {
      ended = true;
      done.set_value();
    });
    loop_.thread().post([&] { EXPECT_FALSE(ended); });
  });
  done.get_future().wait();
  EXPECT_THAT(transcript.said, HasSubstr("did not answer data within 1 s"));
}

TEST_F(DeferredModels, MayWaitForOthersThatTheRunnerAnswers) {
  const auto busy = begin();
  const auto hung = begin();
  Transcript said;
  Transcript failed;
  std::promise<bool> done;
  bool stopped = false;
  const auto until = std::chrono::steady_clock::now() + 1500ms;
  std::function<void()> next = [&] {
    stopped = std::chrono::steady_clock::now() >= until;
    if (!stopped) busy->deferred()->data("a", said, next);
  };
  loop_.thread().post([&] {
    hung->deferred()->data("hang", failed, [&] { done.set_value(stopped); });
    next();
  });
  EXPECT_TRUE(done.get_future().get()) << "it was ended while others were answered";
  EXPECT_THAT(failed.said, HasSubstr("did not answer data within 1 s"));
}

TEST_F(DeferredModels, OfARunnerThatCrashedFailAndNewOnesBegin) {
  const auto lost = begin();
  const auto crashing = begin();
  Transcript crashed;
  give(*crashing, "crash", crashed);
  EXPECT_THAT(crashed.said, HasSubstr("was killed by signal 4 (Illegal instruction), while it ran "
                                      "data"));
  Transcript after;
  give(*lost, "bytes", after);
  EXPECT_THAT(after.said, StartsWith("error plugin org.example.models (isolated) was killed"));
  EXPECT_EQ(after.failed.retry_after_ms, 0) << "it may be asked again";
  EXPECT_EQ(crashed.failed.retry_after_ms, -1);
  const auto next = begin();
  Transcript transcript;
  give(*next, "bytes", transcript);
  EXPECT_EQ(transcript.said, "text bytes;");
}

TEST_F(DeferredModels, LeaveTheSocketToThreadsThatWait) {
  const auto exchange = begin();
  Transcript transcript;
  for (int i = 0; i < 20; ++i) {
    give(*exchange, "a", transcript);
    EXPECT_TRUE(model("echo")->models({}));
  }
  EXPECT_EQ(transcript.deltas, 20u);
}

TEST_F(DeferredModels, EndWithoutTheIoThread) {
  auto exchange = begin();
  Transcript transcript;
  give(*exchange, "bytes", transcript);
  loop_.run([] {});
  exchange.reset();
  registry_.reset();
  EXPECT_EQ(transcript.said, "text bytes;");
}

ConnectionOptions peer_options(const char* manner, services::IoThread& io) {
  return {.plugin = "org.example.peer",
          .command = {QUARRY_BUILD_DIR "/tests/runner_peer", manner},
          .hello = {.protocol = kProtocol},
          .components = 1,
          .start_limit = patience(10s),
          .call_limit = [](Function) { return std::chrono::hours(1); },
          .grace = 100ms,
          .io = &io};
}

/// A runner that does not read what it is sent.
TEST(DeferredCalls, OfAPeerThatDoesNotReadFail) {
  IoLoop loop;
  auto connection = Connection::start(peer_options("deaf", loop.thread()));
  ASSERT_TRUE(connection) << connection.error().message;
  std::promise<std::string> failed;
  int left = 4;
  loop.run([&] {
    for (int i = 0; i < 4; ++i) {
      (*connection)
          ->defer(
              {.function = Function::kData,
               .instance = 1,
               .arguments = [](PacketWriter& packet) { packet.text(std::string(1u << 20, 'x')); },
               .receiver = nullptr,
               .done =
                   [&](const Result<Answer>& answer, const Lost&) {
                     if (--left == 0) failed.set_value(answer ? "" : answer.error().message);
                   }});
    }
  });
  EXPECT_THAT(failed.get_future().get(), HasSubstr("did not read what it was sent for 100 ms"));
  loop.run([&] { connection->reset(); });
}

/// The outcomes fill the socket, and the I/O thread must not wait for it.
TEST(DeferredCalls, OfAPeerThatReadsNoOutcomesOfItsRequestsFail) {
  IoLoop loop;
  auto options = peer_options("ending requests", loop.thread());
  options.host = &kSilentHost;
  options.grace = 1h;
  auto connection = Connection::start(std::move(options));
  ASSERT_TRUE(connection) << connection.error().message;
  std::promise<std::string> failed;
  loop.run([&] {
    (*connection)
        ->defer(
            {.function = Function::kData,
             .instance = 1,
             .arguments = [](PacketWriter&) {},
             .receiver = nullptr,
             .done = [&](const Result<Answer>& answer,
                         const Lost&) { failed.set_value(answer ? "" : answer.error().message); }});
  });
  EXPECT_THAT(failed.get_future().get(), HasSubstr("asked for too many services at once"));
  loop.run([&] { connection->reset(); });
}

}  // namespace
}  // namespace quarry::runner
