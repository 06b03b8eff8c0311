#include "store-postgresql/database.h"
#include "store-postgresql/testing/relay.h"
#include "store-postgresql/testing/server.h"
#include "store_sql/money.h"
#include "store_sql/store.h"

#include <quarry/secrets.h>
#include <quarry/testing.hpp>

#include <atomic>
#include <cstdlib>
#include <latch>
#include <thread>
#include <unistd.h>

#include <gmock/gmock.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace quarry::store_postgresql {
namespace {

using quarry::testing::FakeCall;
using store_sql::Json;
using store_sql::SqlStore;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// One server for all tests; each test has a database of its own.
Server& server() {
  static Server only;
  return only;
}

std::string answer_text(const SqlStore::Answer& answer) {
  if (answer) return *answer;
  return std::to_string(answer.failure().status) + ": " + answer.failure().message + " " +
         answer.failure().hint;
}
std::string status(quarry_status status) {
  return std::to_string(status) + ": ";
}
std::string project(const std::string& name) {
  return R"({"project":{"name":")" + name + R"(","created":1,"limits":{}}})";
}
std::string reservation(const std::string& id) {
  return R"({"id":")" + id +
         R"(","token":"t","project":"docs","day":1,"usd":"0.000000001","at":1,"expires":2})";
}

class Trouble : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!Server::missing().empty()) GTEST_SKIP() << Server::missing();
    url_ = server().new_database();
  }

  std::unique_ptr<SqlStore> make_store(const std::string& url) {
    return std::make_unique<SqlStore>(
        std::make_unique<PostgresqlDatabase>(Host(host_.get()), Settings{url}), 4);
  }
  /// Opens a store, through `relay` if it is given.
  std::unique_ptr<SqlStore> opened(const Relay* relay = nullptr) {
    auto store = make_store(relay == nullptr ? url_ : through(*relay));
    EXPECT_EQ(answer_text(store->open(Call(call_.get()), "{}")), R"({"schema":3})");
    return store;
  }
  [[nodiscard]] std::string through(const Relay& relay) const {
    std::string url = server().over_tcp(url_);
    const std::string port = ":" + std::to_string(server().port()) + "/";
    return url.replace(url.find(port), port.size(), ":" + std::to_string(relay.port()) + "/") +
           "?sslmode=disable";
  }
  std::string open(const std::string& url) {
    return answer_text(make_store(url)->open(Call(call_.get()), "{}"));
  }
  /// Reserved nano-dollars, and the number of reservations.
  std::string sum_and_count() {
    return Server::run(url_,
                       "SELECT nanos || ' in ' || (SELECT COUNT(*) FROM reservations)"
                       " FROM spending WHERE scope = 'token'");
  }

  std::string url_;
  FakeCall call_;
  quarry::testing::FakeHost host_;
};

TEST_F(Trouble, WithACommitThatIsNotHeardOfDoesNothingTwice) {
  Relay relay(server().port());
  const auto store = opened(&relay);
  relay.cut(Relay::Cut::kAfter, "COMMIT");
  EXPECT_EQ(answer_text(store->create_project(Call(call_.get()), project("docs"))),
            R"({"created":true})")
      << "the first time it was asked for, not the second";
  EXPECT_TRUE(relay.has_cut());
  relay.cut(Relay::Cut::kAfter, "COMMIT");
  EXPECT_EQ(answer_text(store->reserve(Call(call_.get()), reservation("a"))),
            R"({"reserved":true})");
  EXPECT_EQ(sum_and_count(), "1 in 1");
}

TEST_F(Trouble, WithACommitThatNeverArrivedDoesItAgain) {
  Relay relay(server().port());
  const auto store = opened(&relay);
  relay.cut(Relay::Cut::kBefore, "COMMIT");
  EXPECT_EQ(answer_text(store->create_project(Call(call_.get()), project("docs"))),
            R"({"created":true})");
  EXPECT_TRUE(relay.has_cut());
  relay.cut(Relay::Cut::kBefore, "UPDATE revision");
  EXPECT_EQ(answer_text(store->create_project(Call(call_.get()), project("web"))),
            R"({"created":true})");
  relay.cut(Relay::Cut::kAfter, "SELECT folded, name");
  EXPECT_THAT(answer_text(store->projects(Call(call_.get()), "{}")),
              AllOf(HasSubstr("\"docs\""), HasSubstr("\"web\"")));
  EXPECT_TRUE(relay.has_cut());
}

TEST_F(Trouble, OfAHostThatIsCutOffHoldsUpNobodyForLong) {
  Relay relay(server().port());
  const auto cut_off = opened(&relay);
  const auto other = opened();
  relay.cut(Relay::Cut::kSilence, "INSERT INTO projects");
  std::jthread silent([&] {
    const FakeCall call;
    EXPECT_EQ(answer_text(cut_off->create_project(Call(call.get()), project("web"))),
              R"({"created":true})")
        << "done again once the server has given it up";
  });
  relay.wait_for_cut();
  EXPECT_EQ(answer_text(other->create_project(Call(call_.get()), project("docs"))),
            R"({"created":true})");
}

TEST_F(Trouble, OfConnectionsThatAreEndedIsNotSeen) {
  const auto store = opened();
  std::atomic<bool> done = false;
  std::jthread enemy([&] {
    while (!done) {
      Server::run(url_,
                  "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                  " WHERE application_name = 'quarry'");
    }
  });
  std::atomic<int> reserved = 0;
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 3; ++thread) {
      threads.emplace_back([&, thread] {
        const FakeCall call;
        for (int i = 0; i < 20;) {
          const auto id = std::to_string(thread) + "/" + std::to_string(i);
          const auto answer = store->reserve(Call(call.get()), reservation(id));
          EXPECT_TRUE(answer || answer.failure().status == QUARRY_UNAVAILABLE)
              << answer_text(answer);
          if (!answer) continue;  // as its caller would
          ++reserved;
          ++i;
        }
      });
    }
  }
  done = true;
  enemy.join();
  EXPECT_EQ(sum_and_count(), "60 in 60");
}

TEST_F(Trouble, OfAServerThatIsKilledLosesNothingThatWasAnswered) {
  const auto store = opened();
  std::latch answered(100);
  std::atomic<bool> refused = false;
  std::jthread host([&] {
    const FakeCall call;
    for (int i = 0; i < 200;) {
      const auto answer = store->reserve(Call(call.get()), reservation(std::to_string(i)));
      if (answer) {
        if (++i <= 100) answered.count_down();
      } else {
        EXPECT_EQ(answer.failure().status, QUARRY_UNAVAILABLE) << answer_text(answer);
        refused = true;
        refused.notify_all();
      }
    }
  });
  answered.wait();
  server().kill();
  refused.wait(false);
  server().start();
  host.join();
  EXPECT_EQ(sum_and_count(), "200 in 200");
}

TEST_F(Trouble, OfAnotherTransactionIsWaitedForWhileTheCallIsWanted) {
  const auto store = opened();
  const std::string held = "BEGIN; LOCK TABLE projects; SELECT pg_sleep(600)";  // until it is ended
  std::jthread other([&] { EXPECT_THROW(Server::run(url_, held), std::runtime_error); });
  const std::string holders =
      "SELECT COUNT(*) FROM pg_stat_activity WHERE query LIKE 'BEGIN; LOCK%'"
      " AND wait_event = 'PgSleep'";
  Server::run_until(url_, holders, "1");
  FakeCall waiting;
  waiting.cancel_after(10, QUARRY_DEADLINE_EXCEEDED);
  EXPECT_THAT(answer_text(store->create_project(Call(waiting.get()), project("docs"))),
              StartsWith(status(QUARRY_DEADLINE_EXCEEDED)));
  // The server does not go on with it.
  Server::run_until(url_,
                    "SELECT COUNT(*) FROM pg_stat_activity WHERE"
                    " application_name = 'quarry' AND state <> 'idle'",
                    "0");
  Server::run(url_,
              "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
              " WHERE query LIKE 'BEGIN; LOCK%'");
  other.join();
  EXPECT_EQ(answer_text(store->create_project(Call(call_.get()), project("docs"))),
            R"({"created":true})");
}

TEST_F(Trouble, WithAnyMomentOfACancelLeavesAConnectionThatWorks) {
  const auto store = opened();
  for (int looks = 1; looks < 40; ++looks) {
    FakeCall short_call;
    short_call.cancel_after(looks);
    const auto name = "p" + std::to_string(looks);
    const auto answer = store->create_project(Call(short_call.get()), project(name));
    EXPECT_TRUE(answer || answer.failure().status == QUARRY_CANCELLED) << answer_text(answer);
    EXPECT_THAT(answer_text(store->projects(Call(call_.get()), "{}")), StartsWith("{\"projects\""));
  }
}

TEST_F(Trouble, WithAWrongPasswordTellsNoPassword) {
  EXPECT_THAT(open(server().over_tcp(url_, "open sesame")),
              AllOf(StartsWith(status(QUARRY_UNAUTHENTICATED)), HasSubstr("\"quarry\""),
                    HasSubstr("url of [store]"), Not(HasSubstr("sesame"))));
}

TEST_F(Trouble, WithoutADatabaseSaysHowToMakeIt) {
  std::string url = url_;
  url.insert(url.find('?'), "x");
  EXPECT_THAT(open(url), AllOf(StartsWith(status(QUARRY_NOT_FOUND)), HasSubstr("createdb")));
}

TEST_F(Trouble, WithoutAServerSaysSo) {
  EXPECT_THAT(open("postgresql://quarry@127.0.0.1:1/docs"),
              AllOf(StartsWith(status(QUARRY_UNAVAILABLE)), HasSubstr("127.0.0.1"),
                    HasSubstr("Check that PostgreSQL runs there")));
}

TEST_F(Trouble, WithAServerThatSaysNothingEndsWithTheCall) {
  const int silent = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* any = reinterpret_cast<sockaddr*>(&address);
  ASSERT_TRUE(::bind(silent, any, size) == 0 && ::listen(silent, 4) == 0);
  ASSERT_EQ(::getsockname(silent, any, &size), 0);
  call_.cancel_after(5);
  EXPECT_THAT(
      open("postgresql://quarry@127.0.0.1:" + std::to_string(ntohs(address.sin_port)) + "/docs"),
      StartsWith(status(QUARRY_CANCELLED)));
  ::close(silent);
}

TEST_F(Trouble, WithANewerSchemaSaysBothNumbersAndWhatToDo) {
  static_cast<void>(opened());
  Server::run(url_, "UPDATE quarry_schema SET version = 7");
  EXPECT_THAT(open(url_), AllOf(StartsWith(status(QUARRY_UNSUPPORTED)), HasSubstr("schema 7"),
                                HasSubstr("up to 3"), HasSubstr("newer Quarry")));
}

TEST_F(Trouble, OfAUserWhoMayNotMakeTablesSaysSo) {
  Server::run(url_, "DROP ROLE IF EXISTS poor; CREATE ROLE poor LOGIN");
  std::string url = url_;
  url.replace(url.find("quarry@"), 6, "poor");
  EXPECT_THAT(open(url), AllOf(StartsWith(status(QUARRY_PERMISSION_DENIED)),
                               HasSubstr("create and change tables")));
}

TEST_F(Trouble, WithADatabaseThatIsOnlyReadSaysSo) {
  const auto store = opened();
  const auto name = Server::run(url_, "SELECT current_database()");
  Server::run(url_, "ALTER DATABASE " + name + " SET default_transaction_read_only = on");
  EXPECT_THAT(open(url_), AllOf(StartsWith(status(QUARRY_UNAVAILABLE)), HasSubstr("read-only")));
}

/// A host's secrets service.
struct Secrets {
  quarry_secrets_v1 table{.struct_size = sizeof(quarry_secrets_v1),
                          .context = this,
                          .get =
                              [](const quarry_secrets_v1* self, const quarry_call*,
                                 quarry_text name, const quarry_reply* reply) {
                                auto& mine = *static_cast<Secrets*>(self->context);
                                mine.asked = as_view(name);
                                const std::string quoted = '"' + mine.value + '"';
                                reply->value(reply, as_text(quoted));
                              },
                          .hide =
                              [](const quarry_secrets_v1* self, quarry_text secret) {
                                static_cast<Secrets*>(self->context)->hidden = as_view(secret);
                              }};
  std::string value;
  std::string asked;
  std::string hidden;
};

TEST_F(Trouble, IsKeptFromTheUrlWhichIsASecret) {
  Secrets secrets;
  secrets.value = server().over_tcp(url_);
  host_.offer(QUARRY_SECRETS, &secrets.table);
  EXPECT_EQ(open("store.url"), R"({"schema":3})");
  EXPECT_EQ(secrets.asked, "store.url");
  EXPECT_EQ(secrets.hidden, "correct horse");
  secrets.value = "https://hunter2@example.com";
  EXPECT_THAT(open("store.url"),
              AllOf(StartsWith(status(QUARRY_INVALID_ARGUMENT)), Not(HasSubstr("hunter2"))));
}

TEST_F(Trouble, WithACertificateOfNobodyKnownIsNotTalkedTo) {
  const std::string url = server().over_tcp(url_);
  const std::string right = (server().directory() / "server.crt").string();
  EXPECT_EQ(open(url + "?sslmode=verify-ca&sslrootcert=" + right), R"({"schema":3})");
  EXPECT_THAT(open(url + "?sslmode=verify-ca&sslrootcert=/etc/ssl/certs/ca-certificates.crt"),
              AllOf(StartsWith(status(QUARRY_UNAVAILABLE)), HasSubstr("certificate")));
}

}  // namespace
}  // namespace quarry::store_postgresql
