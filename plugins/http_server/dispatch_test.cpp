#include "http_server/server.h"
#include "http_server/testing/client.h"
#include "http_server/testing/limits.h"
#include "http_server/testing/threads.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace quarry::http_server {
namespace {

using std::chrono::milliseconds;
using testing::Client;
using testing::wait_until;

/// Starts a stream for every client, which the test writes to; /wait blocks the loop.
class StreamHandler final : public Handler {
 public:
  void handle(const Request& request, Responder responder) override {
    responder.start_stream({});
    responder.on_closed([this] { ++closed; });
    const std::string path(request.path);
    {
      const std::lock_guard lock(mutex_);
      streams_.push_back(std::move(responder));
    }
    ++opened;
    if (path == "/wait") go_on.wait(false);
  }
  std::optional<Response> refuse_early(const Request&) override { return std::nullopt; }
  Response describe(const Refusal&) override { return {}; }

  Responder stream(std::size_t index) {
    const std::lock_guard lock(mutex_);
    return streams_[index];
  }

  std::atomic<std::size_t> opened{0};
  std::atomic<int> closed{0};
  std::atomic<bool> go_on{false};

 private:
  std::mutex mutex_;
  std::vector<Responder> streams_;
};

class DispatchTest : public ::testing::Test {
 protected:
  static ServerOptions on_loopback() {
    ServerOptions options;
    options.listen = {{"127.0.0.1", 0}};
    options.limits = testing::patient_limits();
    return options;
  }

  DispatchTest() { EXPECT_EQ(server_.start(), ""); }

  Responder open(Client& client, std::string_view path = "/") {
    const std::size_t before = handler_.opened;
    client.send("GET " + std::string(path) + " HTTP/1.0\r\n\r\n");  // so that it is not chunked
    EXPECT_TRUE(wait_until([&] { return handler_.opened > before; }));
    return handler_.stream(before);
  }
  static std::string body(Client& client) {
    const std::string all = client.receive_all();
    return all.substr(std::min(all.find("\r\n\r\n"), all.size() - 4) + 4);
  }
  [[nodiscard]] std::uint16_t port() const { return server_.addresses().front().port; }

  testing::Threads threads_;
  StreamHandler handler_;
  Server server_{threads_.table(), nullptr, handler_, on_loopback()};
};

TEST_F(DispatchTest, RunsAJobAtOnceWhenTheLoopHasNothingToDo) {
  Client client(port());
  const Responder stream = open(client);
  const auto here = std::this_thread::get_id();
  ASSERT_TRUE(wait_until([&] {
    bool ran_here = false;
    const auto done = std::make_shared<std::atomic<bool>>(false);
    stream.dispatch([&ran_here, here, done] {
      if (std::this_thread::get_id() == here) ran_here = true;
      *done = true;
    });
    EXPECT_TRUE(wait_until([&] { return done->load(); }));
    return ran_here;
  }));
  stream.dispatch([stream] {
    stream.write("from afar");
    stream.end_stream();
  });
  EXPECT_EQ(body(client), "from afar");
}

TEST_F(DispatchTest, DestroysAJobBeforeTheLoopCanGoOn) {
  Client client(port());
  const Responder stream = open(client);
  std::atomic<int> inner_run_at_once{0};
  for (int i = 0; i < 200; ++i) {
    const auto destroyed = std::make_shared<std::atomic<bool>>(false);
    const auto on_destruction = [&, destroyed](void*) {
      // Run at once only if no thread uses the loop any more.
      const auto inner_ran = std::make_shared<std::atomic<bool>>(false);
      stream.dispatch([inner_ran] { *inner_ran = true; });
      if (*inner_ran) ++inner_run_at_once;
      *destroyed = true;
    };
    stream.dispatch([owned = std::shared_ptr<void>(&client, on_destruction)] {});
    ASSERT_TRUE(wait_until([&] { return destroyed->load(); }));
  }
  EXPECT_EQ(inner_run_at_once, 0);
}

TEST_F(DispatchTest, LeavesAJobToALoopThatIsBusyAndDoesNotWaitForIt) {
  Client client(port());
  const Responder stream = open(client, "/wait");
  std::optional<std::thread::id> ran_on;
  stream.dispatch([&ran_on, stream] {
    ran_on = std::this_thread::get_id();
    stream.write("later");
    stream.end_stream();
  });
  EXPECT_FALSE(ran_on);
  handler_.go_on = true;
  handler_.go_on.notify_all();
  EXPECT_EQ(body(client), "later");
  server_.stop(milliseconds(0));
  ASSERT_TRUE(ran_on);
  EXPECT_NE(*ran_on, std::this_thread::get_id());
}

TEST_F(DispatchTest, RunsNoJobWithinAnother) {
  Client client(port());
  const Responder stream = open(client);
  stream.dispatch([stream] {
    stream.dispatch([stream] {
      stream.write("second");
      stream.end_stream();
    });
    stream.write("first, ");
  });
  EXPECT_EQ(body(client), "first, second");
}

TEST_F(DispatchTest, GivesWhatComesInGreatNumbersToTheLoopsOwnThread) {
  Client client(port());
  const Responder stream = open(client);
  std::atomic<int> here{0}, there{0};
  const auto me = std::this_thread::get_id();
  constexpr int kJobs = 20'000;
  for (int i = 0; i < kJobs; ++i) {
    stream.dispatch([&, me] { ++(std::this_thread::get_id() == me ? here : there); });
  }
  ASSERT_TRUE(wait_until([&] { return here + there == kJobs; }));
  EXPECT_GT(there, 0);
}

TEST_F(DispatchTest, DropsAJobOnceTheServerHasStopped) {
  Client client(port());
  const Responder stream = open(client);
  server_.stop(milliseconds(0));
  bool ran = false;
  stream.dispatch([&ran] { ran = true; });
  EXPECT_FALSE(ran);
}

TEST_F(DispatchTest, FindsAStreamOverWhoseClientHasGone) {
  Client client(port());
  const Responder stream = open(client);
  client.reset();
  ASSERT_TRUE(wait_until([&] { return handler_.closed == 1; }));
  std::atomic<bool> over{false};
  stream.dispatch([&over, stream] {
    stream.write("nobody reads this");
    over = stream.over();
  });
  EXPECT_TRUE(wait_until([&] { return over.load(); }));
}

TEST_F(DispatchTest, WritesOfSeveralThreadsStayWholeAndInTheirOrder) {
  constexpr int kClients = 8, kWrites = 400;
  std::vector<std::unique_ptr<Client>> clients;
  std::vector<Responder> streams;
  for (int i = 0; i < kClients; ++i) {
    clients.push_back(std::make_unique<Client>(port()));
    streams.push_back(open(*clients.back()));
  }
  std::string expected;
  for (int i = 0; i < kWrites; ++i) expected += std::to_string(i) + ",";
  std::vector<std::thread> writers;
  for (int half = 0; half < 2; ++half) {
    writers.emplace_back([&streams, half] {
      for (int i = 0; i < kWrites; ++i) {
        for (int c = half; c < kClients; c += 2) {
          std::atomic<bool> written{false};
          streams[c].dispatch([&, i] {
            streams[c].write(std::to_string(i) + ",");
            if (i == kWrites - 1) streams[c].end_stream();
            written = true;
          });
          wait_until([&] { return written.load(); });
        }
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  for (const auto& client : clients) EXPECT_EQ(body(*client), expected);
}

}  // namespace
}  // namespace quarry::http_server
