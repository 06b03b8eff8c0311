#pragma once

#include "base/hash.h"
#include "plugins/testing/store_contract_fixture.h"

namespace quarry::plugins {

// Contract of a store that can be backed up.

TEST_P(StoreContract, ADumpLoadsIntoAnotherDatabase) {
  make_projects({"Docs", "web", "empty"});
  TokenRecord limited = token("limited", {"web", "Docs"}, 5);
  limited.limits = {.requests_per_minute = 7, .streams = 2, .usd_per_day = Money{250'000'000}};
  limited.expires = at(99);
  limited.label = "a \"label\" of \xc3\xa4";
  ASSERT_TRUE(*store_->create_token({}, limited, hash(1)));
  ASSERT_TRUE(*store_->create_token({}, token("orphan", {"empty"}, 6), hash(2)));
  ASSERT_TRUE(*store_->remove_project({}, "empty", at(8)));
  for (const char* name : {"b", "A", "c"}) {
    ASSERT_TRUE(store_->add_resource({}, "docs", {{"name", name}, {"url", "https://h"}}, 9));
  }
  ASSERT_TRUE(*store_->set_secret({}, {"s1", "Docs", "A", "token", "0a", "sealed", at(5)}));
  const std::string key = store_->key({}, "sessions").value();
  ASSERT_EQ(store_->reserve({}, reservation("open", 3)).value().outcome,
            Reserved::Outcome::kReserved);
  ASSERT_EQ(store_->reserve({}, reservation("settled", 50)).value().outcome,
            Reserved::Outcome::kReserved);
  ASSERT_TRUE(store_->settle({}, "settled", {20}));
  ASSERT_TRUE(store_->end_session({}, "ended", at(9000)));

  const Json dump = store_->dump({}).value();
  const auto fresh = GetParam().make();
  const auto loaded = fresh->connect();
  ASSERT_TRUE(loaded->open({}));
  const auto done = loaded->load({}, dump);
  ASSERT_TRUE(done) << done.error().message;

  EXPECT_EQ(loaded->dump({}).value(), dump);
  EXPECT_EQ(loaded->find_token({}, hash(1))->value().token.label, limited.label);
  EXPECT_EQ(loaded->find_token({}, hash(1))->value().projects[0].name, "web");
  EXPECT_EQ(loaded->find_token({}, hash(2))->value().token.revoked, at(8));
  std::vector<std::string> names;
  const auto resources = loaded->resources({}, "DOCS").value().value();
  for (const Json& resource : resources) names.push_back(resource["name"]);
  EXPECT_THAT(names, ElementsAre("b", "A", "c"));
  EXPECT_EQ(loaded->secrets({}, "docs").value().at(0).sealed, "sealed");
  EXPECT_EQ(loaded->key({}, "sessions").value(), key);
  Reservation more = reservation("more", 1);
  more.token_limit = Money{23};
  const auto over = loaded->reserve({}, more).value();
  EXPECT_EQ(over.outcome, Reserved::Outcome::kOverToken) << "what was spent is known";
  EXPECT_EQ(over.spent, Money{23});
  EXPECT_THAT(loaded->exchange({}, activity("h", 1))->ended_sessions, ElementsAre("ended"));
}

TEST_P(StoreContract, ALoadedDumpReplacesWhatWasThereForEveryHost) {
  make_projects({"docs"});
  ASSERT_TRUE(*store_->create_token({}, token("kept", {"docs"}), hash(1)));
  const Json dump = store_->dump({}).value();
  make_projects({"later"});
  ASSERT_TRUE(*store_->revoke_token({}, "kept", at(5)));
  ASSERT_TRUE(*store_->create_token({}, token("new", {"later"}), hash(2)));
  ASSERT_TRUE(store_->record({}, {entry(7, "audited")}));
  const std::int64_t before = revision();
  const auto known = other_->token_hashes({}, std::nullopt, 10).value();

  ASSERT_TRUE(store_->load({}, dump));
  EXPECT_EQ(other_->projects({})->size(), 1u);
  EXPECT_FALSE(other_->find_token({}, hash(2)).value());
  EXPECT_FALSE(other_->find_token({}, hash(1))->value().token.revoked);
  EXPECT_GT(revision(), before);
  const auto told = other_->token_hashes({}, known.state, 10).value();
  EXPECT_GT(told.state, known.state);
  EXPECT_THAT(told.hashes.value(), ElementsAre(hash(1)));
  EXPECT_THAT(requests_of({at(0), {}, "", 10}), ElementsAre("audited"));
}

TEST_P(StoreContract, ADumpThatCannotBeLoadedChangesNothing) {
  make_projects({"docs"});
  const Json before = store_->dump({}).value();
  Json later = before;
  later["futures"] = Json::array();
  const auto refused = store_->load({}, later);
  EXPECT_EQ(refused.error().code, Code::kUnsupported);
  EXPECT_THAT(refused.error().message, ::testing::HasSubstr("futures"));
  Json broken = before;
  broken["projects"] = Json::array();
  broken["resources"] = {{{"project", "none"}, {"resource", {{"name", "a"}}}}};
  EXPECT_FALSE(store_->load({}, broken));
  broken.erase("tokens");
  EXPECT_EQ(store_->load({}, broken).error().code, Code::kInvalidArgument);
  EXPECT_EQ(store_->dump({}).value(), before);
}

TEST_P(StoreContract, AnEntryThatIsThereIsRecordedOnceWhenAsked) {
  ASSERT_TRUE(store_->record({}, {entry(7, "a"), entry(7, "b")}));
  ASSERT_TRUE(store_->record({}, {entry(7, "b"), entry(7, "c"), entry(8, "b")}, true));
  ASSERT_TRUE(store_->record({}, {entry(7, "b"), entry(7, "c"), entry(8, "b")}, true));
  EXPECT_THAT(requests_of({at(0), {}, "", 10}), ElementsAre("b", "c", "b", "a"));
  ASSERT_TRUE(store_->record({}, {entry(7, "a")}));
  EXPECT_THAT(requests_of({at(0), {}, "", 10}), ElementsAre("b", "a", "c", "b", "a"));
}

TEST_P(StoreContract, TheSchemaIsToldWithoutAChange) {
  const auto fresh = GetParam().make();
  const auto store = fresh->connect();
  EXPECT_EQ(store->schema({})->number, 0);
  EXPECT_EQ(store->schema({})->number, 0);
  const std::int64_t opened = store->open({}).value();
  EXPECT_EQ(store->schema({})->number, opened);
  EXPECT_EQ(store->schema({})->newest, opened);
}

TEST_P(StoreContract, ADumpHasEveryTokenOfMany) {
  make_projects({"docs"});
  for (int i = 0; i < 250; ++i) {
    ASSERT_TRUE(*store_->create_token({}, token("t" + std::to_string(i), {"docs"}, i), hash(i)));
  }
  const Json dump = store_->dump({}).value();
  ASSERT_EQ(dump["tokens"].size(), 250u);
  ASSERT_TRUE(other_->load({}, dump));
  EXPECT_EQ(other_->dump({}).value(), dump);
}

}  // namespace quarry::plugins
