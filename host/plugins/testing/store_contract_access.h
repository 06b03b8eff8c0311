#pragma once

#include "plugins/testing/store_contract_fixture.h"

namespace quarry::plugins {

// Contract of a store: keys, projects, tokens and resources.

TEST_P(StoreContract, OpensAgainWithWhatIsThere) {
  make_projects({"docs"});
  const auto third = database_->connect();
  EXPECT_EQ(third->open({}).value(), store_->open({}).value());
  EXPECT_EQ(third->projects({})->size(), 1u);
}

TEST_P(StoreContract, ANewDatabaseMayBeOpenedByAllAtOnce) {
  const auto fresh = GetParam().make();
  std::vector<std::jthread> hosts;
  for (int i = 0; i < 4; ++i) {
    hosts.emplace_back([&] {
      const auto opened = fresh->connect()->open({});
      EXPECT_TRUE(opened) << opened.error().message;
    });
  }
}

TEST_P(StoreContract, EveryHostGetsTheSameKeyOfAName) {
  const std::string key = store_->key({}, "sessions").value();
  EXPECT_EQ(key.size(), 64u);
  EXPECT_EQ(other_->key({}, "sessions").value(), key);
  EXPECT_NE(store_->key({}, "cursors").value(), key);
}

TEST_P(StoreContract, HostsThatWantAKeyAtOnceGetOne) {
  std::vector<std::string> keys(6);
  everywhere([&](Store& store, int number) {
    keys[static_cast<std::size_t>(number)] = store.key({}, "sessions").value();
  });
  EXPECT_THAT(keys, ::testing::Each(keys[0]));
}

TEST_P(StoreContract, ProjectsDifferInMoreThanCaseAndAreListedByName) {
  EXPECT_TRUE(*store_->create_project({}, {"web", at(2), Money{1'500'000'000}}));
  EXPECT_TRUE(*store_->create_project({}, {"Docs", at(1), {}}));
  EXPECT_FALSE(*other_->create_project({}, {"docs", at(3), {}}));
  const auto all = other_->projects({}).value();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].name, "Docs");
  EXPECT_EQ(all[0].created, at(1));
  EXPECT_FALSE(all[0].usd_per_day);
  EXPECT_EQ(all[1].usd_per_day, Money{1'500'000'000});
}

TEST_P(StoreContract, AProjectGoesWithItsResourcesAndFromItsTokens) {
  make_projects({"docs", "web"});
  ASSERT_TRUE(*store_->create_token({}, token("both", {"docs", "web"}), hash(1)));
  ASSERT_TRUE(*store_->create_token({}, token("alone", {"docs"}), hash(2)));
  ASSERT_TRUE(store_->add_resource({}, "docs", {{"name", "a"}}, 9));

  EXPECT_TRUE(*other_->remove_project({}, "DOCS", at(7)));
  EXPECT_FALSE(*store_->remove_project({}, "docs", at(8)));

  EXPECT_THAT(resource_names("docs"), ElementsAre("no project"));
  const auto both = store_->find_token({}, hash(1)).value();
  EXPECT_THAT(both->token.projects, ElementsAre("web"));
  EXPECT_FALSE(both->token.revoked);
  EXPECT_EQ(store_->find_token({}, hash(2)).value()->token.revoked, at(7));
}

TEST_P(StoreContract, AProjectOfAnOldNameBeginsAnewButForWhatWasSpent) {
  make_projects({"docs", "web"});
  ASSERT_TRUE(*store_->create_token({}, token("t", {"web", "docs"}), hash(1)));
  ASSERT_TRUE(store_->add_resource({}, "docs", {{"name", "a"}}, 9));
  ASSERT_EQ(reserve(reservation("r", 100)), Reserved::Outcome::kReserved);
  ASSERT_TRUE(store_->record({}, {entry(5, "a")}));
  ASSERT_TRUE(*store_->remove_project({}, "docs", at(7)));
  make_projects({"docs"});

  EXPECT_THAT(resource_names("docs"), IsEmpty());
  EXPECT_THAT(store_->find_token({}, hash(1)).value()->token.projects, ElementsAre("web"));
  EXPECT_THAT(requests_of({at(0), {}, "docs", 10}), ElementsAre("a"));
  auto more = reservation("s", 1);
  more.project_limit = Money{100};
  EXPECT_EQ(reserve(more), Reserved::Outcome::kOverProject);
}

TEST_P(StoreContract, SecretsAreOfOneResourceOfOneProject) {
  make_projects({"docs", "web"});
  const std::string sealed(8000, 's');
  const auto secret = [&](const std::string& project, const std::string& id) {
    return SecretRecord{id, project, "Kit", "token", std::string(64, 'a'), sealed, at(5)};
  };
  EXPECT_TRUE(*store_->set_secret({}, secret("docs", "one")));
  EXPECT_TRUE(*store_->set_secret({}, secret("DOCS", "two"))) << "replaces the first";
  EXPECT_TRUE(*store_->set_secret({}, secret("web", "three")));
  EXPECT_FALSE(*store_->set_secret({}, secret("none", "four")));
  const auto kept = other_->secrets({}, "Docs").value();
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_EQ(kept[0].id, "two");
  EXPECT_EQ(kept[0].resource, "Kit");
  EXPECT_EQ(kept[0].member, "token");
  EXPECT_EQ(kept[0].sealed, sealed);
  EXPECT_EQ(kept[0].created, at(5));
  EXPECT_FALSE(*store_->remove_secret({}, "docs", "kit", "Token"));
  EXPECT_TRUE(*store_->remove_secret({}, "docs", "kit", "token"));
  EXPECT_FALSE(*store_->remove_secret({}, "docs", "kit", "token"));
  EXPECT_THAT(*store_->secrets({}, "docs"), IsEmpty());
  EXPECT_EQ(store_->secrets({}, "web")->size(), 1u);
}

TEST_P(StoreContract, AProjectGoesWithItsSecretsForGood) {
  make_projects({"docs"});
  ASSERT_TRUE(*store_->set_secret({}, {"one", "docs", "kit", "token", "s", "x", at(5)}));
  ASSERT_TRUE(*store_->remove_project({}, "docs", at(7)));
  EXPECT_THAT(*store_->secrets({}, "docs"), IsEmpty());
  make_projects({"docs"});
  EXPECT_THAT(*store_->secrets({}, "docs"), IsEmpty());
}

TEST_P(StoreContract, ATokenIsFoundByItsHashWithItsProjectsInOrder) {
  ASSERT_TRUE(*store_->create_project({}, {"Web", at(1), Money{7}}));
  make_projects({"docs"});
  auto made = token("t", {"web", "docs"});
  made.label = "CI of “docs”";
  made.expires = at(5000);
  made.limits = {.requests_per_minute = 60, .streams = 4, .usd_per_day = Money{250'000'000}};
  ASSERT_TRUE(*store_->create_token({}, made, hash(1)));

  const auto found = other_->find_token({}, hash(1)).value();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->token.id, "t");
  EXPECT_THAT(found->token.projects, ElementsAre("Web", "docs"));
  EXPECT_THAT(found->token.rights, ElementsAre("ask", "list"));
  EXPECT_EQ(found->token.label, "CI of “docs”");
  EXPECT_EQ(found->token.created, at(1000));
  EXPECT_EQ(found->token.expires, at(5000));
  EXPECT_FALSE(found->token.revoked);
  EXPECT_EQ(found->token.limits.requests_per_minute, 60u);
  EXPECT_EQ(found->token.limits.streams, 4u);
  EXPECT_EQ(found->token.limits.usd_per_day, Money{250'000'000});
  ASSERT_EQ(found->projects.size(), 2u);
  EXPECT_EQ(found->projects[0].name, "Web");
  EXPECT_EQ(found->projects[0].usd_per_day, Money{7});
  EXPECT_FALSE(store_->find_token({}, hash(2)).value());
}

TEST_P(StoreContract, ATokenOfAProjectThatIsNotThereIsNotMade) {
  make_projects({"docs"});
  EXPECT_FALSE(*store_->create_token({}, token("t", {"docs", "moon"}), hash(1)));
  EXPECT_FALSE(store_->find_token({}, hash(1)).value());
  EXPECT_TRUE(*store_->create_token({}, token("t", {"docs"}), hash(1)));
}

TEST_P(StoreContract, ATokenThatIsMadeTwiceIsMadeOnce) {
  make_projects({"docs"});
  EXPECT_TRUE(*store_->create_token({}, token("t", {"docs"}), hash(1)));
  EXPECT_TRUE(*other_->create_token({}, token("t", {"docs"}), hash(1)));
  EXPECT_THAT(token_ids(""), ElementsAre("t"));
}

TEST_P(StoreContract, HashesAreThoseOfTokensThatAreNotRevoked) {
  const auto none = store_->token_hashes({}, std::nullopt, 9);
  if (!none && none.error().code == Code::kUnsupported) GTEST_SKIP() << "it need not list them";
  EXPECT_THAT(*none->hashes, IsEmpty());
  make_projects({"docs", "web"});
  for (int i = 1; i <= 3; ++i) {
    const auto made = token(std::to_string(i), {i == 3 ? "web" : "docs"});
    ASSERT_TRUE(*store_->create_token({}, made, hash(i)));
  }
  const auto three = other_->token_hashes({}, none->state, 9).value();
  EXPECT_GT(three.state, none->state);
  EXPECT_THAT(*three.hashes, ::testing::UnorderedElementsAre(hash(1), hash(2), hash(3)));
  const auto same = store_->token_hashes({}, three.state, 9).value();
  EXPECT_EQ(same.state, three.state);
  EXPECT_FALSE(same.hashes);
  EXPECT_FALSE(store_->token_hashes({}, std::nullopt, 2)->hashes) << "more than wanted";

  ASSERT_TRUE(*store_->revoke_token({}, "1", at(7)));
  ASSERT_TRUE(*store_->remove_project({}, "web", at(8)));
  const auto left = store_->token_hashes({}, three.state, 9).value();
  EXPECT_GT(left.state, three.state);
  EXPECT_THAT(*left.hashes, ElementsAre(hash(2)));
}

TEST_P(StoreContract, TokensAreListedByAgeAlsoThoseThatAreOver) {
  make_projects({"docs", "web"});
  auto expired = token("expired", {"web", "Docs"}, 30);
  expired.expires = at(31);
  ASSERT_TRUE(*store_->create_token({}, expired, hash(1)));
  ASSERT_TRUE(*store_->create_token({}, token("revoked", {"docs"}, 10), hash(2)));
  ASSERT_TRUE(*store_->create_token({}, token("other", {"web"}, 20), hash(3)));
  ASSERT_TRUE(*store_->revoke_token({}, "revoked", at(11)));
  EXPECT_THAT(token_ids(""), ElementsAre("revoked", "other", "expired"));
  EXPECT_THAT(token_ids("DOCS"), ElementsAre("revoked", "expired"));
  EXPECT_THAT(store_->tokens({}, "docs")->back().projects, ElementsAre("web", "docs"));
  EXPECT_THAT(token_ids("moon"), IsEmpty());
}

TEST_P(StoreContract, ATokenIsRevokedOnce) {
  make_projects({"docs"});
  ASSERT_TRUE(*store_->create_token({}, token("t", {"docs"}), hash(1)));
  EXPECT_TRUE(*store_->revoke_token({}, "t", at(5)));
  EXPECT_TRUE(*other_->revoke_token({}, "t", at(9)));
  EXPECT_FALSE(*store_->revoke_token({}, "T", at(9)));
  EXPECT_EQ(store_->find_token({}, hash(1)).value()->token.revoked, at(5));
}

TEST_P(StoreContract, ResourcesAreKeptAsTheyAreInTheOrderTheyCame) {
  make_projects({"docs"});
  EXPECT_THAT(resource_names("docs"), IsEmpty());
  EXPECT_THAT(resource_names("moon"), ElementsAre("no project"));
  const Json zebra{
      {"type", "git"}, {"name", "zebra"}, {"searchPaths", {"a", "ü“\n"}}, {"n", nullptr}};
  EXPECT_EQ(store_->add_resource({}, "docs", zebra, 9)->outcome, AddedResource::Outcome::kAdded);
  EXPECT_EQ(other_->add_resource({}, "Docs", {{"name", "apple"}}, 9)->outcome,
            AddedResource::Outcome::kAdded);
  EXPECT_THAT(resource_names("DOCS"), ElementsAre("zebra", "apple"));
  EXPECT_EQ(store_->resources({}, "docs").value()->front(), zebra);
}

TEST_P(StoreContract, AResourceIsAddedUnderANewNameUpToTheLimit) {
  using Added = AddedResource::Outcome;
  make_projects({"docs"});
  const auto add = [&](const Json& resource) {
    return store_->add_resource({}, "docs", resource, 2).value();
  };
  EXPECT_EQ(add({{"name", "A"}, {"type", "npm"}}).outcome, Added::kAdded);
  const auto taken = add({{"name", "a"}});
  EXPECT_EQ(taken.outcome, Added::kNameTaken);
  EXPECT_EQ(taken.existing["type"], "npm");
  EXPECT_EQ(add({{"name", "b"}}).outcome, Added::kAdded);
  EXPECT_EQ(add({{"name", "c"}}).outcome, Added::kFull);
  EXPECT_EQ(add({{"name", "B"}}).outcome, Added::kNameTaken) << "although the project is full";
  EXPECT_EQ(store_->add_resource({}, "moon", {{"name", "a"}}, 2)->outcome, Added::kNoProject);
}

TEST_P(StoreContract, AResourceIsRemovedByItsNameInAnyCase) {
  make_projects({"docs", "web"});
  for (const char* name : {"a", "b"}) {
    ASSERT_TRUE(store_->add_resource({}, "docs", {{"name", name}}, 9));
    ASSERT_TRUE(store_->add_resource({}, "web", {{"name", name}}, 9));
  }
  EXPECT_TRUE(*other_->remove_resource({}, "Docs", "A"));
  EXPECT_FALSE(*store_->remove_resource({}, "docs", "a"));
  EXPECT_FALSE(*store_->remove_resource({}, "moon", "a"));
  EXPECT_THAT(resource_names("docs"), ElementsAre("b"));
  EXPECT_THAT(resource_names("web"), ElementsAre("a", "b"));
}

TEST_P(StoreContract, HostsThatAddAtOnceNeitherDoubleANameNorOverfillAProject) {
  make_projects({"docs"});
  std::atomic<int> added = 0;
  everywhere([&](Store& store, int number) {
    for (int i = 0; i < 6; ++i) {
      const std::string name = (number < 3 ? "Same" : "same") + std::to_string(i);
      const auto result = store.add_resource({}, "docs", {{"name", name}}, 4).value();
      added += result.outcome == AddedResource::Outcome::kAdded ? 1 : 0;
    }
  });
  EXPECT_EQ(added, 4);
  EXPECT_EQ(resource_names("docs").size(), 4u);
}

}  // namespace quarry::plugins
