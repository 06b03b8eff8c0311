#include "http_server/server.h"
#include "http_server/testing/client.h"
#include "http_server/testing/limits.h"
#include "http_server/testing/threads.h"
#include "http_server/testing/tls_client.h"

#include <fstream>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <openssl/ssl.h>

namespace quarry::http_server {
namespace {

using testing::Client;
using testing::get;
using testing::TemporaryIdentity;
using testing::TlsClient;
using testing::with_json;

/// Echoes; /large responds with 5 MB, /stream streams, /peer responds with the peer's address.
class SayingHandler final : public Handler {
 public:
  void handle(const Request& request, Responder responder) override {
    if (request.path == "/peer") return responder.send(Response::json(std::string(request.peer)));
    if (request.path == "/large")
      return responder.send(Response::json(std::string(5'000'000, 'x')));
    if (request.path != "/stream") return responder.send(Response::json(std::string(request.body)));
    responder.start_stream({});
    responder.write("one");
    responder.after(std::chrono::milliseconds(1), [responder] {
      responder.write("two");
      responder.end_stream();
    });
  }
  std::optional<Response> refuse_early(const Request&) override { return std::nullopt; }
  Response describe(const Refusal& refusal) override {
    Response response = Response::json(std::string(refusal.message));
    response.status = refusal.status;
    return response;
  }
};

class TlsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto identity = TlsIdentity::load(identity_.files());
    ASSERT_TRUE(identity) << identity.failure().message;
    options_.tls = *identity;
    options_.names_peers = true;
    start();
  }
  void start() {
    server_ = std::make_unique<Server>(threads_.table(), &log_, handler_, options_);
    ASSERT_EQ(server_->start(), "");
  }
  [[nodiscard]] std::uint16_t port() const { return server_->addresses().front().port; }

  [[nodiscard]] std::string first_warning() {
    const std::lock_guard lock(mutex_);
    return warnings_.empty() ? std::string() : warnings_.front();
  }
  static void warn(const quarry_log_v1* self, std::int32_t, quarry_text line) {
    auto& test = *static_cast<TlsTest*>(self->context);
    const std::lock_guard lock(test.mutex_);
    test.warnings_.emplace_back(line.data, line.size);
  }

  std::mutex mutex_;
  std::vector<std::string> warnings_;  // under mutex_
  quarry_log_v1 log_{sizeof(quarry_log_v1), this, warn, nullptr};
  TemporaryIdentity identity_;
  SayingHandler handler_;
  testing::Threads threads_;
  ServerOptions options_{.listen = {{"127.0.0.1", 0}}, .limits = testing::patient_limits()};
  std::unique_ptr<Server> server_;
};

TEST_F(TlsTest, AnswersAsItDoesWithoutTls) {
  EXPECT_TRUE(server_->addresses().front().url().starts_with("https://127.0.0.1:"));
  TlsClient client(port());
  ASSERT_TRUE(client.is_connected());
  for (int i = 0; i < 3; ++i) {
    client.send(with_json("POST", "/", "hello"));
    EXPECT_NE(client.receive_until("hello").find("200 OK"), std::string::npos);
  }
  client.send(get("/peer"));
  EXPECT_NE(client.receive_until("127.0.0.1"), "");
}

TEST_F(TlsTest, LargeBodiesPassBothWays) {
  TlsClient client(port());
  const std::string body(900'000, 'y');
  client.send(with_json("POST", "/", body));
  EXPECT_GT(client.receive_until(body).size(), body.size());
  client.send(get("/large"));
  client.receive_until("\r\n\r\n");
  EXPECT_EQ(client.receive_until(std::string(5'000'000, 'x')).size(), 5'000'000U);
}

TEST_F(TlsTest, StreamsArriveAsTheyAreWritten) {
  TlsClient client(port());
  client.send(get("/stream"));
  EXPECT_NE(client.receive_until("one\r\n").find("chunked"), std::string::npos);
  EXPECT_NE(client.receive_until("0\r\n\r\n").find("two"), std::string::npos);
}

TEST_F(TlsTest, TheEndIsSaidByBothSides) {
  TlsClient client(port());
  client.send(get("/", "Connection: close\r\n"));
  EXPECT_NE(client.receive_until("nothing more").find("200 OK"), std::string::npos);
  TlsClient other(port());
  other.send(get("/"));
  other.receive_until("\r\n\r\n");
  other.finish_sending();
  EXPECT_EQ(other.receive_until("nothing more"), "");
}

TEST_F(TlsTest, OldVersionsAndPlainHttpAreRefused) {
  EXPECT_FALSE(TlsClient(port(), TLS1_1_VERSION).is_connected());
  EXPECT_TRUE(TlsClient(port(), TLS1_2_VERSION).is_connected());
  Client plain(port());
  plain.send(get("/"));
  bool closed = false;
  EXPECT_EQ(plain.receive_all(&closed).find("HTTP"), std::string::npos);
  EXPECT_TRUE(closed);
}

TEST_F(TlsTest, AHandshakeThatIsNotFinishedIsCut) {
  server_.reset();
  options_.limits.header_time = std::chrono::milliseconds(200);
  start();
  Client silent(port());
  EXPECT_TRUE(silent.is_closed_by_server());
  Client half(port());
  half.send("\x16\x03\x01\x02");
  EXPECT_TRUE(half.is_closed_by_server());
  // Again when its handshake takes longer than the limit.
  EXPECT_TRUE(testing::wait_until([&] {
    TlsClient slow(port());
    slow.send("GET / HT");
    return slow.receive_until("nothing more").find("408") != std::string::npos;
  }));
}

TEST_F(TlsTest, ARenewedCertificateIsUsedWithoutARestart) {
  EXPECT_EQ(TlsClient(port()).server_name(), "127.0.0.1");
  TlsClient open(port());
  identity_.renew("renewed");
  EXPECT_TRUE(testing::wait_until([&] { return TlsClient(port()).server_name() == "renewed"; }));
  open.send(with_json("POST", "/", "still here"));
  EXPECT_NE(open.receive_until("still here"), "");
}

TEST_F(TlsTest, FilesThatCannotBeUsedLeaveTheOldOnesInPlace) {
  std::ofstream(identity_.files().key) << "half of a key";
  EXPECT_TRUE(testing::wait_until([&] {
    EXPECT_EQ(TlsClient(port()).server_name(), "127.0.0.1");
    return !first_warning().empty();
  }));
  EXPECT_NE(first_warning().find(identity_.files().key), std::string::npos);
}

TEST(TlsIdentity, SaysWhichFileIsWrong) {
  TemporaryIdentity identity, other;
  const TlsFiles good = identity.files();
  const auto problem = [](TlsFiles files) {
    const auto loaded = TlsIdentity::load(std::move(files));
    return loaded ? std::string() : loaded.failure().message;
  };
  EXPECT_EQ(problem(good), "");
  EXPECT_NE(problem({"/nowhere.pem", good.key}).find("/nowhere.pem cannot be read: No such file"),
            std::string::npos);
  EXPECT_NE(problem({good.certificate, "/nokey.pem"}).find("/nokey.pem"), std::string::npos);
  EXPECT_NE(problem({good.key, good.key}), "");
  EXPECT_NE(problem({good.certificate, other.files().key}).find("does not match"),
            std::string::npos);
  identity.encrypt_key();
  EXPECT_EQ(problem(good), "the key " + good.key + " is encrypted: give it without a passphrase");
}

}  // namespace
}  // namespace quarry::http_server
