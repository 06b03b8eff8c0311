#include "resource-git/credentials.h"
#include "resource-git/testing/fixture.h"

#include <condition_variable>
#include <quarry_test.h>

namespace quarry::resource_git {
namespace {

using Json = nlohmann::json;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using testing::GitServer;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using testing::WebRequest;
using testing::WebResponse;
using Files = std::map<std::string, std::string>;

class GitRemote : public testing::GitFixture {
 protected:
  /// Requires these credentials for reading.
  void guard(GitServer& server, const std::string& user_and_password) {
    server.intercept([expected = basic_authorization(user_and_password)](
                         const WebRequest& request) -> std::optional<WebResponse> {
      const auto sent = request.headers.find("authorization");
      if (sent != request.headers.end() && sent->second == expected) return {};
      return WebResponse{401, {{"WWW-Authenticate", "Basic realm=\"x\""}}, "who are you?\n"};
    });
  }
  void answer(int status, const std::string& body,
              std::vector<std::pair<std::string, std::string>> headers = {}) {
    server_->intercept([=](const WebRequest&) { return WebResponse{status, headers, body}; });
  }
  /// Redirects every path beneath `from` to `to`.
  void redirect(const std::string& from, const std::string& to) {
    server_->intercept([=](const WebRequest& request) -> std::optional<WebResponse> {
      if (!request.path.starts_with(from)) return {};
      return WebResponse{
          301, {{"Location", to + request.path.substr(from.size()) + "?" + request.query}}, ""};
    });
  }
};

TEST_F(GitRemote, ReadsAPrivateRepositoryWithItsToken) {
  commit({{"a", "1"}});
  guard(*server_, "x-access-token:" + test_key());
  host_->secrets["resource.r.token"] = test_key();
  EXPECT_EQ(files({{"token", "resource.r.token"}}), (Files{{"a", "1"}}));
  for (const auto& run : host_->processes.runs()) {
    EXPECT_THAT(run.arguments, Each(AllOf(Not(HasSubstr(test_key())), Not(HasSubstr("Basic")))));
  }
  for (const WebRequest& request : server_->requests()) {
    EXPECT_THAT(request.path + request.query, Not(HasSubstr(test_key())));
  }
  EXPECT_THAT(host_->hidden, AllOf(Contains(test_key()), SizeIs(::testing::Ge(2))));
}

TEST_F(GitRemote, TellsAMissingTokenFromAWrongOne) {
  commit({{"a", "1"}});
  guard(*server_, "x-access-token:" + test_key());
  const Failure missing = refused();
  EXPECT_EQ(missing.status, QUARRY_UNAUTHENTICATED);
  EXPECT_THAT(missing.message, HasSubstr("private or does not exist"));
  EXPECT_THAT(missing.message, HasSubstr("who are you?"));
  host_->secrets["t"] = "wrong";
  const Failure wrong = refused({{"token", "t"}});
  EXPECT_EQ(wrong.status, QUARRY_UNAUTHENTICATED);
  EXPECT_THAT(wrong.message, AllOf(HasSubstr("refused the credentials"), Not(HasSubstr("wrong"))));
  const Failure unset = refused({{"token", "u"}});
  EXPECT_EQ(unset.status, QUARRY_NOT_FOUND);
  EXPECT_THAT(unset.message, HasSubstr("not set"));
}

TEST_F(GitRemote, TakesATokenThatWasChangedWithoutARestart) {
  commit({{"a", "1"}});
  host_->secrets["t"] = "me:first";
  guard(*server_, "me:first");
  files({{"token", "t"}});
  guard(*server_, "me:second");
  EXPECT_EQ(refused({{"token", "t"}}).status, QUARRY_UNAUTHENTICATED);
  host_->secrets["t"] = "me:second";
  commit({{"a", "2"}});
  EXPECT_EQ(files({{"token", "t"}})["a"], "2");
}

TEST_F(GitRemote, DoesNotLendOneTokensFilesToAnother) {
  const std::string id = commit({{"a", "1"}});
  host_->secrets["t"] = "me:word";
  guard(*server_, "me:word");
  files({{"token", "t"}});
  quarry::testing::Tree tree;
  const auto fetched = fetch({}, id, tree);
  ASSERT_FALSE(fetched);
  EXPECT_EQ(fetched.failure().status, QUARRY_UNAUTHENTICATED);
}

TEST_F(GitRemote, GivesAProjectNothingThatWasFetchedForTheOwner) {
  const std::string id = commit({{"a", "1"}});
  files();  // the owner, authenticated by any credentials
  guard(*server_, "me:word");
  restart({.for_projects = true});
  for (const Json& claimed : {Json::object(), Json{{"branch", id}}}) {
    quarry::testing::Tree tree;
    const auto fetched = fetch(claimed, id, tree);
    ASSERT_FALSE(fetched) << *fetched;
    EXPECT_EQ(fetched.failure().status, QUARRY_UNAUTHENTICATED);
    EXPECT_THAT(tree.files, IsEmpty());
  }
}

TEST_F(GitRemote, GivesOneProjectNothingThatAnothersTokenFetched) {
  const std::string id = commit({{"a", "1"}});
  host_->secrets["project.one"] = "me:word";
  host_->secrets["project.other"] = "me:wrong";
  guard(*server_, "me:word");
  restart({.for_projects = true});
  EXPECT_EQ(files({{"token", "project.one"}}), (Files{{"a", "1"}}));
  for (const Json& claimed : {Json{{"token", "project.other"}}, Json::object()}) {
    quarry::testing::Tree tree;
    ASSERT_FALSE(fetch(claimed, id, tree)) << claimed;
    EXPECT_THAT(tree.files, IsEmpty());
  }
}

TEST_F(GitRemote, FollowsARedirectAndRemembersIt) {
  commit({{"a", "1"}});
  redirect("/old", server_->url("repo.git"));
  const Json moved = {{"url", server_->url("old")}};
  EXPECT_EQ(files(moved), (Files{{"a", "1"}}));
  server_->forget_requests();
  resolved(moved);
  EXPECT_THAT(server_->requests(), SizeIs(1));
}

TEST_F(GitRemote, SendsATokenToItsOwnHostOnly) {
  commit({{"a", "1"}});
  GitServer other(root_ / "srv");
  redirect("/repo.git", other.url("repo.git"));
  host_->secrets["t"] = "me:word";
  EXPECT_EQ(files({{"token", "t"}}), (Files{{"a", "1"}}));
  for (const WebRequest& request : other.requests()) {
    EXPECT_THAT(request.headers, Not(Contains(::testing::Key("authorization")))) << request.path;
  }
}

TEST_F(GitRemote, ConnectsOnlyWhereThePolicyPermits) {
  commit({{"a", "1"}});
  host_->policy = [](const std::string& url) -> std::optional<Failure> {
    if (url.find("/info/refs") != url.npos || url.find("upload-pack") != url.npos) return {};
    return Failure{QUARRY_PERMISSION_DENIED, "the address 127.0.0.1 is private", "", ""};
  };
  const Json version = resolved();
  quarry::testing::Tree tree;
  const auto fetched = fetch({}, version["id"], tree);
  ASSERT_FALSE(fetched);
  EXPECT_EQ(fetched.failure().status, QUARRY_PERMISSION_DENIED);
  EXPECT_THAT(fetched.failure().message, HasSubstr("is private"));
}

TEST_F(GitRemote, ThatRedirectsToAHostThatTheUrlDoesNotNameSaysSo) {
  const std::string said = R"({"host":"elsewhere.example","redirect":true,"refusedBy":"manifest"})";
  host_->policy = [&said](const std::string&) -> std::optional<Failure> {
    return Failure{QUARRY_PERMISSION_DENIED, "not listed", "ask", said};
  };
  const auto resolved = resolve({});
  ASSERT_FALSE(resolved);
  EXPECT_EQ(resolved.failure().status, QUARRY_PERMISSION_DENIED);
  EXPECT_THAT(resolved.failure().details, HasSubstr("\"/url\""));
  EXPECT_THAT(resolved.failure().message, HasSubstr("redirects to elsewhere.example"));
  EXPECT_THAT(resolved.failure().hint, HasSubstr("give the URL of the repository there"));
}

TEST_F(GitRemote, PinsTheAddressThatWasPermitted) {
  commit({{"a", "1"}});
  files();
  const auto runs = host_->processes.runs();
  const auto fetches = std::ranges::find_if(
      runs, [](const auto& run) { return std::ranges::count(run.arguments, "fetch") != 0; });
  ASSERT_NE(fetches, runs.end());
  EXPECT_THAT(fetches->environment,
              Contains(HasSubstr("=127.0.0.1:" + std::to_string(server_->port()) + ":127.0.0.1")));
}

TEST_F(GitRemote, MayMoveBetweenTwoRequests) {
  commit({{"a", "1"}});
  const std::string id = resolved()["id"];
  sh("mv srv/repo.git srv/new.git");
  redirect("/repo.git", server_->url("new.git"));
  quarry::testing::Tree tree;
  const auto fetched = fetch({}, id, tree);
  EXPECT_TRUE(fetched) << fetched.failure().message;
  EXPECT_THAT(tree.files, SizeIs(1));
}

TEST_F(GitRemote, ThatLeadsGitElsewhereIsNotFollowed) {
  const std::string id = commit({{"a", "1"}});
  resolved();
  GitServer other(root_ / "srv");
  server_->intercept([&](const WebRequest& request) -> std::optional<WebResponse> {
    const auto agent = request.headers.find("user-agent");
    if (agent != request.headers.end() && agent->second == "git/2 (quarry)") return {};
    return WebResponse{
        302, {{"Location", other.url("repo.git") + "/info/refs?" + request.query}}, ""};
  });
  quarry::testing::Tree tree;
  const auto fetched = fetch({}, id, tree);
  ASSERT_FALSE(fetched);
  EXPECT_THAT(fetched.failure().message, HasSubstr("returned error: 302"));
  EXPECT_THAT(other.requests(), IsEmpty());
}

TEST_F(GitRemote, TellsWhatAServerAnswered) {
  answer(404, "Repository not found.\n");
  EXPECT_EQ(refused().status, QUARRY_NOT_FOUND);
  EXPECT_THAT(refused().message, HasSubstr("404: Repository not found."));
  answer(403, "");
  EXPECT_EQ(refused().status, QUARRY_PERMISSION_DENIED);
  answer(429, "slow down\n", {{"Retry-After", "7"}});
  EXPECT_EQ(refused().status, QUARRY_UNAVAILABLE);
  EXPECT_THAT(refused().message, HasSubstr("wait 7 s"));
  answer(503, "");
  EXPECT_EQ(refused().status, QUARRY_UNAVAILABLE);
  answer(200, "<html>welcome</html>", {{"Content-Type", "text/html"}});
  EXPECT_EQ(refused().status, QUARRY_INVALID_ARGUMENT);
  EXPECT_THAT(refused().message, HasSubstr("a web page, not a git repository"));
}

TEST_F(GitRemote, TellsThatARepositoryIsNotThere) {
  const Failure failure = refused({{"url", server_->url("missing.git")}});
  EXPECT_EQ(failure.status, QUARRY_NOT_FOUND);
  EXPECT_THAT(failure.message, HasSubstr("missing.git was not found"));
}

TEST_F(GitRemote, TellsARepositoryOfOtherObjectNames) {
  sh("git init -q --bare --object-format=sha256 srv/new.git");
  const Failure failure = refused({{"url", server_->url("new.git")}});
  EXPECT_EQ(failure.status, QUARRY_UNSUPPORTED);
  EXPECT_THAT(failure.message, HasSubstr("SHA-256"));
}

TEST_F(GitRemote, WhenGoneIsUnavailable) {
  const Json at = {{"url", server_->url("repo.git")}};
  const std::string id = commit({{"a", "1"}});
  server_.reset();
  EXPECT_EQ(resolve(at).failure().status, QUARRY_UNAVAILABLE);
  quarry::testing::Tree tree;
  EXPECT_EQ(fetch(at, id, tree).failure().status, QUARRY_UNAVAILABLE);
}

TEST_F(GitRemote, ThatCutsTheConnectionIsUnavailableUntilItDoesNot) {
  std::string noise;
  for (int i = 0; i < 20'000; ++i) noise += std::to_string(i * 7919 % 100'003);
  const std::string id = commit({{"a", noise}});
  resolved();
  server_->cut_after(20'000);
  quarry::testing::Tree tree;
  const auto cut = fetch({}, id, tree);
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.failure().status, QUARRY_UNAVAILABLE) << cut.failure().message;
  EXPECT_THAT(tree.files, IsEmpty());
  EXPECT_THAT(entries(), IsEmpty());
  server_->cut_after(SIZE_MAX);
  EXPECT_EQ(files()["a"], noise);
}

/// A server that does not respond until it is released.
class SilentRemote : public GitRemote {
 protected:
  void SetUp() override {
    GitRemote::SetUp();
    id_ = commit({{"a", "1"}});
    resolved();
    server_->intercept([this](const WebRequest&) -> std::optional<WebResponse> {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return released_; });
      return {};
    });
  }
  void TearDown() override {
    {
      const std::lock_guard lock(mutex_);
      released_ = true;
    }
    changed_.notify_all();
    GitRemote::TearDown();
  }
  std::string id_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool released_ = false;
};

TEST_F(SilentRemote, IsLeftWhenNobodyWaits) {
  call_.cancel_after(10);
  quarry::testing::Tree tree;
  const auto fetched = fetch({}, id_, tree);
  ASSERT_FALSE(fetched);
  EXPECT_EQ(fetched.failure().status, QUARRY_CANCELLED);
  EXPECT_THAT(entries(), IsEmpty());
}

TEST_F(SilentRemote, IsLeftWhenItsTimeIsOver) {
  Settings settings;
  settings.timeout = std::chrono::seconds(1);
  restart(settings);
  const auto version = resolve();
  ASSERT_FALSE(version);
  EXPECT_EQ(version.failure().status, QUARRY_DEADLINE_EXCEEDED);
  EXPECT_THAT(version.failure().message, HasSubstr("longer than 1 s"));
  EXPECT_THAT(version.failure().hint, HasSubstr("timeout_seconds"));
}

TEST_F(GitRemote, BySshIsReachedOnlyWhereConfigured) {
  const Json at = {{"url", "ssh://git@127.0.0.1:1/r"}};
  EXPECT_EQ(resolve(at).failure().status, QUARRY_PERMISSION_DENIED);
  Settings settings;
  settings.ssh = true;
  restart(settings);
  const auto version = resolve(at);
  ASSERT_FALSE(version);
  const auto runs = host_->processes.runs();
  ASSERT_THAT(runs, Not(IsEmpty()));
  EXPECT_THAT(
      runs.back().environment,
      Contains(AllOf(HasSubstr("GIT_SSH_COMMAND=ssh -oBatchMode=yes"),
                     HasSubstr("StrictHostKeyChecking=yes"), HasSubstr("HostName=127.0.0.1"),
                     HasSubstr("HostKeyAlias=[127.0.0.1]:1"))));
}

}  // namespace
}  // namespace quarry::resource_git
