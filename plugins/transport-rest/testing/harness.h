#pragma once

#include "engine_client/testing/fake_engine.h"
#include "http_server/testing/client.h"
#include "http_server/testing/limits.h"
#include "http_server/testing/threads.h"
#include "transport-rest/surface.h"

#include <memory>
#include <quarry_test.h>
#include <string>

#include <gtest/gtest.h>

namespace quarry::rest::testing {

using engine_client::testing::FakeEngine;

/// A surface that listens on a free port, with a fake engine.
class SurfaceTest : public ::testing::Test {
 protected:
  using Client = http_server::testing::Client;

  void SetUp() override { start(); }

  /// Starts, or restarts with changed options.
  void start() {
    stop();
    calls_ = std::make_unique<engine_client::EngineCalls>(engine_.table());
    surface_ = std::make_unique<Surface>(*calls_, options_);
    server_ = std::make_unique<http_server::Server>(threads_.table(), nullptr, *surface_,
                                                    server_options_);
    ASSERT_EQ(server_->start(), "");
  }

  void stop(std::chrono::milliseconds grace = {}) {
    if (!server_) return;
    server_->stop(grace);
    EXPECT_TRUE(calls_->wait_until_idle(patience(std::chrono::seconds(10))));
    server_.reset();
  }

  void TearDown() override {
    engine_.release();
    stop();
    EXPECT_EQ(engine_.open_readers(), 0);
    EXPECT_EQ(threads_.running(), 0);
  }

  [[nodiscard]] std::uint16_t port() const { return server_->addresses().front().port; }
  Client::Answer fetch(std::string_view request) const {
    return http_server::testing::fetch(port(), request);
  }

  FakeEngine engine_;
  http_server::testing::Threads threads_;
  SurfaceOptions options_{{}, {}, "1.2.3", {}};
  http_server::ServerOptions server_options_{.listen = {{"127.0.0.1", 0}},
                                             .limits = http_server::testing::patient_limits()};
  std::unique_ptr<engine_client::EngineCalls> calls_;
  std::unique_ptr<Surface> surface_;
  std::unique_ptr<http_server::Server> server_;
};

}  // namespace quarry::rest::testing
