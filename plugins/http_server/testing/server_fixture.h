#pragma once

#include "http_server/server.h"
#include "http_server/testing/client.h"
#include "http_server/testing/limits.h"
#include "http_server/testing/threads.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace quarry::http_server::testing {

/// Echoes; /later responds from another thread, /stream and /flood stream, /never does not respond,
/// /throw responds after a job that throws, /peer names the peer, and /hold holds the loop until
/// `go_on`.
class EchoHandler final : public Handler {
 public:
  ~EchoHandler() override {
    for (std::thread& thread : threads_) thread.join();
  }

  void handle(const Request& request, Responder responder) override {
    ++handled;
    if (request.path == "/later") return later(responder);
    if (request.path == "/stream") return stream(responder);
    if (request.path == "/flood") return flood(responder);
    if (request.path == "/throw") return throw_and_answer(responder);
    if (request.path == "/peer") return responder.send(Response::json(std::string(request.peer)));
    if (request.path == "/hold") go_on.wait(false);
    if (request.path == "/never") return responder.on_closed([this] { ++closed; });
    responder.send(Response::json(std::string(request.method) + " " + std::string(request.target) +
                                  " " + std::string(request.body)));
  }

  std::optional<Response> refuse_early(const Request& head) override {
    if (head.path != "/early") return std::nullopt;
    Response response = Response::json("early");
    response.status = 415;
    return response;
  }

  Response describe(const Refusal& refusal) override {
    Response response = Response::json(std::string(refusal.message));
    response.status = refusal.status;
    return response;
  }

  std::atomic<int> handled{0};
  std::atomic<int> closed{0};
  std::atomic<bool> go_on{false};
  std::atomic<std::size_t> flooded{0};

 private:
  void later(const Responder& responder) {
    const std::lock_guard lock(mutex_);
    threads_.emplace_back([responder] { responder.send(Response::json("late")); });
  }

  static void throw_and_answer(const Responder& responder) {
    responder.post([] { throw std::runtime_error("this job has failed"); });
    responder.post([responder] { responder.send(Response::json("still here")); });
  }

  void stream(const Responder& responder) {
    Response head;
    head.content_type = "text/event-stream";
    responder.start_stream(head);
    responder.write("one");
    responder.on_closed([this] { ++closed; });
    responder.after(std::chrono::milliseconds(1), [responder] {
      responder.write("two");
      responder.end_stream();
    });
  }

  /// Writes again whenever all written bytes were sent, without end.
  void flood(const Responder& responder) {
    responder.start_stream({});
    responder.on_closed([this] { ++closed; });
    const auto more = [this, responder] {
      while (!responder.over() && responder.unsent() == 0) {
        responder.write(std::string(16 * 1024, 'x'));
        flooded += 16 * 1024;
      }
    };
    responder.on_drained(more);
    more();
  }

  std::mutex mutex_;
  std::vector<std::thread> threads_;
};

/// A server with an EchoHandler, which start() starts.
class ServerFixture : public ::testing::Test {
 protected:
  void start() {
    server_ = std::make_unique<Server>(threads_.table(), nullptr, handler_, options_);
    ASSERT_EQ(server_->start(), "");
  }

  void TearDown() override {
    server_.reset();
    EXPECT_EQ(threads_.running(), 0);
  }

  [[nodiscard]] std::uint16_t port() const { return server_->addresses().front().port; }
  Client::Answer fetch(std::string_view request) const { return testing::fetch(port(), request); }

  Threads threads_;
  EchoHandler handler_;
  ServerOptions options_{.listen = {{"127.0.0.1", 0}}, .limits = patient_limits()};
  std::unique_ptr<Server> server_;
};

}  // namespace quarry::http_server::testing
