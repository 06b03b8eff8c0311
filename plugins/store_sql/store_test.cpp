#include "store_sql/store.h"

#include "store_sql/testing/fake_database.h"

#include <quarry/testing.hpp>

#include <gmock/gmock.h>

namespace quarry::store_sql {
namespace {

using ::testing::HasSubstr;
using Function = SqlStore::Answer (SqlStore::*)(const Call&, std::string_view);

/// Requests with one invalid member, which the failure names without use of the database.
class WrongRequest : public ::testing::Test {
 protected:
  /// The field that the failure of `function` names for `request`.
  std::string blamed(Function function, std::string_view request) {
    auto database = std::make_unique<FakeDatabase>();
    database->refusal = Failure{QUARRY_UNAVAILABLE, "asked", {}, {}};
    SqlStore store(std::move(database), 1);
    const quarry::testing::FakeCall call;
    const auto answer = (store.*function)(Call(call.get()), request);
    EXPECT_FALSE(answer);
    if (answer.failure().message == "asked") return "nothing";
    EXPECT_EQ(answer.failure().status, QUARRY_INVALID_ARGUMENT);
    const Json details = Json::parse(answer.failure().details, nullptr, false);
    return details.is_object() ? details["fields"][0]["field"].get<std::string>()
                               : answer.failure().message;
  }
};

TEST_F(WrongRequest, IsNoObject) {
  for (const char* text : {"", "{", "[]", "7", "{\"a\":\"\xff\"}"}) {
    EXPECT_THAT(blamed(&SqlStore::projects, text), HasSubstr("must be a JSON object")) << text;
  }
  EXPECT_EQ(blamed(&SqlStore::projects, "{}"), "nothing");
}

TEST_F(WrongRequest, AboutProjects) {
  const auto create = &SqlStore::create_project;
  EXPECT_EQ(blamed(create, R"({"project":{"name":"a","created":1,"limits":{}}})"), "nothing");
  EXPECT_EQ(blamed(create, "{}"), "/project");
  EXPECT_EQ(blamed(create, R"({"project":{"name":"","created":1,"limits":{}}})"), "/project/name");
  EXPECT_EQ(blamed(create, R"({"project":{"name":"a\u0000","created":1,"limits":{}}})"),
            "/project/name");
  EXPECT_EQ(blamed(create, R"({"project":{"name":")" + std::string(4097, 'a') +
                               R"(","created":1,"limits":{}}})"),
            "/project/name");
  EXPECT_EQ(blamed(create, R"({"project":{"name":"a","created":-1,"limits":{}}})"),
            "/project/created");
  EXPECT_EQ(blamed(create, R"({"project":{"name":"a","created":1.5,"limits":{}}})"),
            "/project/created");
  EXPECT_EQ(blamed(create, R"({"project":{"name":"a","created":18446744073709551615,
                             "limits":{}}})"),
            "/project/created");
  EXPECT_EQ(blamed(create, R"({"project":{"name":"a","created":1}})"), "/project/limits");
  EXPECT_EQ(blamed(create, R"({"project":{"name":"a","created":1,"limits":{"usdPerDay":1}}})"),
            "/project/limits/usdPerDay");
  EXPECT_EQ(blamed(&SqlStore::remove_project, R"({"name":"a"})"), "/at");
}

TEST_F(WrongRequest, AboutTokens) {
  const std::string hash(64, 'a');
  const auto create = [&](const std::string& token, const std::string& with) {
    return blamed(&SqlStore::create_token, R"({"token":)" + token + R"(,"hash":")" + with + "\"}");
  };
  const std::string token =
      R"({"id":"t","projects":["a"],"rights":[],"label":"","created":1,"limits":{}})";
  EXPECT_EQ(create(token, hash), "nothing");
  EXPECT_EQ(create(token, hash + "a"), "/hash");
  EXPECT_EQ(create(token, std::string(64, 'A')), "/hash");
  EXPECT_EQ(
      create(R"({"id":7,"projects":["a"],"rights":[],"label":"","created":1,"limits":{}})", hash),
      "/token/id");
  EXPECT_EQ(create(R"({"id":"t","projects":["a",7],"rights":[],"label":"","created":1,
                       "limits":{}})",
                   hash),
            "/token/projects/1");
  EXPECT_EQ(
      create(R"({"id":"t","projects":[],"rights":[],"label":"","created":1,"limits":{}})", hash),
      "/token/projects");
  EXPECT_EQ(create(R"({"id":"t","projects":["a"],"rights":[],"label":"","created":1,
                       "limits":{"streams":-1}})",
                   hash),
            "/token/limits/streams");
  EXPECT_EQ(blamed(&SqlStore::find_token, R"({"hash":"a"})"), "/hash");
  EXPECT_EQ(blamed(&SqlStore::revoke_token, R"({"at":1})"), "/id");
  EXPECT_EQ(blamed(&SqlStore::tokens, R"({"project":7})"), "/project");
  EXPECT_EQ(blamed(&SqlStore::token_hashes, R"({"known":1})"), "/most");
  EXPECT_EQ(blamed(&SqlStore::token_hashes, R"({"known":"1","most":1})"), "/known");
}

TEST_F(WrongRequest, AboutResources) {
  EXPECT_EQ(blamed(&SqlStore::add_resource, R"({"project":"a","resource":{},"most":1})"),
            "/resource/name");
  EXPECT_EQ(blamed(&SqlStore::add_resource, R"({"project":"a","resource":{"name":"b"}})"), "/most");
  EXPECT_EQ(blamed(&SqlStore::remove_resource, R"({"project":"a"})"), "/name");
  EXPECT_EQ(blamed(&SqlStore::resources, "{}"), "/project");
}

TEST_F(WrongRequest, AboutActivity) {
  EXPECT_EQ(blamed(&SqlStore::exchange,
                   R"({"host":"h","at":1,"window":1,"requests":[{"token":"t","window":1}],
                       "streams":[]})"),
            "/requests/0/count");
  EXPECT_EQ(
      blamed(&SqlStore::exchange, R"({"host":"h","at":1,"window":1,"requests":[],"streams":[7]})"),
      "/streams/0");
  EXPECT_EQ(blamed(&SqlStore::end_session, R"({"id":"s"})"), "/expires");
}

TEST_F(WrongRequest, AboutMoney) {
  EXPECT_EQ(blamed(&SqlStore::reserve,
                   R"({"id":"r","token":"t","project":"a","day":1,"usd":"-1","at":1,"expires":2})"),
            "/usd");
  EXPECT_EQ(blamed(&SqlStore::reserve, R"({"id":"r","token":"t","project":"a","day":1,"usd":"1",
                                           "tokenLimit":"lots","at":1,"expires":2})"),
            "/tokenLimit");
  EXPECT_EQ(blamed(&SqlStore::settle, R"({"id":"r","usd":"0.0000000001"})"), "/usd");
}

TEST_F(WrongRequest, AboutTheAudit) {
  EXPECT_EQ(blamed(&SqlStore::record, R"({"entries":[{"at":1},{}]})"), "/entries/1/at");
  EXPECT_EQ(blamed(&SqlStore::record, R"({"entries":7})"), "/entries");
  EXPECT_EQ(blamed(&SqlStore::audit, R"({"since":1})"), "/most");
  EXPECT_EQ(blamed(&SqlStore::forget, "{}"), "/before");
  EXPECT_EQ(blamed(&SqlStore::key, "{}"), "/name");
}

}  // namespace
}  // namespace quarry::store_sql
