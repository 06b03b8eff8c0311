#pragma once

#include "fakes.h"
#include "http_server/testing/client.h"
#include "http_server/testing/limits.h"
#include "http_server/testing/threads.h"
#include "mcp_server/surface.h"

#include <memory>
#include <string>

#include <gtest/gtest.h>

namespace quarry::mcp::testing {

/// A surface that listens on a free port, with a fake catalogue and fake tokens.
class SurfaceTest : public ::testing::Test {
 protected:
  using Client = http_server::testing::Client;

  void SetUp() override {
    options_.sessions = true;
    start();
  }

  /// Starts, or restarts with changed options.
  void start() {
    stop();
    surface_ = std::make_unique<Surface>(catalogue_, access_, options_);
    server_ = std::make_unique<http_server::Server>(threads_.table(), nullptr, *surface_,
                                                    server_options_);
    ASSERT_EQ(server_->start(), "");
  }

  void stop() {
    if (!server_) return;
    server_->stop({});
    surface_->end_all();
    server_.reset();
  }

  void TearDown() override {
    stop();
    EXPECT_EQ(catalogue_.waiting(), 0U);
    EXPECT_EQ(threads_.running(), 0);
  }

  [[nodiscard]] std::uint16_t port() const { return server_->addresses().front().port; }

  static std::string request(std::string_view body, std::string_view fields = {},
                             std::string_view token = "alice") {
    return http_server::testing::with_json(
        "POST", "/api/mcp", body,
        "Authorization: Bearer " + std::string(token) + "\r\n" + std::string(fields));
  }
  Client::Answer post(std::string_view body, std::string_view fields = {},
                      std::string_view token = "alice") const {
    return http_server::testing::fetch(port(), request(body, fields, token));
  }
  /// A request of the interface shape or, depending on the header fields, of the legacy era.
  static std::string call(std::string_view method, std::string_view params = "{}",
                          std::string_view id = "1") {
    return R"({"jsonrpc":"2.0","id":)" + std::string(id) + R"(,"method":")" + std::string(method) +
           R"(","params":)" + std::string(params) + "}";
  }
  /// `params` is an object without its first brace: `"name":"echo"}`.
  static std::string modern_call(std::string_view method, std::string_view params,
                                 std::string_view id = "1") {
    const std::string meta =
        R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
        R"("io.modelcontextprotocol/clientCapabilities":{},"progressToken":"p"})";
    return call(method, meta + (params == "}" ? "" : ",") + std::string(params), id);
  }
  static std::string modern_fields(std::string_view method, std::string_view name = {}) {
    return std::string(kStream) +
           "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: " + std::string(method) + "\r\n" +
           (name.empty() ? "" : "Mcp-Name: " + std::string(name) + "\r\n");
  }
  static constexpr std::string_view kStream = "Accept: application/json, text/event-stream\r\n";

  FakeCatalogue catalogue_;
  FakeAccess access_;
  http_server::testing::Threads threads_;
  SurfaceOptions options_;
  http_server::ServerOptions server_options_{.listen = {{"127.0.0.1", 0}},
                                             .limits = http_server::testing::patient_limits()};
  std::unique_ptr<Surface> surface_;
  std::unique_ptr<http_server::Server> server_;
};

}  // namespace quarry::mcp::testing
