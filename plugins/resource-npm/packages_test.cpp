#include "resource-npm/integrity.h"
#include "resource-npm/testing/registry_host.h"
#include "resource-npm/testing/tarballs.h"

#include <fstream>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace quarry::resource_npm {
namespace {

using Json = nlohmann::json;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::RegistryHost;
using testing::sha512_of;
using ::testing::StartsWith;

constexpr const char* kPublic = "https://registry.npmjs.org/";
constexpr const char* kSmall = "https://registry.npmjs.org/small";
constexpr const char* kTarball = "https://registry.npmjs.org/small/-/small-1.0.0.tgz";

std::string dist_of(const std::string& url, const std::string& integrity) {
  return Json{{"tarball", url}, {"integrity", integrity}}.dump();
}

std::string small(const std::string& version = "latest") {
  return Json{{"type", "npm"}, {"package", "small"}, {"version", version}}.dump();
}

/// The public registry has "small" 1.0.0.
class NpmPackages : public ::testing::Test {
 protected:
  NpmPackages() {
    host_.publish(kPublic, "small", {{"1.0.0", dist_of(kTarball, sha512_of(package_))}});
    host_.answer(kTarball, 200, package_);
  }
  Json resolved(const std::string& resource) { return Json::parse(host_.resolve(resource)); }
  [[nodiscard]] std::string version() const {
    return Json{{"id", "1.0.0"}, {"integrity", sha512_of(package_)}}.dump();
  }

  std::string package_ = testing::small_package();
  RegistryHost host_;
};

TEST_F(NpmPackages, GetTheirTarballsFromPermittedHostsAlone) {
  constexpr const char* kElsewhere = "https://cdn.example/small-1.0.0.tgz";
  host_.http.hosts = {"registry.npmjs.org"};
  host_.answer(kElsewhere, 200, package_);
  host_.answer(kTarball, 302, "", {{"Location", kElsewhere, {}}});
  EXPECT_THAT(host_.fetch(small(), version()), HasSubstr("does not name cdn.example"));
  host_.http.hosts = {"registry.npmjs.org", "cdn.example"};
  EXPECT_THAT(host_.fetch(small(), version()), StartsWith("{"));
  RegistryHost other;
  other.http.hosts = {"registry.npmjs.org"};
  other.publish(kPublic, "small", {{"1.0.0", dist_of(kElsewhere, sha512_of(package_))}});
  EXPECT_THAT(other.fetch(small(), version()),
              AllOf(HasSubstr("does not name cdn.example"), HasSubstr("tarballs = ")));
}

TEST_F(NpmPackages, ResolveToAVersionAndItsIntegrity) {
  EXPECT_EQ(resolved(small()), (Json{{"id", "1.0.0"},
                                     {"immutable", true},
                                     {"integrity", sha512_of(package_)},
                                     {"display", "small 1.0.0 (latest)"}}));
  EXPECT_EQ(resolved(small("^1"))["display"], "small 1.0.0 (^1)");
  EXPECT_EQ(resolved(small("1.0.0"))["display"], "small 1.0.0");
  EXPECT_THAT(host_.sent(kSmall, "Accept"), StartsWith("application/vnd.npm.install-v1+json"));
}

TEST_F(NpmPackages, AreAskedForWithTheirETag) {
  resolved(small());
  EXPECT_EQ(host_.sent(kSmall, "If-None-Match"), "none");
  host_.answer(kSmall, 304, "");
  EXPECT_EQ(resolved(small())["id"], "1.0.0");
  EXPECT_EQ(host_.sent(kSmall, "If-None-Match"), "\"one\"");
  EXPECT_EQ(host_.requests(), 2u);
}

TEST_F(NpmPackages, OfAnExactVersionNeedNoNetworkOnceTheyAreKnown) {
  resolved(small());
  host_.http.failure = {QUARRY_UNAVAILABLE, "no network", "plug it in", {}};
  EXPECT_EQ(resolved(small("1.0.0"))["id"], "1.0.0");
  EXPECT_EQ(host_.requests(), 1u);
  EXPECT_EQ(host_.resolve(small("^1")),
            "5: the registry could not be asked for small: no network | plug it in");
}

TEST_F(NpmPackages, ThatAreNotKeptAreAskedForAnew) {
  host_.fake.offer(QUARRY_PATHS, nullptr);
  resolved(small("1.0.0"));
  resolved(small("1.0.0"));
  EXPECT_EQ(host_.requests(), 2u);
}

TEST_F(NpmPackages, OfTheOwnerAreNotReadByAProjectThatClaimsTheirIntegrity) {
  host_.fetch(small(), version());
  ASSERT_FALSE(host_.tree.files.empty());
  // The same name and integrity, from a registry that refuses the tarball to this reader.
  host_.answer(kTarball, 401, R"({"error":"who are you?"})");
  host_.settings.for_projects = true;
  EXPECT_THAT(host_.fetch(small("1.0.0"), version()), HasSubstr("quarry projects secret set"));
  EXPECT_THAT(host_.tree.files, IsEmpty());
}

TEST_F(NpmPackages, OfOneProjectAreNotReadByAnotherThatClaimsTheirIntegrity) {
  const auto with = [](const char* token) {
    return Json{{"type", "npm"}, {"package", "small"}, {"version", "1.0.0"}, {"token", token}}
        .dump();
  };
  host_.settings.for_projects = true;
  host_.fetch(with("project.one"), version());
  ASSERT_FALSE(host_.tree.files.empty());
  host_.answer(kTarball, 401, "");
  for (const std::string& other : {with("project.other"), small("1.0.0")}) {
    EXPECT_THAT(host_.fetch(other, version()), StartsWith("4"));
    EXPECT_THAT(host_.tree.files, IsEmpty());
  }
  const std::size_t before = host_.requests();
  host_.fetch(with("project.one"), version());
  EXPECT_FALSE(host_.tree.files.empty());
  EXPECT_EQ(host_.requests(), before);
}

TEST_F(NpmPackages, MayComePacked) {
  const std::string body = host_.http.responses[kSmall].body;
  host_.answer(kSmall, 200, testing::gzipped(body), {{"Content-Encoding", "gzip", {}}});
  EXPECT_EQ(resolved(small())["id"], "1.0.0");
  EXPECT_EQ(host_.sent(kSmall, "Accept-Encoding"), "gzip");
  host_.answer(kSmall, 200, "\x1f\x8b broken", {{"Content-Encoding", "gzip", {}}});
  EXPECT_THAT(host_.resolve(small()), AllOf(StartsWith("11: "), HasSubstr("damaged response")));
  host_.answer(kSmall, 200, testing::gzipped(body).substr(0, 20),
               {{"Content-Encoding", "gzip", {}}});
  EXPECT_THAT(host_.resolve(small()), AllOf(StartsWith("5: "), HasSubstr("damaged response")));
}

TEST_F(NpmPackages, ThatAreNoneAreAFailure) {
  host_.answer(kSmall, 200, "<html><title>Log in</title></html>");
  EXPECT_THAT(host_.resolve(small()), AllOf(StartsWith("5: "), HasSubstr("a web page, \"Log in\""),
                                            HasSubstr("log-in page")));
  host_.answer(kSmall, 200, "{\"status\":\"ok\"}");
  EXPECT_THAT(host_.resolve(small()), AllOf(StartsWith("5: "), HasSubstr("something other")));
  host_.answer(kSmall, 304, "");
  EXPECT_THAT(host_.resolve(small()), HasSubstr("HTTP 304"));
}

TEST_F(NpmPackages, BringTheirFilesAndAPage) {
  const Json fetched = Json::parse(host_.fetch(small(), version()));
  EXPECT_EQ(fetched["permalink"], "https://unpkg.com/small@{version}/{path}#L{start}-L{end}");
  EXPECT_EQ(fetched["generated"], Json::array({"NPM-PACKAGE.md"}));
  EXPECT_THAT(fetched["notes"].get<std::vector<std::string>>(),
              ElementsAre(HasSubstr("NPM-PACKAGE.md is no file of the package")));
  EXPECT_EQ(host_.tree.files.size(), 4u);
  EXPECT_EQ(host_.tree.files.at("lib/index.js"), "export const add = (a, b) => a + b;\n");
  EXPECT_THAT(host_.tree.files.at("NPM-PACKAGE.md"),
              AllOf(StartsWith("# small"), HasSubstr("- `other` ^2")));
}

TEST_F(NpmPackages, AreFetchedOnceWhateverTheyWereCalled) {
  host_.fetch(small(), version());
  const std::size_t requests = host_.requests();
  EXPECT_THAT(host_.fetch(small("^1"), version()), HasSubstr("permalink"));
  EXPECT_EQ(host_.requests(), requests);
  EXPECT_EQ(host_.tree.files.size(), 4u);
}

TEST_F(NpmPackages, TellHowFarTheyAre) {
  host_.http.responses[kTarball].headers = {
      {"Content-Length", std::to_string(package_.size()), {}}};
  host_.fetch(small(), version());
  EXPECT_THAT(host_.call.progress,
              Contains(AllOf(HasSubstr("downloading the tarball of small 1.0.0"),
                             HasSubstr("\"total\":" + std::to_string(package_.size())))));
}

TEST_F(NpmPackages, TakeTheRegistrysReadmeWhereTheTarballHasNone) {
  package_ = testing::TarBuilder().file("package/index.js", "1").packed();
  host_.answer(kSmall, 200,
               R"({"readme":"# from the registry","versions":{"1.0.0":{"dist":)" +
                   dist_of(kTarball, sha512_of(package_)) + "}}}");
  host_.answer(kTarball, 200, package_);
  host_.fetch(small(), version());
  EXPECT_THAT(host_.tree.files.at("NPM-PACKAGE.md"), StartsWith("# from the registry"));
  EXPECT_EQ(host_.sent(kSmall, "Accept"), "application/json");
}

TEST_F(NpmPackages, AreRefusedWhenTheirIntegrityIsWrong) {
  host_.answer(kTarball, 200, package_ + "x");
  EXPECT_THAT(host_.fetch(small(), version()),
              AllOf(StartsWith("11: "), HasSubstr(sha512_of(package_)),
                    HasSubstr(sha512_of(package_ + "x")), HasSubstr("nothing of it was read")));
  EXPECT_THAT(host_.tree.files, IsEmpty());
}

TEST_F(NpmPackages, AreRefusedWhenTheRegistrySaysAnotherIntegrityThanBefore) {
  const std::string locked = Json{{"id", "1.0.0"}, {"integrity", sha512_of("other")}}.dump();
  EXPECT_THAT(host_.fetch(small(), locked),
              AllOf(StartsWith("11: small 1.0.0 has changed"), HasSubstr(sha512_of("other")),
                    HasSubstr(sha512_of(package_))));
  EXPECT_EQ(host_.sent(kTarball, "Accept"), "none");
  EXPECT_EQ(host_.requests(), 1u);
  EXPECT_THAT(host_.fetch(small(), R"({"id":"1.0.0","integrity":"nonsense"})"),
              HasSubstr("is no integrity"));
}

TEST_F(NpmPackages, OfOldDaysAreCheckedByTheirShasum) {
  host_.publish(kPublic, "small",
                {{"1.0.0", R"({"shasum":"a9993e364706816aba3e25717850c26c9cd0d89d","tarball":")" +
                               std::string(kTarball) + "\"}"}});
  host_.answer(kTarball, 200, "abd");
  const Json old = resolved(small());
  EXPECT_EQ(old["integrity"], "sha1-qZk+NkcGgWq6PiVxeFDCbJzQ2J0=");
  EXPECT_THAT(host_.fetch(small(), old.dump()), HasSubstr("must be sha1-"));
  // An old lock file and a registry with more hashes now: both must match.
  host_.publish(kPublic, "small", {{"1.0.0", dist_of(kTarball, sha512_of("abd"))}});
  resolved(small());
  EXPECT_THAT(host_.fetch(small(), old.dump()), HasSubstr("must be sha1-"));
  host_.answer(kTarball, 200, "abc");
  host_.publish(kPublic, "small", {{"1.0.0", dist_of(kTarball, sha512_of("abc"))}});
  resolved(small());
  EXPECT_THAT(host_.fetch(small(), old.dump()), HasSubstr("the tarball is refused"));
}

TEST_F(NpmPackages, WithoutAnyIntegrityAreRefused) {
  host_.publish(kPublic, "small", {{"1.0.0", R"({"tarball":")" + std::string(kTarball) + "\"}"}});
  const Json version = resolved(small());
  EXPECT_FALSE(version.contains("integrity"));
  EXPECT_THAT(host_.fetch(small(), version.dump()), HasSubstr("gives no integrity"));
}

TEST_F(NpmPackages, ThatAreDeprecatedWorkWithANote) {
  host_.answer(kSmall, 200,
               R"({"versions":{"1.0.0":{"deprecated":"use \"large\" instead","dist":)" +
                   dist_of(kTarball, sha512_of(package_)) + "}}}");
  const Json fetched = Json::parse(host_.fetch(small(), version()));
  EXPECT_EQ(fetched["notes"][0], "small 1.0.0 is deprecated: use \"large\" instead");
  EXPECT_THAT(host_.tree.files.at("NPM-PACKAGE.md"), HasSubstr("Deprecated: use \"large\""));
}

TEST_F(NpmPackages, WithLongWordsHaveShortNotes) {
  std::string reason = "x";
  for (int i = 0; i < 300; ++i) reason += "\xc3\xa4";
  host_.answer(kSmall, 200,
               R"({"versions":{"1.0.0":{"deprecated":")" + reason + R"(","dist":)" +
                   dist_of(kTarball, sha512_of(package_)) + "}}}");
  const std::string note = Json::parse(host_.fetch(small(), version()))["notes"][0];
  EXPECT_LE(note.size(), 300u);
  EXPECT_GE(note.size(), 299u);
}

TEST_F(NpmPackages, ThatAreMissingNameWhatThereIs) {
  EXPECT_THAT(host_.resolve(small("3.0.0")),
              AllOf(StartsWith("2: small has no version 3.0.0"), HasSubstr("1.0.0")));
  EXPECT_THAT(host_.fetch(small(), R"({"id":"3.0.0"})"), StartsWith("2: small has no version"));
  EXPECT_THAT(host_.resolve(R"({"package":"none"})"),
              AllOf(StartsWith("2: https://registry.npmjs.org/ does not have none"),
                    HasSubstr("\"Not found\"")));
}

TEST_F(NpmPackages, StopWhereverTheCallEnds) {
  host_.http.piece = 16;
  int looks = 0;
  std::string told;
  do {
    host_.call.cancel_after(looks++);
    told = host_.fetch(small(), version());
  } while (told.starts_with("7: ") && looks < 1000);
  EXPECT_THAT(told, HasSubstr("permalink"));
  EXPECT_GT(looks, 10);
}

TEST_F(NpmPackages, ThatAreTooLargeAreNotBegun) {
  host_.http.responses[kTarball].headers = {{"Content-Length", "99999999999", {}}};
  EXPECT_THAT(host_.fetch(small(), version()),
              AllOf(StartsWith("6: "), HasSubstr("has more than 1073741824 bytes")));
}

TEST_F(NpmPackages, WhoseTarballIsMissingSaySo) {
  host_.answer(kTarball, 503, "busy");
  EXPECT_THAT(
      host_.fetch(small(), version()),
      AllOf(StartsWith("5: "), HasSubstr("the tarball of small 1.0.0: HTTP 503, \"busy\"")));
}

TEST_F(NpmPackages, NeedAPlaceToWorkIn) {
  host_.fake.offer(QUARRY_PATHS, nullptr);
  EXPECT_THAT(host_.fetch(small(), version()), HasSubstr("permalink"));
  Tree tree(host_.tree.get());
  host_.tree.scratch.clear();
  const Packages packages(host_.host(), {}, [](const std::string&) { return std::nullopt; });
  const auto fetched = packages.fetch(Call(host_.call.get()), small(), version(), tree);
  EXPECT_EQ(fetched.failure().message, "this host gives plugins no folder for downloads");
  host_.tree.scratch = "/nowhere";
  EXPECT_THAT(packages.fetch(Call(host_.call.get()), small(), version(), tree).failure().message,
              HasSubstr("No such file or directory"));
}

/// A private registry that requires a token.
class PrivateRegistry : public NpmPackages {
 protected:
  PrivateRegistry() {
    host_.publish(kTeam, "@team/lib", {{"1.0.0", dist_of(kTeamTarball, sha512_of(package_))}});
    host_.answer(kTeamTarball, 200, package_);
    host_.environment["HOME"] = host_.directory.path();
  }
  void npmrc(const std::string& text) { std::ofstream(host_.directory.path() / ".npmrc") << text; }

  static constexpr const char* kTeam = "https://npm.team.example/";
  static constexpr const char* kPackument = "https://npm.team.example/@team%2flib";
  static constexpr const char* kTeamTarball = "https://npm.team.example/lib-1.0.0.tgz";
  const std::string lib_ = R"({"package":"@team/lib"})";
};

TEST_F(PrivateRegistry, IsTheOneOfTheScopeInNpmrc) {
  npmrc("@team:registry=https://npm.team.example\n//npm.team.example/:_authToken=s3cr3t-token\n");
  EXPECT_EQ(resolved(lib_)["id"], "1.0.0");
  EXPECT_EQ(host_.sent(kPackument, "Authorization"), "Bearer s3cr3t-token");
  EXPECT_THAT(host_.hidden, Contains("s3cr3t-token"));
  const Json fetched = Json::parse(host_.fetch(lib_, version()));
  EXPECT_EQ(host_.sent(kTeamTarball, "Authorization"), "Bearer s3cr3t-token");
  EXPECT_FALSE(fetched.contains("permalink"));
}

TEST_F(PrivateRegistry, GetsNoTokenOfAnother) {
  npmrc("//npm.team.example/:_authToken=s3cr3t-token\n");
  resolved(small());
  host_.fetch(small(), version());
  EXPECT_EQ(host_.sent(kSmall, "Authorization"), "none");
  EXPECT_EQ(host_.sent(kTarball, "Authorization"), "none");
}

TEST_F(PrivateRegistry, IsShownNoTokenWhenNpmrcDoesNotCount) {
  npmrc("@team:registry=https://npm.team.example\n//npm.team.example/:_authToken=s3cr3t-token\n");
  host_.settings.npmrc = false;
  host_.settings.registry = kTeam;
  EXPECT_EQ(resolved(lib_)["id"], "1.0.0");
  EXPECT_EQ(host_.sent(kPackument, "Authorization"), "none");
}

TEST_F(PrivateRegistry, GetsTheTokenOfTheResource) {
  const std::string lib =
      Json{{"package", "@team/lib"}, {"registry", kTeam}, {"token", "resource.lib.token"}}.dump();
  npmrc("//npm.team.example/:_authToken=of-npmrc\n");
  host_.publish(kTeam, "@team/lib",
                {{"1.0.0", dist_of("https://cdn.example/lib.tgz", sha512_of(package_))}});
  host_.answer("https://cdn.example/lib.tgz", 200, package_);
  resolved(lib);
  EXPECT_EQ(host_.sent(kPackument, "Authorization"), "Bearer resource.lib.token");
  host_.fetch(lib, version());
  EXPECT_EQ(host_.sent("https://cdn.example/lib.tgz", "Authorization"), "none");
}

TEST_F(PrivateRegistry, SaysWhatItWants) {
  npmrc("@team:registry=https://npm.team.example\n");
  host_.answer(kPackument, 401, R"({"error":"authentication required"})");
  EXPECT_THAT(host_.resolve(lib_), AllOf(StartsWith("4: "), HasSubstr("requires credentials for"),
                                         HasSubstr("\"authentication required\""),
                                         HasSubstr("//npm.team.example/:_authToken=…")));
  npmrc("@team:registry=https://npm.team.example\n//npm.team.example/:_authToken=${NPM_TOKEN}\n");
  EXPECT_THAT(host_.resolve(lib_), HasSubstr("needs the variable NPM_TOKEN, which is not set"));
  host_.environment["NPM_TOKEN"] = "wr0ng-token";
  EXPECT_THAT(host_.resolve(lib_), AllOf(StartsWith("4: "), HasSubstr("does not accept the token"),
                                         Not(HasSubstr("wr0ng-token"))));
}

}  // namespace
}  // namespace quarry::resource_npm
