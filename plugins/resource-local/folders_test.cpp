#include "resource-local/folders.h"

#include <cstdlib>
#include <fstream>
#include <quarry_test.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::resource_local {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

/// A home directory with a project and keys in it.
class LocalFolders : public testing::Test {
 protected:
  void SetUp() override {
    home_ = fs::canonical(test_directory());
    fs::create_directories(home_ / "project/docs");
    fs::create_directories(home_ / ".ssh/sub");
    std::ofstream(home_ / "file.txt") << "x";
    policy_.home = home_;
  }

  /// The real path, or the failure's words.
  [[nodiscard]] std::string check(const fs::path& path) const {
    const auto folder = check_folder(path.native(), policy_);
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
}

TEST_F(LocalFolders, MustExistAndBeAFolderGivenByItsWholePath) {
  const std::string field = R"("field":"/path")";
  EXPECT_THAT(check(home_ / "missing"), AllOf(HasSubstr("No such file"), HasSubstr(field)));
  EXPECT_THAT(check(home_ / "file.txt"), AllOf(HasSubstr("no directory"), HasSubstr(field)));
  EXPECT_THAT(check("project"), AllOf(HasSubstr("not absolute"), HasSubstr(field)));
  EXPECT_THAT(check(""), HasSubstr("not absolute"));
  const auto zero = check_folder(std::string_view("/tmp\0/etc", 9), policy_);
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
  EXPECT_THAT(check_folder("/etc", policy_).failure().hint, HasSubstr("local_roots"));
  EXPECT_THAT(check_folder("/missing", policy_).failure().hint, HasSubstr("absolute path"));
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
  EXPECT_EQ(folder_of_reference("~/project", home_), home_ / "project");
  EXPECT_EQ(folder_of_reference((home_ / "project").native(), home_), home_ / "project");
  EXPECT_EQ(folder_of_reference(".", home_), (fs::current_path() / ".").lexically_normal());
  EXPECT_EQ(folder_of_reference("..", home_), fs::current_path().parent_path() / "");
}

TEST_F(LocalFolders, LeaveOtherReferencesAlone) {
  EXPECT_FALSE(folder_of_reference("project", home_));
  EXPECT_FALSE(folder_of_reference("npm:react", home_));
  EXPECT_FALSE(folder_of_reference("https://example.org", home_));
  EXPECT_FALSE(folder_of_reference("./missing", home_));
  EXPECT_FALSE(folder_of_reference((home_ / "file.txt").native(), home_));
  EXPECT_FALSE(folder_of_reference("", home_));
}

TEST_F(LocalFolders, ReadTheirPolicyFromTheConfiguration) {
  EXPECT_FALSE(read_policy("{}", home_)->roots);
  EXPECT_FALSE(read_policy(R"({"local_roots":null})", home_)->roots);
  const auto policy = read_policy(R"({"local_roots":["/srv","~/project"]})", home_);
  EXPECT_THAT(*policy->roots, testing::ElementsAre("/srv", home_ / "project"));
  for (const char* wrong : {R"({"local_roots":"/srv"})", R"({"local_roots":["docs"]})", "[]", ""}) {
    EXPECT_FALSE(read_policy(wrong, home_)) << wrong;
  }
}

}  // namespace
}  // namespace quarry::resource_local
