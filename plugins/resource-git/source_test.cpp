#include "resource-git/testing/fixture.h"

namespace quarry::resource_git {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Key;
using ::testing::Not;
using ::testing::Pair;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;
using GitSource = testing::GitFixture;
using Files = std::map<std::string, std::string>;
using namespace std::string_literals;

TEST_F(GitSource, AnswersTheDefaultBranchAndItsFiles) {
  const std::string id = commit({{"README.md", "hello\n"}, {"src/a.c", "int a;\n"}});
  EXPECT_EQ(resolved(), (Json{{"id", id},
                              {"immutable", true},
                              {"display", "main at " + id.substr(0, 7)},
                              {"resource", {{"branch", "main"}}}}));
  EXPECT_EQ(files(), (Files{{"README.md", "hello\n"}, {"src/a.c", "int a;\n"}}));
}

TEST_F(GitSource, ReadsABranchATagAndACommit) {
  const std::string first = commit({{"a", "1"}});
  sh("cd work && git tag -a -m t v1 && git tag light && git push -q ../srv/repo.git v1 light");
  const std::string second = commit({{"a", "2"}}, "refs/heads/feature/x");
  EXPECT_EQ(resolved({{"branch", "feature/x"}})["id"], second);
  for (const char* ref : {"v1", "light", "main"}) {
    EXPECT_EQ(resolved({{"branch", ref}})["id"], first) << ref;
    EXPECT_EQ(files({{"branch", ref}}), (Files{{"a", "1"}})) << ref;
  }
  EXPECT_EQ(resolved({{"branch", "v1"}})["display"], "v1 at " + first.substr(0, 7));
  EXPECT_FALSE(resolved({{"branch", "main"}}).contains("resource"));
  restart();
  EXPECT_EQ(resolved({{"branch", first}})["display"], first.substr(0, 7));
  EXPECT_EQ(files({{"branch", second}}), (Files{{"a", "2"}}));
}

TEST_F(GitSource, ReadsACommitNoBranchLeadsToAnyMore) {
  const std::string old = commit({{"a", "1"}});
  sh("cd work && git commit -q --amend -m other && git push -q -f ../srv/repo.git main");
  EXPECT_EQ(files({{"branch", old}}), (Files{{"a", "1"}}));
}

TEST_F(GitSource, NeedsNoNetworkForACommitItHas) {
  const Json at = {{"branch", commit({{"a", "1"}})}};
  EXPECT_THAT(files(at), SizeIs(1));
  restart();
  server_->forget_requests();
  EXPECT_THAT(files(at), SizeIs(1));
  EXPECT_THAT(server_->requests(), IsEmpty());
}

TEST_F(GitSource, AsksForWhatIsNewOnly) {
  const std::string first = commit({{"big", std::string(100'000, 'x')}, {"a", "1"}});
  files();
  const std::string second = commit({{"a", "2"}});
  server_->forget_requests();
  EXPECT_EQ(files()["a"], "2");
  const auto asked = server_->requests();
  ASSERT_THAT(asked, SizeIs(::testing::Ge(3)));
  // The second resolve is one request; the fetch lists the objects that exist locally.
  EXPECT_THAT(asked[0].body, HasSubstr("command=ls-refs"));
  EXPECT_EQ(sh("cd cache/* && GIT_DIR=. git cat-file --batch-all-objects --batch-check | wc -l"),
            "7")
      << "two commits, two trees, three contents";
  EXPECT_THAT(entries(), SizeIs(1));
}

TEST_F(GitSource, FollowsRewrittenHistoryAndARenamedDefaultBranch) {
  commit({{"a", "1"}});
  files();
  sh("cd work && git checkout -q --orphan other && git rm -q -rf .");
  const std::string rewritten = commit({{"b", "2"}});
  EXPECT_EQ(files(), (Files{{"b", "2"}}));
  sh("cd srv/repo.git && git branch -m main trunk && git symbolic-ref HEAD refs/heads/trunk");
  const Json version = resolved();
  EXPECT_EQ(version["id"], rewritten);
  EXPECT_EQ(version["resource"], (Json{{"branch", "trunk"}}));
}

TEST_F(GitSource, ReadsADefaultBranchWhoseNameIsNotUtf8) {
  const std::string id = commit({{"a", "1"}});
  sh("cd srv/repo.git && name=$(printf 'gr\\374n') && git branch \"$name\" main && "
     "git symbolic-ref HEAD \"refs/heads/$name\"");
  EXPECT_EQ(resolved()["id"], id);
  EXPECT_EQ(files(), (Files{{"a", "1"}}));
}

// vercel-labs/skills#1417, download-directory/download-directory.github.io#35,
// GoogleCloudPlatform/cloud-run-button#134, backstage/backstage#2815
TEST_F(GitSource, FindsWhereABranchWithSlashesEnds) {
  commit({{"docs/a", "1"}});
  const std::string id = commit({{"docs/a", "2"}, {"top", "2"}}, "refs/heads/feature/foo/bar");
  const auto page = [](const char* path) -> Json {
    return {{"branch", "feature"}, {"searchPath", path}};
  };
  EXPECT_EQ(resolved(page("foo/bar/docs"))["display"], "feature/foo/bar at " + id.substr(0, 7));
  EXPECT_EQ(files(page("foo/bar/docs")), (Files{{"docs/a", "2"}}));
  EXPECT_EQ(files(page("foo/bar/docs/a")), (Files{{"docs/a", "2"}}));
  EXPECT_EQ(files(page("foo/bar")), (Files{{"docs/a", "2"}, {"top", "2"}}));
  quarry::testing::Tree locked;
  EXPECT_TRUE(fetch(page("foo/bar/docs"), id, locked)) << "as from a lock file";
  EXPECT_EQ(locked.files, (Files{{"docs/a", "2"}}));
  EXPECT_THAT(refused(page("fo/bar")).message, HasSubstr("feature does not exist"));
}

// bower/bower#990, kubernetes/git-sync#840, google/syzkaller#4538, canonical/craft-parts#1008
TEST_F(GitSource, FindsAShortCommitThatARefLeadsTo) {
  const std::string first = commit({{"a", "1"}});
  const std::string second = commit({{"a", "2"}});
  EXPECT_EQ(resolved({{"branch", second.substr(0, 7)}})["id"], second);
  EXPECT_EQ(files({{"branch", second.substr(0, 12)}}), (Files{{"a", "2"}}));
  const Failure failure = refused({{"branch", first.substr(0, 7)}});
  EXPECT_EQ(failure.status, QUARRY_NOT_FOUND);
  EXPECT_THAT(failure.message, HasSubstr("no branch or tag leads to a commit"));
  EXPECT_THAT(failure.hint, HasSubstr("all 40 digits"));
}

TEST_F(GitSource, ReadsAPullRequest) {
  commit({{"a", "1"}});
  commit({{"a", "2"}}, "refs/pull/5/head");
  EXPECT_EQ(files({{"branch", "refs/pull/5/head"}}), (Files{{"a", "2"}}));
}

TEST_F(GitSource, NamesTheNearestBranchesWhenOneIsMissing) {
  commit({{"a", "1"}});
  sh("cd work && git push -q ../srv/repo.git main:release-2 main:feature/login && git tag v1 && "
     "git push -q ../srv/repo.git v1");
  const Failure failure = refused({{"branch", "relase-2"}});
  EXPECT_EQ(failure.status, QUARRY_NOT_FOUND);
  EXPECT_THAT(failure.message, HasSubstr("relase-2 does not exist"));
  EXPECT_THAT(failure.hint, AllOf(HasSubstr("are release-2"), HasSubstr("default branch is main")));
  EXPECT_THAT(failure.details, HasSubstr("/branch"));
  sh("cd srv/repo.git && git branch -D release-2");
  EXPECT_THAT(refused({{"branch", "release-2"}}).message, HasSubstr("does not exist"));
}

TEST_F(GitSource, SaysThatARepositoryIsEmpty) {
  for (const Json& at : {Json::object(), Json{{"branch", "main"}}}) {
    const Failure failure = refused(at);
    EXPECT_EQ(failure.status, QUARRY_NOT_FOUND);
    EXPECT_THAT(failure.message, HasSubstr("is empty"));
  }
}

TEST_F(GitSource, SaysThatACommitIsMissing) {
  commit({{"a", "1"}});
  quarry::testing::Tree tree;
  const auto fetched = fetch({}, std::string(40, '1'), tree);
  ASSERT_FALSE(fetched);
  EXPECT_EQ(fetched.failure().status, QUARRY_NOT_FOUND);
  EXPECT_THAT(fetched.failure().message, HasSubstr("not our ref 1111111"));
  EXPECT_THAT(entries(), IsEmpty());
}

TEST_F(GitSource, SpeaksToServersOfTheFirstProtocol) {
  const std::string first = commit({{"a", "1"}});
  sh("cd work && git tag -a -m t v1 && git push -q ../srv/repo.git v1");
  commit({{"a", "2"}});
  server_->speak_old_protocol();
  EXPECT_EQ(resolved()["resource"], (Json{{"branch", "main"}}));
  EXPECT_EQ(files(), (Files{{"a", "2"}}));
  EXPECT_EQ(files({{"branch", "v1"}}), (Files{{"a", "1"}}));
  EXPECT_EQ(resolved({{"branch", "v1"}})["id"], first);
}

TEST_F(GitSource, BringsOnlyWhatTheSearchPathsHold) {
  sh("cd srv/repo.git && git config uploadpack.allowFilter true");
  commit({{"docs/a.md", "a"}, {"docs/sub/b.md", "b"}, {"src/c.c", "c"}, {"README", "r"}});
  const Json at = {{"searchPath", "docs"}, {"searchPaths", {"README"}}};
  EXPECT_EQ(files(at), (Files{{"docs/a.md", "a"}, {"docs/sub/b.md", "b"}, {"README", "r"}}));
  EXPECT_EQ(
      sh("cd cache/* && GIT_DIR=. git cat-file --batch-all-objects --batch-check='%(objecttype)' "
         "| grep -c blob"),
      "3");
  commit({{"docs/a.md", "a2"}});
  EXPECT_EQ(files(at)["docs/a.md"], "a2");
  EXPECT_EQ(files({{"searchPath", "src"}}), (Files{{"src/c.c", "c"}}));
  EXPECT_THAT(files(), SizeIs(4));
}

TEST_F(GitSource, LivesWithAServerThatLeavesNothingOut) {
  sh("cd srv/repo.git && git config uploadpack.allowFilter false");
  commit({{"docs/a.md", "a"}, {"src/c.c", "c"}});
  EXPECT_EQ(files({{"searchPath", "docs/a.md"}}), (Files{{"docs/a.md", "a"}}));
}

TEST_F(GitSource, SaysWhichSearchPathIsMissing) {
  const std::string id = commit({{"docs/a.md", "a"}, {"docs2", "x"}});
  quarry::testing::Tree tree;
  const auto fetched = fetch({{"searchPath", "doc"}}, id, tree);
  ASSERT_FALSE(fetched);
  EXPECT_THAT(fetched.failure().message, HasSubstr("no doc in"));
  EXPECT_THAT(fetched.failure().hint, HasSubstr("docs, docs2."));
  EXPECT_EQ(files({{"searchPaths", {"docs", "gone"}}}), (Files{{"docs/a.md", "a"}}));
  EXPECT_THAT(metadata_["notes"], ElementsAre(HasSubstr("nothing at gone")));
}

TEST_F(GitSource, KeepsNamesAsTheyAre) {
  commit({{"with space", "1"},
          {"new\nline", "2"},
          {"\xff\xfe", "3"},
          {"Case", "4"},
          {"case", "5"},
          {"quote\"'", "6"},
          {"-dash", "7"},
          {":(glob)*", "8"},
          {"dir/:x", "9"}});
  EXPECT_EQ(files(), (Files{{"with space", "1"},
                            {"new\nline", "2"},
                            {"\xff\xfe", "3"},
                            {"Case", "4"},
                            {"case", "5"},
                            {"quote\"'", "6"},
                            {"-dash", "7"},
                            {":(glob)*", "8"},
                            {"dir/:x", "9"}}));
  EXPECT_EQ(files({{"searchPath", ":(glob)*"}}), (Files{{":(glob)*", "8"}}));
  EXPECT_EQ(files({{"searchPath", "-dash"}}), (Files{{"-dash", "7"}}));
}

TEST_F(GitSource, TakesNamesLongerThanAFileSystemDoes) {
  const std::string name(300, 'n');
  sh("cd work && id=$(echo long | git hash-object -w --stdin) && git update-index --add "
     "--cacheinfo "
     "100644,$id," +
     name + " && git commit -q -m c && git push -q ../srv/repo.git HEAD:main");
  EXPECT_EQ(files(), (Files{{name, "long\n"}}));
}

TEST_F(GitSource, NamesLinksSubmodulesAndLargeFilesWithoutFollowingThem) {
  sh("cd work && ln -s /etc/passwd out && ln -s a in && printf 'x' > a && git add -A && git "
     "update-index --add --cacheinfo 160000," +
     std::string(40, '1') +
     ",vendor/x && "
     "printf '[submodule \"x\"]\\n\\tpath = vendor/x\\n\\turl = https://example.org/x.git\\n' > "
     ".gitmodules && head -c 5000000 /dev/zero > zeros && printf 'version "
     "https://git-lfs.github.com/spec/v1\\noid sha256:00\\nsize 7000000\\n' > video.mp4 && git add "
     ".gitmodules zeros video.mp4 && git commit -q -m c && git push -q ../srv/repo.git HEAD:main");
  EXPECT_THAT(files(), AllOf(SizeIs(3), Contains(Pair("a", "x")), Contains(Key(".gitmodules")),
                             Contains(Key("video.mp4"))));
  EXPECT_THAT(links_, UnorderedElementsAre("in", "out"));
  EXPECT_THAT(large_, ElementsAre(Pair("zeros", 5'000'000)));
  EXPECT_THAT(
      metadata_["notes"],
      ElementsAre("Submodule vendor/x (https://example.org/x.git) at 1111111 is not part of "
                  "this snapshot.",
                  "Of files kept by Git LFS only the pointers are here, not their 7000 kB: "
                  "video.mp4.",
                  "2 symbolic links are listed but not followed."));
}

TEST_F(GitSource, HonoursNoAttributesOfTheRepository) {
  commit({{".gitattributes", "* export-ignore eol=crlf filter=evil ident\n"},
          {"a", "line\n$Id$\n"},
          {".lfsconfig", "[lfs]\n\turl = http://127.0.0.1:1/\n"}});
  EXPECT_EQ(files()["a"], "line\n$Id$\n");
}

TEST_F(GitSource, LinksToLinesAsConfigured) {
  commit({{"a", "1"}});
  files();
  EXPECT_EQ(metadata_["permalink"], "");
  Settings settings;
  settings.permalinks["127.0.0.1"] = "https://view.example.org/{repository}/{version}/{path}";
  restart(settings);
  files();
  EXPECT_EQ(metadata_["permalink"], "https://view.example.org/repo/{version}/{path}");
}

TEST_F(GitSource, TellsItsProgress) {
  commit({{"a", "1"}, {"b", "2"}});
  files();
  EXPECT_THAT(call_.progress, AllOf(Contains(HasSubstr(R"("message":"asking http://127)")),
                                    Contains(HasSubstr(R"("message":"fetching http://127)")),
                                    Contains(HasSubstr(R"("message":"receiving objects)"))));
}

/// A tree of `depth` levels whose `fanout` entries all refer to the tree below: many paths, few
/// objects.
std::string bomb_script(int depth, int fanout) {
  return "cd work && t=$(printf '100644 blob '$(echo x | git hash-object -w --stdin)'\\tf' | git "
         "mktree) && for d in $(seq " +
         std::to_string(depth) + "); do t=$(for i in $(seq " + std::to_string(fanout) +
         "); do printf '040000 tree '$t'\\td'$i'\\n'; done | git mktree); done && c=$(git "
         "commit-tree -m bomb $t) && git push -q -f ../srv/repo.git $c:refs/heads/main";
}

TEST_F(GitSource, StopsAtATreeOfEndlessPaths) {
  sh(bomb_script(10, 10));
  quarry::testing::Tree tree;
  const auto fetched = fetch({}, resolved()["id"], tree);
  ASSERT_FALSE(fetched);
  EXPECT_EQ(fetched.failure().status, QUARRY_RESOURCE_EXHAUSTED);
  EXPECT_THAT(fetched.failure().message, HasSubstr("more than 1000000 files"));
  EXPECT_THAT(tree.files, IsEmpty());
}

TEST_F(GitSource, StopsAtOneFileUnderEndlessNames) {
  sh("cd work && id=$(head -c 1000000 /dev/zero | git hash-object -w --stdin) && for i in $(seq "
     "400); do printf \"100644 $id\\tf$i\\n\"; done | git update-index --index-info && git commit "
     "-q -m c && git push -q ../srv/repo.git HEAD:main");
  quarry::testing::Tree tree;
  const auto fetched = fetch({}, resolved()["id"], tree);
  ASSERT_FALSE(fetched);
  EXPECT_EQ(fetched.failure().status, QUARRY_RESOURCE_EXHAUSTED);
  EXPECT_THAT(fetched.failure().message, HasSubstr("unpacks to 381 MiB"));
  EXPECT_THAT(tree.files, IsEmpty());
}

TEST_F(GitSource, StopsWhereTheSnapshotIsFull) {
  const std::string id = commit({{"a", "1"}, {"b", "2"}, {"c", "3"}});
  quarry::testing::Tree tree;
  tree.refuse_after(2);
  EXPECT_FALSE(fetch({}, id, tree));
  EXPECT_THAT(tree.files, SizeIs(2));
}

/// Repositories that git itself would not create.
class OddRepository : public GitSource {
 protected:
  /// Makes main a commit with this one entry in its tree, valid or not.
  void push(const std::string& mode_and_name, const std::string& authors) {
    const std::string id = sh("cd work && echo x | git hash-object -w --stdin");
    std::ofstream tree(root_ / "tree", std::ios::binary);
    tree << mode_and_name << '\0';
    for (std::size_t i = 0; i < id.size(); i += 2) {
      tree << static_cast<char>(std::stoi(id.substr(i, 2), nullptr, 16));
    }
    tree.close();
    std::ofstream(root_ / "commit") << "\n" << authors << "\n\nm\n";
    sh("cd work && (printf 'tree '; git hash-object -w -t tree --literally ../tree | tr -d '\\n'; "
       "cat ../commit) > ../whole && c=$(git hash-object -w -t commit --literally ../whole) && git "
       "push -q -f ../srv/repo.git $c:refs/heads/main");
  }
};

TEST_F(OddRepository, IsRefusedWhenItLeadsOutOfItself) {
  for (const char* name : {".git", "..", "a/b"}) {
    push(std::string("100644 ") + name, "author a <a@b> 1 +0000\ncommitter a <a@b> 1 +0000");
    quarry::testing::Tree tree;
    const auto fetched = fetch({}, resolved()["id"], tree);
    ASSERT_FALSE(fetched) << name;
    EXPECT_EQ(fetched.failure().status, QUARRY_DATA_LOSS) << fetched.failure().message;
    EXPECT_THAT(fetched.failure().hint, HasSubstr("malformed")) << name;
  }
}

TEST_F(OddRepository, IsReadWhenItsMistakesAreHarmless) {
  push("0100644 a", "author a <a@b 1 +0000\ncommitter a a@b> 99999999999999999999 +9999999");
  EXPECT_EQ(files(), (Files{{"a", "x\n"}}));
}

TEST_F(GitSource, BeginsAnewWhenTooManyUpdatesPiledUp) {
  commit({{"a", "1"}});
  files();
  const fs::path packs = entries().front() / "objects/pack";
  for (int i = 0; i < 50; ++i) std::ofstream(packs / ("pack-" + std::to_string(i) + ".idx")) << "x";
  EXPECT_EQ(files()["a"], "1") << "the cached version is still read";
  commit({{"a", "2"}});
  EXPECT_EQ(files()["a"], "2");
  EXPECT_THAT(entries(), SizeIs(1));
  EXPECT_LT(std::distance(fs::directory_iterator(entries().front() / "objects/pack"), {}), 10);
}

}  // namespace
}  // namespace quarry::resource_git
