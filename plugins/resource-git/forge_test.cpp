#include "resource-git/forge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::resource_git {
namespace {

using ::testing::HasSubstr;

/// "<url> <ref> <path>" of a web page's URL, or the failure's message.
std::string page(std::string_view url) {
  const auto page = read_page(*parse_location(url));
  if (!page) return page.failure().message;
  return to_url(page->repository) + " " + page->ref + " " + page->path;
}
std::string link(std::string_view url, const std::map<std::string, std::string>& templates = {}) {
  return permalink(*parse_location(url), templates);
}

TEST(GitForge, ReadsPagesOfDirectoriesAndFiles) {
  const std::pair<const char*, const char*> table[] = {
      {"https://github.com/o/r", "https://github.com/o/r  "},
      {"https://github.com/o/r.git", "https://github.com/o/r  "},
      {"https://www.github.com/o/r", "https://github.com/o/r  "},
      {"https://github.com/o/r/tree/main", "https://github.com/o/r main "},
      {"https://github.com/o/r/tree/main/apps/web", "https://github.com/o/r main apps/web"},
      {"https://github.com/o/r/blob/v1.2/a%20b.md#L3", "https://github.com/o/r v1.2 a b.md"},
      {"https://github.com/o/r/commit/0123abc", "https://github.com/o/r 0123abc "},
      {"https://github.com/o/r/releases/tag/v2", "https://github.com/o/r v2 "},
      {"https://gitlab.com/g/sub/r/-/tree/dev/docs?ref_type=heads",
       "https://gitlab.com/g/sub/r dev docs"},
      {"https://git.example.org/g/r/-/blob/dev/a.c", "https://git.example.org/g/r dev a.c"},
      {"https://bitbucket.org/o/r/src/main/lib/", "https://bitbucket.org/o/r main lib"},
      {"https://codeberg.org/o/r/src/branch/main/x", "https://codeberg.org/o/r main x"},
      {"https://gitea.example.org/o/r/src/commit/0a1b/x", "https://gitea.example.org/o/r 0a1b x"},
      {"https://git.sr.ht/~u/r/tree/master/item/src/a.c", "https://git.sr.ht/~u/r master src/a.c"},
      {"https://git.sr.ht/~u/r/tree/master", "https://git.sr.ht/~u/r master "}};
  for (const auto& [url, expected] : table) EXPECT_EQ(page(url), expected) << url;
}

// Servers without forges of their own names: Azure DevOps, cgit, Bitbucket Data Center
TEST(GitForge, ReadsPagesOfOtherServers) {
  const std::pair<const char*, const char*> table[] = {
      {"https://dev.azure.com/o/p/_git/r/commit/0123abc",
       "https://dev.azure.com/o/p/_git/r 0123abc "},
      {"https://tfs.example.org/c/p/_git/r/pullrequest/5",
       "https://tfs.example.org/c/p/_git/r refs/pull/5/merge "},
      {"https://git.kernel.org/pub/scm/git/git.git/tree/Documentation?h=v2.1",
       "https://git.kernel.org/pub/scm/git/git.git  Documentation"},
      {"https://git.example.org/r.git/commit/?id=0123abc", "https://git.example.org/r.git  "},
      {"https://bb.example.org/projects/P/repos/r/browse/docs/a%20b.md?at=main",
       "https://bb.example.org/scm/P/r.git  docs/a b.md"},
      {"https://bb.example.org/projects/P/repos/r/commits", "https://bb.example.org/scm/P/r.git  "},
      {"https://git.example.org/r.git", "https://git.example.org/r.git  "},
      {"https://git.example.org/tree/r", "https://git.example.org/tree/r  "}};
  for (const auto& [url, expected] : table) EXPECT_EQ(page(url), expected) << url;
}

// minio/gluegun#9, pingdotgg/t3code#5089, getsentry/sentry#120945
TEST(GitForge, ReadsPullRequestsAndRawFiles) {
  const std::pair<const char*, const char*> table[] = {
      {"https://github.com/o/r/pull/12", "https://github.com/o/r refs/pull/12/head "},
      {"https://github.com/o/r/pull/12/files#diff", "https://github.com/o/r refs/pull/12/head "},
      {"https://github.com/o/r/pull/12/commits/0123abc", "https://github.com/o/r 0123abc "},
      {"https://gitlab.com/g/s/r/-/merge_requests/7/diffs",
       "https://gitlab.com/g/s/r refs/merge-requests/7/head "},
      {"https://codeberg.org/o/r/pulls/3", "https://codeberg.org/o/r refs/pull/3/head "},
      {"https://raw.githubusercontent.com/o/r/main/docs/a.md",
       "https://github.com/o/r main docs/a.md"},
      {"https://raw.githubusercontent.com/o/r/refs/heads/main/a.md",
       "https://github.com/o/r main a.md"},
      {"https://github.com/o/r/raw/refs/tags/v1/a.md", "https://github.com/o/r v1 a.md"},
      {"https://gitlab.com/g/r/-/raw/dev/a.md", "https://gitlab.com/g/r dev a.md"},
      {"https://github.com/o/r/tree/feature%2Ffoo/docs", "https://github.com/o/r feature/foo docs"},
      {"https://github.com/o/r/commits/main/docs", "https://github.com/o/r main docs"}};
  for (const auto& [url, expected] : table) EXPECT_EQ(page(url), expected) << url;
}

// The pages of one forge that the first list lacks, as their buttons and address bars give them.
TEST(GitForge, ReadsPagesOfCommitsTagsAndReleases) {
  const std::pair<const char*, const char*> table[] = {
      {"https://gitlab.com/g/r/-/commit/0123abc", "https://gitlab.com/g/r 0123abc "},
      {"https://gitlab.com/g/s/r/-/tags/v1", "https://gitlab.com/g/s/r v1 "},
      {"https://gitlab.com/g/r/-/releases/v1", "https://gitlab.com/g/r v1 "},
      {"https://gitlab.com/g/r/tree/main/docs", "https://gitlab.com/g/r main docs"},
      {"https://git.example.org/g/r/-/commit/0123abc", "https://git.example.org/g/r 0123abc "},
      {"https://codeberg.org/o/r/releases/tag/v1", "https://codeberg.org/o/r v1 "},
      {"https://codeberg.org/o/r/commit/0123abc", "https://codeberg.org/o/r 0123abc "},
      {"https://bitbucket.org/o/r/commits/0123abc", "https://bitbucket.org/o/r 0123abc "},
      {"https://git.sr.ht/~u/r/commit/0123abc", "https://git.sr.ht/~u/r 0123abc "},
      {"https://git.sr.ht/~u/r/refs/v1", "https://git.sr.ht/~u/r v1 "},
      {"https://gitee.com/o/r/blob/main/a.md", "https://gitee.com/o/r main a.md"},
      {"https://huggingface.co/o/m/tree/main", "https://huggingface.co/o/m main "},
      {"https://huggingface.co/datasets/o/d/blob/main/a.md",
       "https://huggingface.co/datasets/o/d main a.md"},
      {"https://go.googlesource.com/go/+/refs/heads/master/src/a.go",
       "https://go.googlesource.com/go master src/a.go"}};
  for (const auto& [url, expected] : table) EXPECT_EQ(page(url), expected) << url;
}

TEST(GitForge, ReadsOtherHostsThatShowARepositoryOfGitHub) {
  for (const char* url : {"https://github.dev/o/r", "https://vscode.dev/github/o/r",
                          "https://api.github.com/repos/o/r"}) {
    EXPECT_EQ(page(url), "https://github.com/o/r  ") << url;
  }
}

// desktop/desktop#2886, Rich-Harris/degit#489, creationix/js-git#25
TEST(GitForge, ReadsGists) {
  const std::string id = "5b0e0062eb8e9654adad7bb1d81cc75f";
  const std::string version(40, 'a');
  const std::string gist = "https://gist.github.com/" + id;
  EXPECT_EQ(page("https://gist.github.com/octo/" + id), gist + "  ");
  EXPECT_EQ(page("https://gist.github.com/octo/" + id + "#file-a-md"), gist + "  ");
  EXPECT_EQ(page("https://gist.github.com/" + id + ".git"), gist + "  ");
  EXPECT_EQ(page("https://gist.github.com/2841832"), "https://gist.github.com/2841832  ");
  EXPECT_EQ(page("https://gist.github.com/octo/" + id + "/" + version), gist + " " + version + " ");
  EXPECT_EQ(page("https://gist.githubusercontent.com/octo/" + id + "/raw/" + version + "/a.md"),
            gist + " " + version + " a.md");
  EXPECT_EQ(page("https://gist.githubusercontent.com/octo/" + id + "/raw/a.md"), gist + "  a.md");
  EXPECT_THAT(page("https://gist.github.com/octo"), HasSubstr("is no gist"));
  EXPECT_EQ(clone_url(*parse_location(gist)), gist + ".git");
}

TEST(GitForge, TellsWhatIsTheAddressOfAWebPage) {
  for (const char* url :
       {"https://crates.io/crates/serde", "https://pkg.go.dev/net/http", "https://docs.rs/serde",
        "https://flask.readthedocs.io/en/latest", "https://unpkg.com/react@18/index.js",
        "https://o.github.io/r", "https://registry.npmjs.org/react"}) {
    EXPECT_THAT(page(url), HasSubstr("has no repositories")) << url;
  }
  EXPECT_THAT(page("https://example.org/guide.html"), HasSubstr("a web page"));
  EXPECT_EQ(page("https://git.example.org/g/r/-/blob/dev/a.html"),
            "https://git.example.org/g/r dev a.html");
}

TEST(GitForge, LeavesOtherHostsUrlsAlone) {
  for (const char* url : {"https://example.org/cgit/linux/tree/kernel", "https://example.org/r",
                          "https://example.org/r.git", "http://127.0.0.1:8080/a/b/c.git"}) {
    EXPECT_EQ(page(url), std::string(url) + "  ");
  }
}

TEST(GitForge, RefusesPagesThatShowNoFiles) {
  for (const char* url : {"https://github.com/o/r/issues/3", "https://github.com/o",
                          "https://gitlab.com/g", "https://bitbucket.org/o/r/pull-requests/1",
                          "https://gitlab.com/g/r/-/issues/1", "https://gitlab.com/g/r/-/pipelines",
                          "https://github.com/topics/cpp", "https://github.com/sponsors/o"}) {
    EXPECT_THAT(page(url), HasSubstr("no repository")) << url;
  }
}

TEST(GitForge, IsClonedWhereItDoesNotRedirect) {
  EXPECT_EQ(clone_url(*parse_location("https://gitlab.com/g/r")), "https://gitlab.com/g/r.git");
  EXPECT_EQ(clone_url(*parse_location("https://github.com/o/r")), "https://github.com/o/r");
  EXPECT_EQ(clone_url(*parse_location("git@gitlab.com:g/r.git")), "git@gitlab.com:g/r.git");
}

TEST(GitForge, LinksToLinesOfACommit) {
  const std::pair<const char*, const char*> table[] = {
      {"https://github.com/o/r", "https://github.com/o/r/blob/{version}/{path}#L{start}-L{end}"},
      {"git@github.com:o/r.git", "https://github.com/o/r/blob/{version}/{path}#L{start}-L{end}"},
      {"ssh://git@github.com/o/r.git",
       "https://github.com/o/r/blob/{version}/{path}#L{start}-L{end}"},
      {"https://gitlab.com/g/s/r",
       "https://gitlab.com/g/s/r/-/blob/{version}/{path}#L{start}-{end}"},
      {"https://bitbucket.org/o/r",
       "https://bitbucket.org/o/r/src/{version}/{path}#lines-{start}:{end}"},
      {"https://codeberg.org/o/r",
       "https://codeberg.org/o/r/src/commit/{version}/{path}#L{start}-L{end}"},
      {"https://git.sr.ht/~u/r",
       "https://git.sr.ht/~u/r/tree/{version}/item/{path}#L{start}-{end}"},
      {"https://example.org/r.git", ""}};
  for (const auto& [url, expected] : table) EXPECT_EQ(link(url), expected) << url;
}

TEST(GitForge, LinksAsTheConfigurationSaysForItsHosts) {
  const std::map<std::string, std::string> templates = {
      {"example.org", "https://view.example.org/{repository}@{version}/{path}"},
      {"example.org:8443", "{url}/{path}"},
      {"github.com", "{url}/changed/{path}"}};
  EXPECT_EQ(link("https://example.org/a/b.git", templates),
            "https://view.example.org/a/b@{version}/{path}");
  EXPECT_EQ(link("https://example.org:8443/a.git", templates), "https://example.org:8443/a/{path}");
  EXPECT_EQ(link("https://github.com/o/r", templates), "https://github.com/o/r/changed/{path}");
}

}  // namespace
}  // namespace quarry::resource_git
