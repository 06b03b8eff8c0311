#include "resource-git/reference.h"

#include <gtest/gtest.h>

namespace quarry::resource_git {
namespace {

/// "<url> <ref> <path>" of a reference; "none" if it is none.
std::string read(std::string_view text) {
  const auto reference = read_reference(text);
  return reference ? reference->url + " " + reference->ref + " " + reference->path : "none";
}

// calchiwo/ExplainThisRepo#108, Scalingo/cli#629, microsoft/devhome#3792
TEST(GitReferences, MayLackTheScheme) {
  EXPECT_EQ(read("github.com/o/r"), "https://github.com/o/r  ");
  EXPECT_EQ(read("www.github.com/o/r/tree/main/docs"),
            "https://www.github.com/o/r/tree/main/docs  ");
  EXPECT_EQ(read("gitlab.com/g/s/r"), "https://gitlab.com/g/s/r  ");
  EXPECT_EQ(read("git.example.org/r.git"), "https://git.example.org/r.git  ");
  EXPECT_EQ(read("crates.io/crates/serde"), "https://crates.io/crates/serde  ") << "to be told so";
  EXPECT_EQ(read("docs.example.org/guide"), "none");
}

// LibreChat-AI/code-interpreter#242, coala/git-url-parse#46, npm/hosted-git-info#14
TEST(GitReferences, MayHaveAnyCaseAndASlashAtTheEnd) {
  EXPECT_EQ(read("HTTPS://GitHub.com/O/R"), "https://github.com/O/R  ");
  EXPECT_EQ(read("GitHub.com/O/R/"), "https://github.com/O/R/  ");
  EXPECT_EQ(read("Git+HTTPS://GitHub.com/O/R@V1"), "none") << "pip's prefix has one case";
  EXPECT_EQ(read("git+HTTPS://GitHub.com/O/R@V1"), "https://github.com/O/R V1 ");
  EXPECT_EQ(read("SSH://Git@GitHub.com/o/r"), "ssh://Git@github.com/o/r  ");
  EXPECT_EQ(read("https://github.com/o/r.git/"), "https://github.com/o/r.git/  ");
  EXPECT_EQ(read("git.example.org/r.git/"), "https://git.example.org/r.git/  ");
  EXPECT_EQ(read("gist.github.com/octo/0123abc"), "https://gist.github.com/octo/0123abc  ");
}

TEST(GitReferences, MayBeOwnerAndName) {
  EXPECT_EQ(read("sveltejs/svelte"), "https://github.com/sveltejs/svelte  ");
  EXPECT_EQ(read("vercel/next.js#canary"), "https://github.com/vercel/next.js canary ");
  EXPECT_EQ(read("o/r@v1.2"), "https://github.com/o/r v1.2 ");
  EXPECT_EQ(read("github:o/r"), "https://github.com/o/r  ");
  EXPECT_EQ(read("gh:o/r"), "https://github.com/o/r  ");
  EXPECT_EQ(read("gitlab:g/s/r#dev"), "https://gitlab.com/g/s/r dev ");
  EXPECT_EQ(read("bitbucket:o/r"), "https://bitbucket.org/o/r  ");
  for (const char* other : {"docs", "docs/", "a/b/c", "docs/a.md", "@types/node", "./o/r", "../o",
                            "~/o", "/o/r", "o/..", "o/.r", "o r/x", "C:/o", "react@18/x", ""}) {
    EXPECT_EQ(read(other), "none") << other;
  }
}

// stoplightio/studio#28, jupyterhub/nbgitpuller#97, NVIDIA/SkillSpector#202, x-motemen/ghq#1,
// sourcegit-scm/sourcegit#1039, aryamthecodebreaker/FixMap#363
TEST(GitReferences, MayBeWrittenForSsh) {
  EXPECT_EQ(read("git@github.com:o/r.git"), "git@github.com:o/r.git  ");
  EXPECT_EQ(read("github.com:o/r.git"), "git@github.com:o/r.git  ");
  EXPECT_EQ(read("git@internal:team/r"), "git@internal:team/r  ");
  EXPECT_EQ(read("aur@aur.archlinux.org:r.git"), "aur@aur.archlinux.org:r.git  ");
  EXPECT_EQ(read("ssh://git@github.com/o/r.git"), "ssh://git@github.com/o/r.git  ");
  EXPECT_EQ(read("git+ssh://git@github.com/o/r.git#v1"), "ssh://git@github.com/o/r.git v1 ");
  EXPECT_EQ(read("alias@npm:preact"), "none");
  EXPECT_EQ(read("react@18:x"), "none");
}

TEST(GitReferences, OfPackageManagersHaveARefBehind) {
  EXPECT_EQ(read("git+https://github.com/o/r.git"), "https://github.com/o/r.git  ");
  EXPECT_EQ(read("git+https://github.com/o/r.git@feature/x#egg=r&subdirectory=a%20b"),
            "https://github.com/o/r.git feature/x a b");
  EXPECT_EQ(read("git+https://github.com/o/r#v1"), "https://github.com/o/r v1 ");
  EXPECT_EQ(read("git+https://github.com/o/r?branch=dev#0123abc"), "https://github.com/o/r dev ");
  EXPECT_EQ(read("https://github.com/o/r.git#main"), "https://github.com/o/r.git main ");
  EXPECT_EQ(read("https://github.com/o/r#readme"), "https://github.com/o/r#readme  ");
}

// Azure DevOps, Bitbucket Data Center and cgit
TEST(GitReferences, MayHaveBranchAndPathInAQuery) {
  const std::string azure = "https://dev.azure.com/o/p/_git/r?";
  EXPECT_EQ(read(azure + "path=/docs/a.md&version=GBfeature/x&_a=contents"),
            azure + "path=/docs/a.md&version=GBfeature/x&_a=contents feature/x docs/a.md");
  EXPECT_EQ(read(azure + "version=GTv1"), azure + "version=GTv1 v1 ");
  const std::string data_center =
      "https://bb.example.org/projects/P/repos/r/browse?at=refs%2Ftags%2Fv1";
  EXPECT_EQ(read(data_center), data_center + " v1 ");
  const std::string cgit = "https://git.example.org/r.git/tree/a.c?h=dev";
  EXPECT_EQ(read(cgit), cgit + " dev ");
  EXPECT_EQ(read("https://github.com/o/r?version=GBx"), "https://github.com/o/r?version=GBx  ");
}

TEST(GitReferences, MayBeCommandsThatClone) {
  EXPECT_EQ(read("git clone https://github.com/o/r"), "https://github.com/o/r  ");
  EXPECT_EQ(read("git clone --depth 1 -b feature/x https://github.com/o/r.git here"),
            "https://github.com/o/r.git  ");
  EXPECT_EQ(read("git clone git@github.com:o/r.git"), "git@github.com:o/r.git  ");
  EXPECT_EQ(read("gh repo clone o/r"), "https://github.com/o/r  ");
  for (const char* other : {"git clone ", "git clone --upload-pack=/bin/sh x", "git push o/r"}) {
    EXPECT_EQ(read(other), "none") << other;
  }
}

TEST(GitReferences, OfOldProtocolsAndCloneButtonsAreMadeUsable) {
  EXPECT_EQ(read("git://github.com/o/r.git"), "https://github.com/o/r.git  ");
  EXPECT_EQ(read("git://example.org/r.git"), "git://example.org/r.git  ") << "to be told so";
  EXPECT_EQ(read("https://me@bitbucket.org/o/r.git"), "https://bitbucket.org/o/r.git  ");
  EXPECT_EQ(read("https://me:secret@example.org/r"), "https://me:secret@example.org/r  ");
}

TEST(GitReferences, MayBePackageUrls) {
  EXPECT_EQ(read("pkg:github/o/r"), "https://github.com/o/r  ");
  EXPECT_EQ(read("pkg:github/o/r@v1%2Bx#docs"), "https://github.com/o/r v1+x docs");
  EXPECT_EQ(read("pkg:bitbucket/o/r@0123abc"), "https://bitbucket.org/o/r 0123abc ");
  EXPECT_EQ(read("pkg:generic/r@1?vcs_url=git%2Bhttps://example.org/r.git%40v1"),
            "https://example.org/r.git v1 ");
  for (const char* other : {"pkg:npm/react@18", "pkg:cargo/serde", "pkg:pypi/requests",
                            "pkg:", "pkg:generic/r?vcs_url=pkg:generic/r"}) {
    EXPECT_EQ(read(other), "none") << other;
  }
}

}  // namespace
}  // namespace quarry::resource_git
