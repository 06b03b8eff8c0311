#include "plugins/adapters.h"
#include "plugins/testing/scripted.h"

#include <quarry/draft/store.hpp>

#include <map>

#include <gmock/gmock.h>

namespace quarry::plugins {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Records requests to a store and returns the replies of the test.
struct StoreScript {
  std::map<std::string, std::string> answers;
  std::map<std::string, Json> asked;
  std::optional<Failure> failure;

  Outcome<std::string> serve(const char* function, std::string_view request) {
    asked[function] = parse_json(request).value();
    if (failure) return *failure;
    return answers[function];
  }
};

/// A store as a plugin author would write it.
class Scripted {
 public:
  using Text = Outcome<std::string>;
  Text open(quarry::Call, std::string_view r) { return script->serve("open", r); }
  Text key(quarry::Call, std::string_view r) { return script->serve("key", r); }
  Text create_project(quarry::Call, std::string_view r) {
    return script->serve("create_project", r);
  }
  Text projects(quarry::Call, std::string_view r) { return script->serve("projects", r); }
  Text remove_project(quarry::Call, std::string_view r) {
    return script->serve("remove_project", r);
  }
  Text create_token(quarry::Call, std::string_view r) { return script->serve("create_token", r); }
  Text tokens(quarry::Call, std::string_view r) { return script->serve("tokens", r); }
  Text find_token(quarry::Call, std::string_view r) { return script->serve("find_token", r); }
  Text revoke_token(quarry::Call, std::string_view r) { return script->serve("revoke_token", r); }
  Text resources(quarry::Call, std::string_view r) { return script->serve("resources", r); }
  Text add_resource(quarry::Call, std::string_view r) { return script->serve("add_resource", r); }
  Text remove_resource(quarry::Call, std::string_view r) {
    return script->serve("remove_resource", r);
  }
  Text set_secret(quarry::Call, std::string_view r) { return script->serve("set_secret", r); }
  Text secrets(quarry::Call, std::string_view r) { return script->serve("secrets", r); }
  Text remove_secret(quarry::Call, std::string_view r) { return script->serve("remove_secret", r); }
  Text exchange(quarry::Call, std::string_view r) { return script->serve("exchange", r); }
  Text reserve(quarry::Call, std::string_view r) { return script->serve("reserve", r); }
  Text settle(quarry::Call, std::string_view r) { return script->serve("settle", r); }
  Text end_session(quarry::Call, std::string_view r) { return script->serve("end_session", r); }
  Text record(quarry::Call, std::string_view r) { return script->serve("record", r); }
  Text audit(quarry::Call, std::string_view r) { return script->serve("audit", r); }
  Text forget(quarry::Call, std::string_view r) { return script->serve("forget", r); }
  Text token_hashes(quarry::Call, std::string_view r) { return script->serve("token_hashes", r); }
  Text schema(quarry::Call, std::string_view r) { return script->serve("schema", r); }
  Text dump(quarry::Call, std::string_view r) { return script->serve("dump", r); }
  Text load(quarry::Call, std::string_view r) { return script->serve("load", r); }

  StoreScript* script = nullptr;
};

constexpr auto kComponent = quarry::store<Scripted>("store");

constexpr const char* kToken =
    R"({"id":"t1","projects":["Docs","web"],"rights":["ask"],"label":"ci","created":1000,
        "expires":2000,"limits":{"requestsPerMinute":60,"usdPerDay":"0.5"}})";

Clock::Wall at(std::int64_t milliseconds) {
  return Clock::Wall(std::chrono::milliseconds(milliseconds));
}

class StoreAdapting : public ::testing::Test {
 protected:
  StoreAdapting() { scripted_.script = &script_; }

  /// The store, with `answer` as reply of every function.
  Store& answering(const std::string& answer) {
    for (const char* name : {"open",           "key",          "create_project", "projects",
                             "remove_project", "create_token", "tokens",         "find_token",
                             "revoke_token",   "resources",    "add_resource",   "remove_resource",
                             "set_secret",     "secrets",      "remove_secret",  "exchange",
                             "reserve",        "settle",       "end_session",    "record",
                             "audit",          "forget",       "token_hashes",   "schema",
                             "dump",           "load"}) {
      script_.answers[name] = answer;
    }
    return *store_;
  }
  const Json& asked(const char* function) { return script_.asked[function]; }

  StoreScript script_;
  Scripted scripted_;
  quarry_component component_ = scripted_component(QUARRY_STORE, kComponent.table);
  std::shared_ptr<Store> store_ = *adapt_store(*make_instance(component_, &scripted_));
};

TEST_F(StoreAdapting, OpensAndGivesKeys) {
  EXPECT_EQ(answering(R"({"schema":3})").open({}).value(), 3);
  const std::string key(64, 'a');
  EXPECT_EQ(answering(R"({"key":")" + key + "\"}").key({}, "sessions").value(), key);
  EXPECT_EQ(asked("key"), Json({{"name", "sessions"}}));
}

TEST_F(StoreAdapting, ProjectsAreToldAndRead) {
  EXPECT_TRUE(*answering(R"({"created":true})").create_project({}, {"docs", at(5), Money{10}}));
  EXPECT_EQ(asked("create_project")["project"].dump(),
            R"({"created":5,"limits":{"usdPerDay":"0.00000001"},"name":"docs"})");
  EXPECT_FALSE(*answering(R"({"removed":false})").remove_project({}, "docs", at(7)));
  EXPECT_EQ(asked("remove_project").dump(), R"({"at":7,"name":"docs"})");
  const auto all = answering(R"({"projects":[{"name":"a","created":5,"limits":{"usdPerDay":"1"}},
                                {"name":"b","created":6,"limits":{}}]})")
                       .projects({})
                       .value();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].usd_per_day, Money{1'000'000'000});
  EXPECT_EQ(all[1].created, at(6));
  EXPECT_FALSE(all[1].usd_per_day);
}

TEST_F(StoreAdapting, SecretsAreToldAndRead) {
  const std::string json =
      R"({"created":5,"id":"s1","member":"token","project":"docs","resource":"kit",)"
      R"("sealed":"x","source":"0a"})";
  const SecretRecord secret{"s1", "docs", "kit", "token", "0a", "x", at(5)};
  EXPECT_TRUE(*answering(R"({"kept":true})").set_secret({}, secret));
  EXPECT_EQ(asked("set_secret")["secret"].dump(), json);
  const auto all = answering(R"({"secrets":[)" + json + "]}").secrets({}, "docs").value();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].sealed, "x");
  EXPECT_EQ(all[0].created, at(5));
  EXPECT_TRUE(*answering(R"({"removed":true})").remove_secret({}, "docs", "kit", "token"));
  EXPECT_EQ(asked("remove_secret").dump(),
            R"({"member":"token","project":"docs","resource":"kit"})");
}

TEST_F(StoreAdapting, AStoreOfBeforeSecretsKeepsNone) {
  quarry_store_v1 old = *static_cast<const quarry_store_v1*>(kComponent.table);
  old.struct_size = offsetof(quarry_store_v1, set_secret);
  const quarry_component component = scripted_component(QUARRY_STORE, &old);
  const auto store = *adapt_store(*make_instance(component, &scripted_));
  EXPECT_THAT(*store->secrets({}, "docs"), ::testing::IsEmpty());
  EXPECT_EQ(store->set_secret({}, {}).error().code, Code::kUnsupported);
  EXPECT_EQ(store->remove_secret({}, "docs", "kit", "token").error().code, Code::kUnsupported);
}

TEST_F(StoreAdapting, ADumpIsReadAndLoadedAsItIs) {
  EXPECT_EQ(answering(R"({"schema":2,"newest":3})").schema({})->number, 2);
  EXPECT_EQ(store_->schema({})->newest, 3);
  EXPECT_EQ(answering(R"({"projects":[],"more":1})").dump({})->dump(),
            R"({"more":1,"projects":[]})");
  EXPECT_TRUE(answering("{}").load({}, {{"projects", Json::array()}, {"more", 1}}));
  EXPECT_EQ(asked("load").dump(), R"({"more":1,"projects":[]})");
  EXPECT_TRUE(store_->record({}, {}, true));
  EXPECT_EQ(asked("record").dump(), R"({"entries":[],"once":true})");
  EXPECT_TRUE(store_->record({}, {}));
  EXPECT_EQ(asked("record").dump(), R"({"entries":[]})");
  EXPECT_EQ(answering(R"({"schema":0,"newest":0})").schema({}).error().code, Code::kInternal);
}

TEST_F(StoreAdapting, AStoreOfBeforeDumpsCannotBeBackedUp) {
  quarry_store_v1 old = *static_cast<const quarry_store_v1*>(kComponent.table);
  old.struct_size = offsetof(quarry_store_v1, schema);
  const quarry_component component = scripted_component(QUARRY_STORE, &old);
  const auto store = *adapt_store(*make_instance(component, &scripted_));
  EXPECT_EQ(store->schema({}).error().code, Code::kUnsupported);
  EXPECT_EQ(store->dump({}).error().code, Code::kUnsupported);
  EXPECT_EQ(store->load({}, {}).error().code, Code::kUnsupported);
  EXPECT_EQ(store->record({}, {}, true).error().code, Code::kUnsupported);
  EXPECT_TRUE(script_.asked.empty()) << "it would not know what \"once\" means";
}

TEST_F(StoreAdapting, TokensAreToldAndRead) {
  TokenRecord token{.id = "t1",
                    .projects = {"docs"},
                    .rights = {"ask"},
                    .label = "",
                    .created = at(1),
                    .expires = at(9),
                    .revoked = {},
                    .limits = {.requests_per_minute = 60, .streams = 4, .usd_per_day = Money{1}}};
  EXPECT_TRUE(*answering(R"({"created":true})").create_token({}, token, "00ff"));
  EXPECT_EQ(asked("create_token").dump(),
            R"({"hash":"00ff","token":{"created":1,"expires":9,"id":"t1","label":"",)"
            R"("limits":{"requestsPerMinute":60,"streams":4,"usdPerDay":"0.000000001"},)"
            R"("projects":["docs"],"rights":["ask"]}})");
  const std::string said(kToken);
  const auto all = answering(R"({"tokens":[)" + said + "]}").tokens({}, "docs").value();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_THAT(all[0].projects, ElementsAre("Docs", "web"));
  EXPECT_EQ(all[0].expires, at(2000));
  EXPECT_FALSE(all[0].revoked);
  EXPECT_EQ(all[0].limits.requests_per_minute, 60u);
  EXPECT_FALSE(all[0].limits.streams);
  EXPECT_EQ(asked("tokens").dump(), R"({"project":"docs"})");
  ASSERT_TRUE(store_->tokens({}, ""));
  EXPECT_EQ(asked("tokens").dump(), "{}");
  EXPECT_TRUE(*answering(R"({"revoked":true})").revoke_token({}, "t1", at(4)));
}

TEST_F(StoreAdapting, ATokenIsFoundWithItsProjectsOrNotAtAll) {
  const auto found = answering(R"({"token":)" + std::string(kToken) +
                               R"(,"projects":[{"name":"Docs","created":5,"limits":{}}]})")
                         .find_token({}, "00ff")
                         .value();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->token.label, "ci");
  EXPECT_EQ(found->projects.at(0).name, "Docs");
  EXPECT_FALSE(answering("{}").find_token({}, "00ff").value());
}

TEST_F(StoreAdapting, HashesOfTokensAreToldOrTheStateAlone) {
  const std::string hash(64, 'a');
  const auto told =
      answering(R"({"state":3,"hashes":[")" + hash + "\"]}").token_hashes({}, std::nullopt, 9);
  ASSERT_TRUE(told) << told.error().message;
  EXPECT_EQ(told->state, 3);
  EXPECT_THAT(*told->hashes, ElementsAre(hash));
  EXPECT_EQ(asked("token_hashes"), Json({{"most", 9}}));
  EXPECT_FALSE(answering(R"({"state":3})").token_hashes({}, 3, 9)->hashes);
  EXPECT_EQ(asked("token_hashes"), Json({{"known", 3}, {"most", 9}}));
}

TEST_F(StoreAdapting, AnOlderStoreTellsNoHashes) {
  quarry_store_v1 older = *static_cast<const quarry_store_v1*>(kComponent.table);
  older.token_hashes = nullptr;
  const auto code = [&] {
    const quarry_component component = scripted_component(QUARRY_STORE, &older);
    const auto store = *adapt_store(*make_instance(component, &scripted_));
    return store->token_hashes({}, std::nullopt, 9).error().code;
  };
  EXPECT_EQ(code(), Code::kUnsupported);
  older.token_hashes = static_cast<const quarry_store_v1*>(kComponent.table)->token_hashes;
  older.struct_size = offsetof(quarry_store_v1, token_hashes);
  EXPECT_EQ(code(), Code::kUnsupported);
}

TEST_F(StoreAdapting, ResourcesAreAnyObjectsWithNames) {
  const auto found =
      answering(R"({"resources":[{"name":"a","type":"git","x":[1]}]})").resources({}, "docs");
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((**found)[0].dump(), R"({"name":"a","type":"git","x":[1]})");
  EXPECT_FALSE(answering("{}").resources({}, "docs").value());
  EXPECT_TRUE(*answering(R"({"removed":true})").remove_resource({}, "docs", "a"));
}

TEST_F(StoreAdapting, WhatBecameOfAResourceIsSaid) {
  using Added = AddedResource::Outcome;
  const auto added = [&](const char* answer) {
    return answering(answer).add_resource({}, "docs", {{"name", "a"}}, 7).value();
  };
  EXPECT_EQ(added(R"({"added":true,"count":1})").outcome, Added::kAdded);
  EXPECT_EQ(asked("add_resource").dump(), R"({"most":7,"project":"docs","resource":{"name":"a"}})");
  EXPECT_EQ(added(R"({"added":false,"count":7})").outcome, Added::kFull);
  EXPECT_EQ(added(R"({"added":false})").outcome, Added::kNoProject);
  const auto taken = added(R"({"added":false,"existing":{"name":"A"},"count":1})");
  EXPECT_EQ(taken.outcome, Added::kNameTaken);
  EXPECT_EQ(taken.existing["name"], "A");
}

TEST_F(StoreAdapting, HostsExchangeWhatTheyDid) {
  const auto shared = answering(R"({"revision":4,"requests":[{"token":"t","window":9,"count":3}],
                    "streams":[{"token":"u","count":2}],"endedSessions":["s"]})")
                          .exchange({}, {"h", at(5), 9, {{"t", 3, 8}}, {{"t", 1, 0}}})
                          .value();
  EXPECT_EQ(asked("exchange").dump(),
            R"({"at":5,"host":"h","requests":[{"count":3,"token":"t","window":8}],)"
            R"("streams":[{"count":1,"token":"t"}],"window":9})");
  EXPECT_EQ(shared.revision, 4);
  EXPECT_EQ(shared.requests.at(0).window, 9);
  EXPECT_EQ(shared.streams.at(0).count, 2u);
  EXPECT_THAT(shared.ended_sessions, ElementsAre("s"));
}

TEST_F(StoreAdapting, MoneyIsPutAsideAndSettled) {
  const Reservation wanted{.id = "r",
                           .token = "t",
                           .project = "docs",
                           .day = 20'000,
                           .amount = {1},
                           .token_limit = Money{5},
                           .project_limit = {},
                           .at = at(1),
                           .expires = at(2)};
  EXPECT_EQ(answering(R"({"reserved":true})").reserve({}, wanted)->outcome,
            Reserved::Outcome::kReserved);
  EXPECT_EQ(asked("reserve").dump(),
            R"({"at":1,"day":20000,"expires":2,"id":"r","project":"docs","token":"t",)"
            R"("tokenLimit":"0.000000005","usd":"0.000000001"})");
  const auto over =
      answering(R"({"reserved":false,"over":"project","spent":"2"})").reserve({}, wanted).value();
  EXPECT_EQ(over.outcome, Reserved::Outcome::kOverProject);
  EXPECT_EQ(over.spent, Money{2'000'000'000});
  EXPECT_TRUE(answering(R"({"settled":false})").settle({}, "r", Money{3}));
  EXPECT_EQ(asked("settle").dump(), R"({"id":"r","usd":"0.000000003"})");
}

TEST_F(StoreAdapting, CallsAreRecordedAndReadAgain) {
  AuditEntry entry;
  entry.at = at(5);
  entry.token = "t";
  entry.status = 200;
  entry.cost = Money{7};
  EXPECT_TRUE(answering("{}").record({}, {entry}));
  EXPECT_EQ(asked("record").dump(),
            R"({"entries":[{"at":5,"cancelled":false,"ms":0,"status":200,"token":"t",)"
            R"("usd":"0.000000007"}]})");
  const auto read = answering(to_text(asked("record"))).audit({}, {at(1), at(9), "docs", 10});
  ASSERT_TRUE(read && read->size() == 1);
  EXPECT_EQ(asked("audit").dump(), R"({"most":10,"project":"docs","since":1,"until":9})");
  EXPECT_EQ(read->at(0).token, "t");
  EXPECT_EQ(read->at(0).cost, Money{7});
  EXPECT_FALSE(read->at(0).input_tokens);
  EXPECT_TRUE(answering("{}").end_session({}, "s", at(9)));
  EXPECT_EQ(answering(R"({"forgotten":3})").forget({}, at(9)).value(), 3);
}

TEST_F(StoreAdapting, GarbageNamesThePlugin) {
  EXPECT_THAT(fault(answering("{oops").open({})), HasSubstr("reply is not"));
  EXPECT_THAT(fault(answering(R"({"schema":0})").open({})), HasSubstr("\"schema\""));
  EXPECT_THAT(fault(answering(R"({"key":"short"})").key({}, "a")), HasSubstr("\"key\""));
  EXPECT_THAT(fault(answering("{}").create_project({}, {})), HasSubstr("\"created\""));
  EXPECT_THAT(fault(answering(R"({"projects":[7]})").projects({})), HasSubstr("\"projects\""));
  EXPECT_THAT(
      fault(answering(R"({"projects":[{"name":"a","created":-1,"limits":{}}]})").projects({})),
      HasSubstr("\"created\""));
  EXPECT_THAT(fault(answering(R"({"projects":[{"name":"a","created":1,"limits":
                                {"usdPerDay":"-1"}}]})")
                        .projects({})),
              HasSubstr("\"usdPerDay\""));
  EXPECT_THAT(fault(answering(R"({"token":{"id":"t"}})").find_token({}, "")),
              HasSubstr("\"limits\""));
  EXPECT_THAT(fault(answering(R"({"tokens":[{"id":"t","label":"","created":1,"limits":{},
                                "rights":[],"projects":[7]}]})")
                        .tokens({}, "")),
              HasSubstr("\"projects\""));
  EXPECT_THAT(fault(answering(R"({"resources":[{"type":"git"}]})").resources({}, "d")),
              HasSubstr("\"name\""));
  EXPECT_THAT(fault(answering(R"({"added":1})").add_resource({}, "d", {}, 1)),
              HasSubstr("\"added\""));
  EXPECT_THAT(fault(answering(R"({"revision":1,"requests":[],"streams":[{"token":"t",
                                "count":4294967296}],"endedSessions":[]})")
                        .exchange({}, {})),
              HasSubstr("\"count\""));
  EXPECT_THAT(fault(answering(R"({"reserved":false,"over":"moon","spent":"1"})").reserve({}, {})),
              HasSubstr("\"over\""));
  EXPECT_THAT(fault(answering(R"({"entries":{}})").audit({}, {})), HasSubstr("\"entries\""));
  EXPECT_THAT(fault(answering(R"({"forgotten":18446744073709551615})").forget({}, {})),
              HasSubstr("\"forgotten\""));
  EXPECT_THAT(fault(answering(R"({"state":1,"hashes":["short"]})").token_hashes({}, {}, 1)),
              HasSubstr("\"hashes\""));
  EXPECT_THAT(fault(answering("[]").end_session({}, "s", {})),
              HasSubstr("reply is not a JSON object"));
}

TEST_F(StoreAdapting, WhatAStoreSaysToAUserStands) {
  script_.failure = Failure{QUARRY_UNAVAILABLE, "the database is unreachable", "start it", {}};
  const auto failed = answering("").settle({}, "r", {});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, Code::kUnavailable);
  EXPECT_EQ(failed.error().message, "the database is unreachable");
  EXPECT_EQ(failed.error().hint, "start it");
}

}  // namespace
}  // namespace quarry::plugins
