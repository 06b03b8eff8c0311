#include "resource-npm/registry.h"

#include "resource-npm/testing/registry_host.h"

#include <fstream>

#include <gmock/gmock.h>

namespace quarry::resource_npm {
namespace {

using ::testing::HasSubstr;
using testing::RegistryHost;

Npmrc npmrc_of(std::string_view text) {
  return {text, [](const std::string&) { return std::nullopt; }};
}

Resource resource(const std::string& package, const std::string& registry = {}) {
  return {package, *Wanted::parse("latest"), registry, {}};
}

std::string chosen(const Resource& asked, const Settings& settings, std::string_view npmrc) {
  const auto registry = Registry::choose(asked, settings, npmrc_of(npmrc));
  return registry ? registry->url() : registry.failure().message;
}

TEST(Registry, IsTheNearestThatIsNamed) {
  const char* npmrc = "registry=https://rc/\n@team:registry=https://team/npm\n";
  EXPECT_EQ(chosen(resource("@team/a", "https://own/"), {"https://set/", true}, npmrc),
            "https://own/");
  EXPECT_EQ(chosen(resource("@team/a"), {"https://set/", true}, npmrc), "https://set/");
  EXPECT_EQ(chosen(resource("@team/a"), {}, npmrc), "https://team/npm/");
  EXPECT_EQ(chosen(resource("a"), {}, npmrc), "https://rc/");
  EXPECT_EQ(chosen(resource("a"), {}, ""), "https://registry.npmjs.org/");
  EXPECT_THAT(chosen(resource("a"), {}, "registry=nonsense"), HasSubstr(".npmrc names"));
}

TEST(Registry, OfAProjectIsOneThatTheOwnerPermits) {
  const char* npmrc = "registry=https://rc/\n@team:registry=https://team/npm\n";
  Settings settings{.for_projects = true};
  EXPECT_EQ(chosen(resource("@team/a"), settings, npmrc), "https://registry.npmjs.org/");
  EXPECT_THAT(chosen(resource("a", "https://rc/"), settings, npmrc), HasSubstr("registry is none"));
  settings.registries = {"https://npm.corp/", "https://other.corp/npm/"};
  EXPECT_EQ(chosen(resource("a"), settings, npmrc), "https://npm.corp/");
  EXPECT_EQ(chosen(resource("a", "https://OTHER.corp/npm"), settings, npmrc),
            "https://other.corp/npm/");
  for (const char* other : {"https://registry.npmjs.org/", "https://npm.corp/x/",
                            "http://npm.corp/", "https://npm.corp.evil/"}) {
    const auto refused = Registry::choose(resource("a", other), settings, npmrc_of(npmrc));
    ASSERT_FALSE(refused) << other;
    EXPECT_THAT(refused.failure().details, HasSubstr("/registry"));
    EXPECT_THAT(refused.failure().hint, HasSubstr("registries in [resource_type.npm]"));
  }
}

TEST(Registry, ShowsNothingOfTheOwnersNpmrcForAProject) {
  RegistryHost host;
  const Settings settings{.for_projects = true};
  const std::string npmrc = "//registry.npmjs.org/:_authToken=x";
  const auto registry = Registry::choose(resource("a"), settings, npmrc_of(npmrc));
  const quarry::testing::FakeCall call;
  EXPECT_TRUE(
      registry->headers(host.host(), Call(call.get()), *Url::parse(registry->url()))->empty());
}

std::string tarball(const std::string& registry, const std::string& told) {
  const auto chosen = Registry::choose(resource("a", registry), {}, {});
  const auto url = chosen->tarball_url(told);
  return url ? url->text() : url.failure().message;
}

TEST(Registry, KnowsWhereItsTarballsAre) {
  EXPECT_EQ(tarball("https://r/", "https://r/a/-/a.tgz"), "https://r/a/-/a.tgz");
  EXPECT_EQ(tarball("https://r/", "https://cdn/a.tgz"), "https://cdn/a.tgz");
  EXPECT_EQ(tarball("https://mirror/npm/", "https://registry.npmjs.org/a/-/a.tgz"),
            "https://mirror/npm/a/-/a.tgz");
  EXPECT_EQ(tarball("https://r/", "http://r/a.tgz"), "https://r/a.tgz");
  EXPECT_THAT(tarball("https://r/", "file:///etc/passwd"), HasSubstr("no usable URL"));
  EXPECT_THAT(tarball("https://r/", ""), HasSubstr("no usable URL"));
}

/// "sent", "nothing to show", or the failure's message.
std::string shown(RegistryHost& host, const std::string& registry, const std::string& npmrc) {
  const auto chosen = Registry::choose(resource("a", registry), {}, npmrc_of(npmrc));
  const quarry::testing::FakeCall call;
  const auto headers = chosen->headers(host.host(), Call(call.get()), *Url::parse(registry));
  if (!headers) return headers.failure().message;
  return headers->empty() ? "nothing to show" : "sent";
}

TEST(Registry, IsAskedByHttpOnlyOnThisMachineAndInPrivateNetworks) {
  RegistryHost host;
  EXPECT_EQ(shown(host, "http://127.0.0.1:4873/", ""), "nothing to show");
  EXPECT_EQ(shown(host, "http://127.0.0.1:4873/", "//127.0.0.1:4873/:_authToken=x"), "sent");
  EXPECT_EQ(shown(host, "http://npm.lan/", "//npm.lan/:_authToken=x"), "sent");
  host.http.permit = R"({"host":"h","port":80,"addresses":["10.0.0.1","8.8.8.8"]})";
  EXPECT_THAT(shown(host, "http://npm.lan/", ""), HasSubstr("http is not safe there"));
  host.http.permit = R"({"host":"h","port":80,"addresses":[],"proxied":true})";
  EXPECT_THAT(shown(host, "http://npm.lan/", ""), HasSubstr("http is not safe there"));
  host.http.failure = {QUARRY_UNAVAILABLE, "the name npm.lan could not be resolved", {}, {}};
  EXPECT_THAT(shown(host, "http://npm.lan/", ""), HasSubstr("could not be resolved"));
  EXPECT_EQ(shown(host, "https://npm.lan/", ""), "nothing to show");
}

TEST(UsersNpmrc, IsTheOneOfTheVariableElseOfTheHome) {
  const testing::TempDirectory home;
  std::ofstream(home.path() / ".npmrc") << "registry=https://home/";
  std::ofstream(home.path() / "other") << "registry=https://other/";
  std::map<std::string, std::string> variables;
  const auto registry = [&] {
    return read_npmrc([&](const std::string& name) {
             const auto found = variables.find(name);
             return found == variables.end() ? std::nullopt : std::optional(found->second);
           })
        .registry("");
  };
  EXPECT_EQ(registry(), "");
  variables["HOME"] = home.path();
  EXPECT_EQ(registry(), "https://home/");
  variables["npm_config_userconfig"] = home.path() / "other";
  EXPECT_EQ(registry(), "https://other/");
  variables["NPM_CONFIG_USERCONFIG"] = home.path() / "missing";
  EXPECT_EQ(registry(), "");
}

TEST(Settings, NameTheMemberThatIsWrong) {
  const auto told = [](std::string_view configuration) {
    const auto settings = Settings::read(configuration);
    return settings ? settings->registry + (settings->npmrc ? " npmrc" : "")
                    : settings.failure().message;
  };
  EXPECT_EQ(told("{}"), " npmrc");
  EXPECT_EQ(told(R"({"registry":"https://R.example/a","npmrc":false,"local_roots":[]})"),
            "https://r.example/a/");
  EXPECT_EQ(told(R"({"registry":"r.example"})"), "registry must be the https URL of a registry");
  EXPECT_EQ(told(R"({"npmrc":"yes"})"), "npmrc must be true or false");
  EXPECT_EQ(told(R"({"registries":[]})"), "registries must be a list of URLs of registries");
  EXPECT_EQ(told(R"({"registries":["https://a/",7]})"),
            "registries/1 must be the https URL of a registry");
}

TEST(Settings, ForProjectsTheUsersNpmrcIsNone) {
  const auto settings = Settings::read(R"({"npmrc":true,"acts_for":"project"})");
  EXPECT_TRUE(settings->for_projects);
  EXPECT_FALSE(settings->npmrc);
  EXPECT_EQ(settings->registries, std::vector<std::string>{"https://registry.npmjs.org/"});
  EXPECT_EQ(Settings::read(R"({"registry":"https://r"})")->registries,
            std::vector<std::string>{"https://r/"});
}

}  // namespace
}  // namespace quarry::resource_npm
