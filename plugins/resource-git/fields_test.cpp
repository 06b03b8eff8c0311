#include "resource-git/fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace quarry::resource_git {
namespace {

using Json = nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Json normalised(Json resource, const Settings& settings = {}) {
  const auto text = normalise(resource.dump(), settings);
  EXPECT_TRUE(text) << text.failure().message;
  return text ? Json::parse(*text) : Json();
}
std::string field_of(const Json& resource) {
  const auto text = normalise(resource.dump(), {});
  EXPECT_FALSE(text) << *text;
  return Json::parse(text.failure().details)["fields"][0]["field"];
}
Json with(const char* member, Json value) {
  return {{"url", "https://github.com/o/r"}, {member, std::move(value)}};
}

TEST(GitFields, AreWrittenInOneWay) {
  EXPECT_EQ(normalised({{"type", "git"},
                        {"name", "r"},
                        {"url", "https://GitHub.com/o/r.git/"},
                        {"searchPath", "./docs//guide/"},
                        {"searchPaths", {"b/", "a", "a/."}},
                        {"specialNotes", "look"}}),
            (Json{{"type", "git"},
                  {"name", "r"},
                  {"url", "https://github.com/o/r"},
                  {"searchPath", "docs/guide"},
                  {"searchPaths", {"a", "b"}},
                  {"specialNotes", "look"}}));
}

TEST(GitFields, OfAWebPageBecomeUrlBranchAndSearchPath) {
  const Json page = {{"url", "https://github.com/o/r/tree/dev/docs"}};
  EXPECT_EQ(normalised(page),
            (Json{{"url", "https://github.com/o/r"}, {"branch", "dev"}, {"searchPath", "docs"}}));
  Json more = page;
  more["branch"] = "main";
  more["searchPath"] = "src";
  EXPECT_EQ(normalised(more), (Json{{"url", "https://github.com/o/r"},
                                    {"branch", "main"},
                                    {"searchPath", "src"},
                                    {"searchPaths", {"docs"}}}));
  EXPECT_EQ(normalised(normalised(more)), normalised(more));
}

TEST(GitFields, PermitBranchesTagsAndCommits) {
  for (const char* branch : {"main", "feature/x", "v1.2.3", "release-1_0", "@changesets/cli@2.29.0",
                             "v1.30.2+k3s1", "a#b", "gr\u00fcn"}) {
    EXPECT_EQ(normalised(with("branch", branch))["branch"], branch);
  }
  EXPECT_EQ(normalised(with("branch", std::string(40, 'A')))["branch"], std::string(40, 'a'));
  EXPECT_EQ(normalised(with("branch", "refs/heads/main"))["branch"], "main");
  for (const char* branch :
       {"-x",    "a..b", "/a", "a/", "a.lock", "a//b", "a/.b", "a b", "a~1",  "--upload-pack=x",
        "a\nb",  ".",    "a.", "a^", "a:b",    "a*",   "a?",   "a[b", "a\\b", "@",
        "a@{1}", "a\x7f"}) {
    EXPECT_EQ(field_of(with("branch", branch)), "/branch") << branch;
  }
}

TEST(GitFields, KeepSearchPathsInsideTheRepository) {
  EXPECT_EQ(field_of(with("searchPath", "/etc")), "/searchPath");
  EXPECT_EQ(field_of(with("searchPath", "a/../..")), "/searchPath");
  EXPECT_EQ(field_of(with("searchPaths", {"a", "../b"})), "/searchPaths/1");
  EXPECT_EQ(field_of(with("searchPath", "a\nb")), "/searchPath");
  EXPECT_EQ(field_of({{"url", "https://github.com/o/r/tree/main/%2e%2e/x"}}), "/url");
  EXPECT_FALSE(normalised(with("searchPath", ".")).contains("searchPath"));
  EXPECT_EQ(normalised(with("searchPath", "with space/*"))["searchPath"], "with space/*");
}

TEST(GitFields, TakeSshOnlyWhereItIsConfigured) {
  const Json resource = {{"url", "git@github.com:o/r.git"}};
  EXPECT_EQ(field_of(resource), "/url");
  EXPECT_THAT(normalise(resource.dump(), {}).failure().hint, HasSubstr("ssh = true"));
  EXPECT_EQ(normalised(resource, {.ssh = true})["url"], "git@github.com:o/r.git");
}

TEST(GitFields, AreReadBack) {
  const Fields fields = *read_fields(normalised({{"url", "https://example.org/r.git"},
                                                 {"branch", "dev"},
                                                 {"searchPath", "a"},
                                                 {"searchPaths", {"b"}},
                                                 {"token", "resource.r.token"}})
                                         .dump());
  EXPECT_EQ(to_url(fields.location), "https://example.org/r.git");
  EXPECT_EQ(fields.branch, "dev");
  EXPECT_EQ(fields.token, "resource.r.token");
  EXPECT_THAT(fields.search_paths, ElementsAre("a", "b"));
}

TEST(GitFields, OfAConfigurationThatNobodyCheckedFailAsTheyDoWhenChecked) {
  for (const char* url : {"git://example.org/r.git", "ext::sh", ""}) {
    const std::string resource = Json{{"url", url}}.dump();
    const auto fields = read_fields(resource);
    ASSERT_FALSE(fields) << url;
    EXPECT_EQ(fields.failure().details, normalise(resource, {}).failure().details) << url;
  }
}

/// The resource of a reference, with the confidence.
Json recognised(std::string_view reference, const Settings& settings = {}) {
  Json said = Json::parse(parse_reference(reference, settings));
  if (said.is_null()) return said;
  said["resource"]["confidence"] = said["confidence"];
  return said["resource"];
}

TEST(GitReference, IsAnUrl) {
  EXPECT_EQ(recognised("https://github.com/o/r/tree/dev/docs"),
            (Json{{"name", "r"},
                  {"url", "https://github.com/o/r"},
                  {"branch", "dev"},
                  {"searchPath", "docs"},
                  {"confidence", 90}}));
  EXPECT_EQ(recognised("http://127.0.0.1:80/x/code.git")["name"], "code");
  const Settings ssh{.ssh = true};
  EXPECT_EQ(recognised("git@github.com:o/r.git", ssh)["name"], "r");
  EXPECT_EQ(recognised("git@example.org:r.git", ssh)["name"], "r");
}

TEST(GitReference, IsSureOfForgesSshAndItsEnding) {
  const Settings ssh{.ssh = true};
  for (const char* sure : {"https://github.com/o/r", "https://example.org/r.git",
                           "git@example.org:r", "ssh://git@example.org/r"}) {
    EXPECT_EQ(recognised(sure, ssh)["confidence"], 90) << sure;
  }
  EXPECT_EQ(recognised("https://example.org/a/page")["confidence"], 40);
}

TEST(GitReference, LeavesOthersAlone) {
  for (const char* reference :
       {"npm:react@18", "@types/node", "./docs", "/srv/docs", "react", "file:///srv/docs", ""}) {
    EXPECT_EQ(parse_reference(reference, {}), "null") << reference;
  }
}

/// The failure of the resource that a reference means, and its hint.
std::string told(std::string_view reference) {
  const Json resource = recognised(reference);
  if (resource.is_null()) return "nothing";
  const auto failure = normalise(resource.dump(), {});
  return failure ? "nothing" : failure.failure().message + " | " + failure.failure().hint;
}

TEST(GitReference, ThatCannotBeUsedIsToldTheReason) {
  EXPECT_THAT(told("git@github.com:o/r.git"), HasSubstr("Use https://github.com/o/r, or set ssh"));
  EXPECT_THAT(told("ssh://git@gitlab.com/g/r.git"), HasSubstr("https://gitlab.com/g/r, or"));
  EXPECT_THAT(told("git@example.org:r.git"), HasSubstr("Use its https URL, or set ssh = true"));
  EXPECT_THAT(told("https://github.com/o/r/issues"), HasSubstr("no repository"));
  EXPECT_THAT(told("https://user:word@example.org/r"), HasSubstr("user or password"));
  EXPECT_THAT(told("https://crates.io/crates/serde"), HasSubstr("a page of crates.io"));
  EXPECT_THAT(told("pkg.go.dev/github.com/o/r/sub"), HasSubstr("https://github.com/o/r."));
  EXPECT_THAT(told("https://example.org/guide/index.html"), HasSubstr("web page"));
  EXPECT_THAT(told("git://example.org/r.git"), HasSubstr("git://, which is not permitted"));
}

TEST(GitReference, NamesARefBesideTheUrl) {
  const Json resource = recognised("git+https://github.com/o/r.git@v1#subdirectory=docs");
  EXPECT_EQ(resource, (Json{{"name", "r"},
                            {"url", "https://github.com/o/r"},
                            {"branch", "v1"},
                            {"searchPath", "docs"},
                            {"confidence", 90}}));
}

}  // namespace
}  // namespace quarry::resource_git
