#include "resource-local/folders.h"

#include <cstdlib>
#include <fstream>
#include <quarry_test.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::resource_local {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

/// A home directory with a project and keys in it.
class LocalFolders : public ::testing::Test {
 protected:
  void SetUp() override {
    home_ = fs::canonical(test_directory());
    fs::create_directories(home_ / "project/docs");
    fs::create_directories(home_ / ".ssh/sub");
    std::ofstream(home_ / "file.txt") << "x";
    policy_.home = home_;
  }

  /// The real path, or the failure's message.
  [[nodiscard]] std::string check(const fs::path& path) const {
    const auto folder = check_path(path.native(), policy_);
    return folder ? folder->string() : folder.failure().message + folder.failure().details;
  }
  void only_beneath(std::vector<fs::path> roots) { policy_.roots = std::move(roots); }

  fs::path home_;
  Policy policy_;
};

TEST_F(LocalFolders, AnswerTheRealPath) {
  EXPECT_EQ(check(home_ / "project"), home_ / "project");
  EXPECT_EQ(check(home_ / "project/./docs/../"), home_ / "project");
  EXPECT_EQ(check("~/project"), home_ / "project");
  EXPECT_EQ(check("~"), home_);
  // sammcj/ingest#13, growgraph/ontocast#53, fluencelabs/aqua#119, squid-protocol/gitgalaxy#2165
  EXPECT_EQ(check(home_ / "project/../file.txt"), home_ / "file.txt");
}

TEST_F(LocalFolders, MustExistAndBeGivenByTheirWholePath) {
  const std::string field = R"("field":"/path")";
  EXPECT_THAT(check(home_ / "missing"), AllOf(HasSubstr("No such file"), HasSubstr(field)));
  EXPECT_THAT(check("/dev/null"), AllOf(HasSubstr("nor a file"), HasSubstr(field)));
  EXPECT_THAT(check("project"), AllOf(HasSubstr("not absolute"), HasSubstr(field)));
  EXPECT_THAT(check(""), HasSubstr("not absolute"));
  const auto zero = check_path(std::string_view("/tmp\0/etc", 9), policy_);
  EXPECT_THAT(zero.failure().message, HasSubstr("zero byte"));
}

TEST_F(LocalFolders, RefuseTheSystemsOwn) {
  for (const char* path :
       {"/", "/etc", "/etc/ssl", "/proc", "/proc/self", "/sys", "/dev", "/tmp/.."}) {
    EXPECT_THAT(check(path), AllOf(HasSubstr("is refused"), HasSubstr("/path"))) << path;
  }
}

TEST_F(LocalFolders, RefuseFoldersOfKeys) {
  for (const char* name : {".ssh", ".gnupg", ".aws", ".kube", ".config/gcloud"}) {
    fs::create_directories(home_ / name);
    EXPECT_THAT(check(home_ / name), HasSubstr("holds keys")) << name;
  }
  EXPECT_THAT(check("~/.ssh"), HasSubstr("holds keys"));
  EXPECT_THAT(check(home_ / ".ssh/sub"), HasSubstr("holds keys"));
  EXPECT_THAT(check(home_ / "project/../.ssh"), HasSubstr("holds keys"));
}

TEST_F(LocalFolders, ALinkDoesNotGetAroundARefusal) {
  fs::create_symlink("/etc", home_ / "project/settings");
  fs::create_symlink(home_ / ".ssh", home_ / "project/keys");
  EXPECT_THAT(check(home_ / "project/settings"), HasSubstr("lies in /etc"));
  EXPECT_THAT(check(home_ / "project/keys/sub"), HasSubstr("holds keys"));
}

TEST_F(LocalFolders, ANameThatOnlyBeginsLikeARefusedOneIsFine) {
  fs::create_directories(home_ / ".sshd-docs");
  EXPECT_EQ(check(home_ / ".sshd-docs"), home_ / ".sshd-docs");
}

TEST_F(LocalFolders, AFailureSaysWhatToDo) {
  EXPECT_THAT(check_path("/etc", policy_).failure().hint, HasSubstr("local_roots"));
  EXPECT_THAT(check_path("/missing", policy_).failure().hint, HasSubstr("absolute path"));
}

TEST_F(LocalFolders, WithRootsOnlyWhatLiesBeneathThemIsRead) {
  only_beneath({home_ / "project"});
  EXPECT_EQ(check(home_ / "project"), home_ / "project");
  EXPECT_EQ(check(home_ / "project/docs"), home_ / "project/docs");
  EXPECT_THAT(check(home_), HasSubstr("none of local_roots"));
  fs::create_directories(home_ / "project-two");
  EXPECT_THAT(check(home_ / "project-two"), HasSubstr("none of local_roots"));
}

TEST_F(LocalFolders, NoRootsAtAllPermitNothing) {
  only_beneath({});
  EXPECT_THAT(check(home_ / "project"), HasSubstr("none of local_roots"));
}

TEST_F(LocalFolders, ALinkDoesNotLeadOutOfTheRoots) {
  fs::create_directories(home_ / "other");
  fs::create_symlink(home_ / "other", home_ / "project/other");
  only_beneath({home_ / "project"});
  EXPECT_THAT(check(home_ / "project/other"), HasSubstr("none of local_roots"));
}

TEST_F(LocalFolders, ARootMayItselfBeALink) {
  fs::create_symlink(home_ / "project", home_ / "link");
  only_beneath({home_ / "link"});
  EXPECT_EQ(check(home_ / "project/docs"), home_ / "project/docs");
}

TEST_F(LocalFolders, AWideRootOpensNoFolderOfKeysButANarrowOneDoes) {
  only_beneath({home_});
  EXPECT_THAT(check(home_ / ".ssh"), HasSubstr("holds keys"));
  only_beneath({home_, home_ / ".ssh/sub"});
  EXPECT_EQ(check(home_ / ".ssh/sub"), home_ / ".ssh/sub");
  EXPECT_THAT(check(home_ / ".ssh"), HasSubstr("holds keys"));
}

TEST_F(LocalFolders, TheRootOfTheFileSystemOpensNoSystemFolder) {
  only_beneath({"/"});
  EXPECT_THAT(check("/etc"), HasSubstr("lies in /etc"));
  EXPECT_EQ(check(home_ / "project"), home_ / "project");
  only_beneath({"/etc/ssl"});
  EXPECT_EQ(check("/etc/ssl"), fs::canonical("/etc/ssl"));
}

TEST_F(LocalFolders, AreRecognisedAsReferences) {
  EXPECT_EQ(path_of_reference("~/project", policy_), home_ / "project");
  EXPECT_EQ(path_of_reference((home_ / "project").native(), policy_), home_ / "project");
  EXPECT_EQ(path_of_reference("~/file.txt", policy_), home_ / "file.txt");
  fs::create_directories(home_ / "two words");
  EXPECT_EQ(path_of_reference("file://" + home_.native() + "/two%20words", policy_),
            home_ / "two words");
  EXPECT_EQ(path_of_reference("file://localhost" + home_.native(), policy_), home_);
  EXPECT_EQ(path_of_reference(".", policy_), (fs::current_path() / ".").lexically_normal());
  EXPECT_EQ(path_of_reference("..", policy_), fs::current_path().parent_path() / "");
}

TEST_F(LocalFolders, WithANameThatIsNotUtf8AreNoResource) {
  fs::create_directories(home_ / "gr\xfcn");
  fs::create_symlink("gr\xfcn", home_ / "link");
  EXPECT_FALSE(path_of_reference("file://" + home_.native() + "/gr%FCn", policy_));
  EXPECT_THAT(check(home_ / "link"), HasSubstr("real path is not UTF-8"));
  only_beneath({home_});
  policy_.for_projects = true;
  EXPECT_THAT(check(home_ / "link"), HasSubstr("with a token"));
}

TEST_F(LocalFolders, LeaveOtherReferencesAlone) {
  EXPECT_FALSE(path_of_reference("project", policy_));
  EXPECT_FALSE(path_of_reference("npm:react", policy_));
  EXPECT_FALSE(path_of_reference("https://example.org", policy_));
  EXPECT_FALSE(path_of_reference("./missing", policy_));
  EXPECT_FALSE(path_of_reference("/dev/null", policy_));
  EXPECT_FALSE(path_of_reference("file://example.org" + home_.native(), policy_));
  EXPECT_FALSE(path_of_reference("", policy_));
}

/// Cases that must be indistinguishable to a project.
TEST_F(LocalFolders, WhatIsNotForAProjectHasOneAnswerWhateverThereIs) {
  fs::create_directories(home_ / "other/inner");
  fs::create_directories(home_ / "closed");
  fs::permissions(home_ / "closed", fs::perms::none);
  fs::create_symlink(home_ / "other", home_ / "project/out");
  fs::create_symlink("../other", home_ / "project/out-by-parts");
  fs::create_symlink(home_ / "nowhere", home_ / "project/out-to-nothing");
  fs::create_symlink("/proc/self/cwd", home_ / "project/magic");
  std::ofstream(home_ / "project/file.txt") << "x";
  fs::create_directories(home_ / "project/.ssh");
  only_beneath({home_ / "project"});
  policy_.for_projects = true;
  const auto answer = [&](std::string_view path) {
    const auto folder = check_path(path, policy_);
    if (folder) return "permitted: " + folder->string();
    const Failure& failure = folder.failure();
    return std::to_string(failure.status) + failure.message + failure.hint + failure.details;
  };
  const std::string one = answer("/nowhere/at/all");
  EXPECT_THAT(one, AllOf(HasSubstr("with a token"), ::testing::Not(HasSubstr("nowhere"))));
  for (const char* path : {"/etc", "/etc/passwd", "/proc/self", "/root", "/", "", "~", "~/project",
                           "project", "./x", "/etc/../nowhere"}) {
    EXPECT_EQ(answer(path), one) << path;
  }
  for (const char* path :
       {"", "other", "other/inner", "missing", "file.txt", "closed", "closed/x", "project-two",
        "project/out", "project/out/inner", "project/out-by-parts", "project/out-to-nothing",
        "project/magic", "project/file.txt", "project/missing", "project/../other",
        "project/.ssh"}) {
    EXPECT_EQ(answer((home_ / path).native()), one) << path;
    EXPECT_FALSE(path_of_reference((home_ / path).native(), policy_)) << path;
  }
  EXPECT_EQ(answer(std::string_view("/tmp\0/etc", 9)), one);
  fs::permissions(home_ / "closed", fs::perms::owner_all);
}

TEST_F(LocalFolders, AProjectReadsWhatLiesBeneathTheRoots) {
  fs::create_symlink("docs", home_ / "project/current");
  fs::create_symlink(home_ / "project", home_ / "link");
  only_beneath({home_ / "link"});
  policy_.for_projects = true;
  EXPECT_EQ(check(home_ / "project"), home_ / "project");
  EXPECT_EQ(check(home_ / "project/docs/"), home_ / "project/docs");
  EXPECT_EQ(check(home_ / "link/docs/../current"), home_ / "project/docs");
  EXPECT_EQ(path_of_reference((home_ / "link/docs").native(), policy_), home_ / "project/docs");
  EXPECT_FALSE(path_of_reference("~/project", policy_));
  EXPECT_FALSE(path_of_reference(".", policy_));
}

TEST_F(LocalFolders, ReadTheirPolicyFromTheConfiguration) {
  EXPECT_FALSE(read_policy("{}", home_)->for_projects);
  EXPECT_TRUE(read_policy(R"({"acts_for":"project"})", home_)->for_projects);
  EXPECT_FALSE(read_policy("{}", home_)->roots);
  EXPECT_FALSE(read_policy(R"({"local_roots":null})", home_)->roots);
  const auto policy = read_policy(R"({"local_roots":["/srv","~/project"]})", home_);
  EXPECT_THAT(*policy->roots, ::testing::ElementsAre("/srv", home_ / "project"));
  for (const char* wrong : {R"({"local_roots":"/srv"})", R"({"local_roots":["docs"]})", "[]", ""}) {
    EXPECT_FALSE(read_policy(wrong, home_)) << wrong;
  }
}

}  // namespace
}  // namespace quarry::resource_local
