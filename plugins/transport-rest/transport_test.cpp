#include "transport-rest/transport.h"

#include "engine_client/testing/fake_engine.h"
#include "http_server/testing/client.h"
#include "http_server/testing/threads.h"
#include "http_server/testing/tls_client.h"

#include <quarry/secrets.h>

#include <quarry_test.h>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace quarry::rest::testing {
namespace {

using engine_client::testing::FakeEngine;
using http_server::testing::fetch;
using http_server::testing::get;

constexpr char kAnyPort[] = R"({"listen": "127.0.0.1:0"})";

/// A host with threads, a recorded log, and the one secret "TOKEN".
class FakeHost {
 public:
  FakeHost()
      : table_{sizeof(quarry_host), QUARRY_ABI_MAJOR, QUARRY_ABI_MINOR, this,
               as_text("1"),        service,          nullptr,          nullptr},
        log_{sizeof(quarry_log_v1), this, write,
             [](const quarry_log_v1*, std::int32_t level) {
               return std::int32_t{level >= QUARRY_LOG_WARNING};
             }},
        secrets_{sizeof(quarry_secrets_v1), nullptr, secret, nullptr} {}

  [[nodiscard]] Host host() const { return Host(&table_); }

  http_server::testing::Threads threads;
  std::vector<std::string> lines;
  bool has_threads = true;

 private:
  static const void* service(const quarry_host* self, const char* id) {
    const auto& host = *static_cast<FakeHost*>(self->context);
    const std::string_view name = id;
    if (name == QUARRY_WORK && host.has_threads) return &host.threads.table();
    if (name == QUARRY_LOG) return &host.log_;
    if (name == QUARRY_SECRETS) return &host.secrets_;
    return nullptr;
  }
  static void write(const quarry_log_v1* self, std::int32_t, quarry_text line) {
    static_cast<FakeHost*>(self->context)->lines.emplace_back(as_view(line));
  }
  static void secret(const quarry_secrets_v1*, const quarry_call*, quarry_text name,
                     const quarry_reply* reply) {
    const std::string value = '"' + test_key() + '"';
    if (as_view(name) == "TOKEN") return reply->value(reply, as_text(value));
    const quarry_failure failure{
        sizeof(quarry_failure), QUARRY_NOT_FOUND, as_text("it is not set"), {}, {}};
    reply->failure(reply, &failure);
  }

  quarry_host table_;
  quarry_log_v1 log_;
  quarry_secrets_v1 secrets_;
};

std::uint16_t port_of(const std::string& value) {
  const std::string url = nlohmann::json::parse(value)["listening"][0];
  return static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1)));
}

TEST(Transport, ServesBetweenStartAndStopAndAgain) {
  FakeHost host;
  FakeEngine engine;
  auto transport = Transport::create(host.host(), Call(nullptr), kAnyPort, "9");
  ASSERT_TRUE(transport);
  for (int round = 0; round < 2; ++round) {
    const auto started = (*transport)->start(engine.table());
    ASSERT_TRUE(started) << started.error().message;
    EXPECT_EQ(fetch(port_of(*started), get("/livez")).status, 200);
    (*transport)->stop(std::chrono::milliseconds(0));
    EXPECT_EQ(host.threads.running(), 0);
  }
}

TEST(Transport, ReportsAPortThatIsTaken) {
  FakeHost host;
  FakeEngine engine;
  auto first = Transport::create(host.host(), Call(nullptr), kAnyPort, "9");
  const auto started = (*first)->start(engine.table());
  const std::string same = R"({"listen": "127.0.0.1:)" + std::to_string(port_of(*started)) + "\"}";
  auto second = Transport::create(host.host(), Call(nullptr), same, "9");
  const auto refused = (*second)->start(engine.table());
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("in use"), std::string::npos);
  EXPECT_FALSE(refused.error().hint.empty());
  (*second)->stop({});
  (*first)->stop({});
}

TEST(Transport, AsksForTheTokenOfTheSecret) {
  FakeHost host;
  FakeEngine engine;
  engine.answer("resources.list", "{}");
  auto transport = Transport::create(host.host(), Call(nullptr),
                                     R"({"listen": "0.0.0.0:0", "auth_token": "TOKEN"})", "9");
  ASSERT_TRUE(transport) << transport.error().message;
  const auto started = (*transport)->start(engine.table());
  const std::uint16_t port = port_of(*started);
  EXPECT_EQ(fetch(port, get("/resources")).status, 401);
  EXPECT_EQ(fetch(port, get("/resources", "Authorization: Bearer " + test_key() + "\r\n")).status,
            200);
  (*transport)->stop({});
  ASSERT_EQ(host.lines.size(), 1U);
  EXPECT_NE(host.lines[0].find("without TLS"), std::string::npos);
}

TEST(Transport, SpeaksTlsWithTheFilesOfItsConfiguration) {
  http_server::testing::TemporaryIdentity identity;
  FakeHost host;
  FakeEngine engine;
  const nlohmann::json configuration{
      {"listen", "0.0.0.0:0"},
      {"auth_token", "TOKEN"},
      {"tls", {{"certificate", identity.files().certificate}, {"key", identity.files().key}}}};
  auto transport = Transport::create(host.host(), Call(nullptr), configuration.dump(), "9");
  ASSERT_TRUE(transport) << transport.error().message;
  const auto started = (*transport)->start(engine.table());
  EXPECT_NE(started->find("https://"), std::string::npos);
  http_server::testing::TlsClient client(port_of(*started));
  client.send(get("/livez"));
  EXPECT_NE(client.receive_until("true}").find("200 OK"), std::string::npos);
  (*transport)->stop({});
  EXPECT_TRUE(host.lines.empty());
}

TEST(Transport, RefusesASecretThatIsNotThere) {
  FakeHost host;
  const auto refused =
      Transport::create(host.host(), Call(nullptr), R"({"auth_token": "OTHER"})", "9");
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("OTHER"), std::string::npos);
  EXPECT_NE(refused.error().fields.find("/auth_token"), std::string::npos);
}

TEST(Transport, WarnsLoudlyWhenItListensWideWithoutAToken) {
  FakeHost host;
  EXPECT_FALSE(Transport::create(host.host(), Call(nullptr), R"({"listen": "0.0.0.0:0"})", "9"));
  EXPECT_TRUE(Transport::create(host.host(), Call(nullptr),
                                R"({"listen": "0.0.0.0:0", "insecure": true})", "9"));
  ASSERT_EQ(host.lines.size(), 1U);
  EXPECT_NE(host.lines[0].find("INSECURE"), std::string::npos);
}

TEST(Transport, NeedsThreadsOfTheHost) {
  FakeHost host;
  host.has_threads = false;
  FakeEngine engine;
  auto transport = Transport::create(host.host(), Call(nullptr), kAnyPort, "9");
  EXPECT_FALSE((*transport)->start(engine.table()));
}

}  // namespace
}  // namespace quarry::rest::testing
