#include "base/testing/waiting.h"
#include "engine/testing/access_fixture.h"

#include <gmock/gmock.h>

namespace quarry::engine {
namespace {

using testing::Answer;
using ::testing::ElementsAre;
using testing::Event;
using ::testing::HasSubstr;
using testing::StreamServer;

using AccessMethods = testing::AccessTest;

TEST_F(AccessMethods, ATokenIsToldOnceAndListedWithoutItself) {
  begin_with();
  const std::string token = make_token("docs", {{"label", "ci"}, {"expires", "90d"}});
  const std::string listed = to_text(call("tokens.list"));
  EXPECT_THAT(listed, HasSubstr(ids[token]));
  EXPECT_THAT(listed, HasSubstr("\"label\":\"ci\""));
  EXPECT_THAT(listed, ::testing::Not(HasSubstr(token)));
}

TEST_F(AccessMethods, AProjectThatIsNotThereIsNamedWithTheNearest) {
  begin_with();
  call("projects.create", {{"name", "docs"}});
  const Error error = failure("tokens.create", {{"projects", {"dcos"}}, {"rights", {"ask"}}});
  EXPECT_EQ(error.tag, "ProjectError");
  EXPECT_THAT(error.hint, HasSubstr("\"docs\""));
  EXPECT_EQ(failure("projects.create", {{"name", "DOCS"}}).tag, "RequestError");
  EXPECT_EQ(failure("projects.remove", {{"name", "none"}}).tag, "ProjectError");
  EXPECT_EQ(failure("tokens.revoke", {{"id", "tok_0"}}).tag, "NotFound");
}

TEST_F(AccessMethods, ProjectsAreListedWithTheirLimitUntilTheyAreRemoved) {
  begin_with();
  EXPECT_EQ(call("projects.list")["projects"], Json::array());
  const Json made = call("projects.create", {{"name", "docs"}, {"usdPerDay", "2.5"}});
  EXPECT_EQ(made["usdPerDay"], "2.5");
  const Json other = call("projects.create", {{"name", "other"}});
  EXPECT_FALSE(other.contains("usdPerDay"));
  EXPECT_EQ(call("projects.list")["projects"], Json::array({made, other}));
  EXPECT_EQ(call("projects.remove", {{"name", "docs"}})["success"], true);
  EXPECT_EQ(call("projects.list")["projects"], Json::array({other}));
}

TEST_F(AccessMethods, EveryMethodOfProjectsNeedsAStore) {
  begin_with();
  engine.reset();
  start();
  for (const char* method : {"projects.create", "projects.list", "projects.remove"}) {
    EXPECT_THAT(failure(method, {{"name", "docs"}}).message, HasSubstr("store")) << method;
  }
}

TEST_F(AccessMethods, MistakesOfWhoMakesTokensAreNamed) {
  begin_with();
  const Error error =
      failure("tokens.create", {{"projects", {"docs"}}, {"rights", {"fly"}}, {"expires", "soon"}});
  std::vector<std::string> fields;
  for (const auto& detail : error.details) fields.push_back(detail.field);
  EXPECT_THAT(fields, ::testing::UnorderedElementsAre("/rights/0", "/expires"));
  EXPECT_EQ(failure("projects.create", {{"name", "a/b"}}).details.at(0).field, "/name");
  EXPECT_EQ(failure("projects.create", {{"name", "a"}, {"usdPerDay", "much"}}).details.at(0).field,
            "/usdPerDay");
}

TEST_F(AccessMethods, AdmitsWhoBringsATokenAndSaysItsLimit) {
  begin_with();
  const std::string token = make_token("docs", {{"requestsPerMinute", 2}, {"rights", {"list"}}});
  const Json first = admit(token);
  EXPECT_EQ(first["admitted"], true);
  EXPECT_EQ(first["project"], "docs");
  EXPECT_EQ(first["projects"], Json({"docs"}));
  EXPECT_EQ(first["rights"], Json({"list"}));
  EXPECT_EQ(first["requests"]["limit"], 2);
  EXPECT_EQ(first["requests"]["remaining"], 1);
  admit(token);
  const Json over = admit(token);
  EXPECT_EQ(over["admitted"], false);
  EXPECT_GT(over["retryAfterMs"], 0);
  EXPECT_EQ(failure("access.admit", {{"authorization", "qry_0"}}).tag, "AuthenticationError");
}

TEST_F(AccessMethods, TwoTenantsWithEqualNamesNeverSeeEachOther) {
  begin_with();
  const std::string one = make_token("one");
  const std::string other = make_token("other");
  add_folder(one, "docs");
  EXPECT_THAT(call("resources.list", {{"principal", principal(one)}})["resources"],
              ::testing::SizeIs(1));
  EXPECT_THAT(call("resources.list", {{"principal", principal(other)}})["resources"],
              ::testing::SizeIs(0));
  EXPECT_THAT(call("resources.list")["resources"], ::testing::SizeIs(0))
      << "resources of the owner";
  EXPECT_EQ(
      failure("question.ask", with({{"question", "q"}, {"resources", {"docs"}}}, principal(other)))
          .tag,
      "CollectionError");
  EXPECT_EQ(failure("resources.list", {{"principal", principal(other, "one")}}).tag,
            "ProjectError");
}

TEST_F(AccessMethods, AResourceThatIsThereAlreadyIsAddedAgainWithoutHarm) {
  begin_with();
  const std::string token = make_token("docs");
  const Json first = call("resources.add", with(folder("docs"), principal(token)));
  const Json again = call("resources.add", with(folder("docs"), principal(token)));
  EXPECT_EQ(first, again);
  EXPECT_FALSE(first.contains("principal"));
  Json another = folder("docs");
  another["specialNotes"] = "other";
  const Error taken = failure("resources.add", with(another, principal(token)));
  EXPECT_EQ(taken.details.at(0).field, "/name");
}

TEST_F(AccessMethods, OnlyFoldersBeneathTheRootsCanBeAdded) {
  begin_with();
  const std::string token = make_token("docs");
  Json outside{{"type", "local"}, {"name", "x"}, {"path", (root / "more").string()}};
  const Error refused = failure("resources.add", with(outside, principal(token)));
  EXPECT_THAT(to_text(Json(refused.message + refused.hint +
                           (refused.details.empty() ? "" : refused.details[0].message))),
              HasSubstr("local_roots"));
}

TEST_F(AccessMethods, WithoutRootsNoFolderCanBeUsedWhateverTheOwnerMay) {
  begin_with();
  const std::string token = make_token("docs");
  add_folder(token, "docs");
  write("quarry.toml", "[model]\nprovider = \"extractive\"\n[store]\nfile = \"" +
                           (root / "store.db").string() + "\"\n");
  start_again();
  EXPECT_NE(failure("question.ask", with({{"question", "q"}}, principal(token))).message, "");
  EXPECT_NE(failure("resources.add", with(folder("new"), principal(token))).message, "");
  call("resources.add", folder("own"));
}

TEST_F(AccessMethods, AQuestionIsAnsweredFromTheProjectsResources) {
  begin_with();
  const std::string token = make_token("docs");
  add_folder(token, "docs");
  const auto events = ask(with({{"question", "What does the parser read?"}}, principal(token)));
  EXPECT_THAT(std::string(events.back().json["text"]), HasSubstr("reads tokens"));
}

TEST_F(AccessMethods, RightsAreKeptTo) {
  begin_with();
  add_folder(make_token("docs"), "docs");
  const std::string reader = make_token("docs", {{"rights", {"list"}}});
  EXPECT_EQ(failure("question.ask", with({{"question", "q"}}, principal(reader))).tag,
            "RightsError");
  EXPECT_EQ(failure("resources.add", with(folder("x"), principal(reader))).tag, "RightsError");
  const std::string asker = make_token("docs", {{"rights", {"ask"}}});
  EXPECT_EQ(failure("resources.list", {{"principal", principal(asker)}}).tag, "RightsError");
}

/// A resource named by its address would be fetched, so it needs the right to add.
TEST_F(AccessMethods, AReferenceNeedsTheRightToAdd) {
  begin_with();
  add_folder(make_token("docs"), "docs");
  const std::string asker = make_token("docs", {{"rights", {"ask"}}});
  const std::string folder = (root / "shared/docs").string();
  EXPECT_EQ(
      failure("question.ask", with({{"question", "q"}, {"resources", {folder}}}, principal(asker)))
          .tag,
      "CollectionError");
  const std::string adder = make_token("docs");
  ask(with({{"question", "parser"}, {"resources", {folder}}}, principal(adder)));
  const std::string outside = (root / "more").string();
  failure("question.ask", with({{"question", "q"}, {"resources", {outside}}}, principal(adder)));
}

TEST_F(AccessMethods, AConversationOfAnotherCannotBeTakenUp) {
  begin_with();
  const std::string token = make_token("docs");
  add_folder(token, "docs");
  EXPECT_EQ(failure("question.ask", with({{"question", "q"}, {"thread", "t"}}, principal(token)))
                .details.at(0)
                .field,
            "/thread");
}

TEST_F(AccessMethods, AQuestionOfAnotherTokenIsNotFound) {
  begin_with();
  const std::string mine = make_token("docs");
  const std::string other = make_token("docs");
  add_folder(mine, "docs");
  const std::string id = begin(with({{"question", "What reads tokens?"}}, principal(mine)));
  events(id);
  for (const char* method : {"question.find", "question.stop", "question.source"}) {
    Json params{{"id", id}, {"number", 1}};
    call(method, params);  // by the owner
    call(method, with(params, principal(mine)));
    const Error foreign = failure(method, with(params, principal(other)));
    EXPECT_EQ(foreign.tag, "NotFound") << method;
    params["id"] = std::string(id.size(), '0');
    const Error none = failure(method, with(params, principal(other)));
    EXPECT_EQ(foreign.code, none.code) << method;
    EXPECT_THAT(foreign.message, HasSubstr("there is no question")) << method;
    EXPECT_EQ(foreign.hint, none.hint) << method;
  }
  const std::string owners =
      begin({{"question", "q"}, {"resources", {(root / "shared").string()}}});
  EXPECT_EQ(failure("question.find", with({{"id", owners}}, principal(mine))).tag, "NotFound");
  const Json unknown{{"id", id}, {"principal", {{"token", "tok_0"}}}};
  EXPECT_EQ(failure("question.find", unknown).tag, "AuthenticationError");
}

TEST_F(AccessMethods, StreamsAreLimitedUntilTheyEnd) {
  const StreamServer server([](std::size_t at, const std::string&) -> Answer {
    return at == 0 ? Answer{.body = "{\"say\":\"half\"}\n", .hang = true}
                   : Answer{.body = "{\"say\":\"whole\"}\n{\"end\":\"stop\"}\n"};
  });
  begin_with("", "[model]\nprovider = \"fixture\"\nname = \"m1\"\nbase_url = \"" + server.url() +
                     "\"\n[network]\nprivate_hosts = [\"127.0.0.1\"]\n");
  const std::string token = make_token("docs", {{"streams", 1}});
  add_folder(token, "docs");
  const Json who = principal(token);
  const std::string id = begin(with({{"question", "q"}}, who));
  EXPECT_EQ(failure("question.ask", with({{"question", "q"}}, who)).tag, "RateLimitError");
  call("question.stop", {{"id", id}});
  events(id);
  while (!engine->call_and_wait("question.ask", to_text(with({{"question", "q"}}, who)))) {
  }
}

TEST_F(AccessMethods, ARevokedTokenEndsItsQuestionsWithinATick) {
  const StreamServer server([](std::size_t, const std::string&) -> Answer {
    return {.body = "{\"say\":\"half\"}\n", .hang = true};
  });
  begin_with("", "[model]\nprovider = \"fixture\"\nname = \"m1\"\nbase_url = \"" + server.url() +
                     "\"\n[network]\nprivate_hosts = [\"127.0.0.1\"]\n");
  const std::string token = make_token("docs");
  add_folder(token, "docs");
  const std::string id = begin(with({{"question", "q"}}, principal(token)));
  call("tokens.revoke", {{"id", ids[token]}});
  const auto all = events(id);
  EXPECT_EQ(all.back().type, "error");
  EXPECT_EQ(all.back().json["tag"], "AuthenticationError");
  EXPECT_EQ(failure("access.admit", {{"authorization", token}}).tag, "AuthenticationError");
}

/// 1,000 tokens read at $1 a million, 10 written at $2: $0.00102 a question.
TEST_F(AccessMethods, ADaysMoneyIsSpentAndThenRefused) {
  const StreamServer server([](std::size_t, const std::string&) -> Answer {
    return {.body = "{\"say\":\"Hello.\"}\n{\"tokens\":[1000,10]}\n{\"end\":\"stop\"}\n"};
  });
  begin_with("[pricing.static.\"fixture/m1\"]\ninput = \"1\"\noutput = \"2\"\n",
             "[model]\nprovider = \"fixture\"\nname = \"m1\"\nbase_url = \"" + server.url() +
                 "\"\n[network]\nprivate_hosts = [\"127.0.0.1\"]\n");
  const std::string token = make_token("docs", {{"usdPerDay", "0.0045"}});
  add_folder(token, "docs");
  std::size_t answered = 0;
  Json last;
  for (; answered < 10; ++answered) {
    last = ask(with({{"question", "q"}}, principal(token))).back().json;
    if (last["type"] == "error") break;
  }
  EXPECT_EQ(last["tag"], "BudgetError");
  EXPECT_EQ(answered, server.requests().size()) << "the model was asked for paid questions only";
  EXPECT_GE(answered, 2u);
  EXPECT_LE(answered, 4u);
}

TEST_F(AccessMethods, APeerThatGuessesIsRefusedForAWhileAndRightTokensAreNot) {
  begin_with();
  const std::string token = make_token("docs");
  const auto guess = [&](const char* peer) {
    return failure("access.admit", {{"authorization", "guess"}, {"peer", peer}}).tag;
  };
  while (guess("192.0.2.7") != "RateLimitError") {
  }
  EXPECT_EQ(guess("192.0.2.8"), "AuthenticationError");
  const std::string right = to_text({{"authorization", token}, {"peer", "192.0.2.7"}});
  wait_until([&] { return engine->call_and_wait("access.admit", right).has_value(); });
}

TEST_F(AccessMethods, ATokenMaySeeTheFiguresOfTheHostByARightOfItsOwn) {
  begin_with();
  EXPECT_EQ(admit(make_token("docs", {{"rights", {"metrics"}}}))["rights"], Json({"metrics"}));
}

/// A limit in money cannot be enforced without a price.
TEST_F(AccessMethods, AModelWithoutAPriceIsNotAskedForMoneyThatIsLimited) {
  const StreamServer server([](std::size_t, const std::string&) -> Answer {
    return {.body = "{\"say\":\"Hello.\"}\n{\"tokens\":[2000000,10]}\n{\"end\":\"stop\"}\n"};
  });
  begin_with("", "[model]\nprovider = \"fixture\"\nname = \"m1\"\nbase_url = \"" + server.url() +
                     "\"\n[network]\nprivate_hosts = [\"127.0.0.1\"]\n");
  const std::string free = make_token("docs");
  const std::string limited = make_token("docs", {{"usdPerDay", "0.01"}});
  call("projects.create", {{"name", "poor"}, {"usdPerDay", "0.01"}});
  const std::string of_limited_project = make_token("poor");
  for (const std::string& token : {free, limited, of_limited_project}) add_folder(token, "docs");
  for (const std::string& token : {limited, of_limited_project}) {
    const Error error = failure("question.ask", with({{"question", "q"}}, principal(token)));
    EXPECT_EQ(error.tag, "ConfigError");
    EXPECT_THAT(error.hint, HasSubstr("\"fixture/m1\" = { input = "));
  }
  EXPECT_TRUE(server.requests().empty());
  EXPECT_EQ(ask(with({{"question", "q"}}, principal(free))).back().type, "done");
}

TEST_F(AccessMethods, TheAuditSaysWhatAQuestionUsed) {
  const StreamServer server([](std::size_t, const std::string&) -> Answer {
    return {.body = "{\"say\":\"Hello.\"}\n{\"tokens\":[1000,10]}\n{\"end\":\"stop\"}\n"};
  });
  const std::filesystem::path file = root / "audit.jsonl";
  begin_with(
      "[pricing.static.\"fixture/m1\"]\ninput = \"1\"\noutput = \"2\"\n[access]\n"
      "audit_file = \"" +
          file.string() + "\"\n",
      "[model]\nprovider = \"fixture\"\nname = \"m1\"\nbase_url = \"" + server.url() +
          "\"\n[network]\nprivate_hosts = [\"127.0.0.1\"]\n");
  const std::string token = make_token("docs");
  add_folder(token, "docs");
  for (const bool at_once : {false, true}) {
    const std::string id = begin(with({{"question", "the secret question"}}, principal(token)));
    if (!at_once) events(id);
    call("access.record", {{"request", "r1"},
                           {"principal", {{"token", ids[token]}, {"project", "docs"}}},
                           {"method", "tools/call"},
                           {"tool", "ask"},
                           {"status", 200},
                           {"ms", 12},
                           {"questionId", id}});
    if (at_once) events(id);
  }
  engine.reset();
  std::ifstream in(file);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  const std::size_t first = text.find("\"inputTokens\":1000");
  ASSERT_NE(first, text.npos);
  EXPECT_NE(text.find("\"inputTokens\":1000", first + 1), text.npos) << text;
  EXPECT_THAT(text, HasSubstr("\"usd\":\"0.00102\""));
  EXPECT_THAT(text, HasSubstr("\"token\":\"" + ids[token] + "\""));
  EXPECT_THAT(text, ::testing::Not(HasSubstr("secret question")));
  EXPECT_THAT(text, ::testing::Not(HasSubstr(token)));
}

TEST_F(AccessMethods, ARefusedRequestIsALineWithoutAToken) {
  const std::filesystem::path file = root / "audit.jsonl";
  begin_with("[access]\naudit_file = \"" + file.string() + "\"\n");
  call("access.record", {{"request", "r1"},
                         {"method", "POST"},
                         {"status", 401},
                         {"ms", 0},
                         {"peer", "192.0.2.7"},
                         {"count", 499}});
  engine.reset();
  std::ifstream in(file);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  EXPECT_THAT(text, HasSubstr("\"peer\":\"192.0.2.7\""));
  EXPECT_THAT(text, HasSubstr("\"count\":499"));
  EXPECT_THAT(text, HasSubstr("\"token\":\"\""));
}

TEST_F(AccessMethods, ASessionOutlivesTheHost) {
  begin_with();
  const std::string token = make_token("docs");
  const std::string foreign = make_token("docs");
  const std::string session = call("sessions.open", {{"principal", principal(token)}})["session"];
  start_again();
  const auto check = [&](const std::string& of) {
    return call("sessions.check", {{"principal", principal(of)}, {"session", session}})["live"];
  };
  EXPECT_EQ(check(token), true);
  EXPECT_EQ(check(foreign), false);
  EXPECT_EQ(call("sessions.end", {{"principal", principal(token)}, {"session", session}})["ended"],
            true);
  EXPECT_EQ(check(token), false);
}

TEST_F(AccessMethods, WithoutAStoreThatIsSaid) {
  configure("[model]\nprovider = \"extractive\"\n");
  start();
  const Error error = failure("tokens.list");
  EXPECT_EQ(error.tag, "ConfigError");
  EXPECT_THAT(error.hint, HasSubstr("[store]"));
  EXPECT_EQ(failure("access.admit", {{"authorization", "x"}}).tag, "ConfigError");
}

TEST_F(AccessMethods, ATransportThatNobodyOffersIsAFailure) {
  configure("[model]\nprovider = \"extractive\"\n");
  start();
  const auto started = engine->start_transports({"pigeon"});
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code, Code::kNotFound);
}

TEST_F(AccessMethods, AnEndThatATransportAsksForIsTold) {
  configure("[model]\nprovider = \"extractive\"\n");
  bool ended = false;
  Options wanted = options();
  wanted.on_end = [&] { ended = true; };
  engine = std::move(*Engine::start(wanted));
  call("host.end");
  EXPECT_TRUE(ended);
}

}  // namespace
}  // namespace quarry::engine
