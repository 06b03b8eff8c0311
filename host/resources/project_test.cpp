#include "resources/metadata.h"
#include "resources/testing/setting.h"

#include <gmock/gmock.h>

namespace quarry::resources {
namespace {

using ::testing::HasSubstr;

/// A source that shows the owner more than it shows projects.
class ForProjects : public ::testing::Test {
 protected:
  ForProjects() {
    setting_.fake->files = {{"a.txt", "the owner's\n"}};
    theirs_->files = {{"a.txt", "public\n"}};
    setting_.types_for_projects = {{"fake", theirs_}};
  }
  static PrepareOptions of(std::string project) {
    PrepareOptions prepare_options;
    prepare_options.project = std::move(project);
    return prepare_options;
  }
  std::string read(const PrepareOptions& prepare_options, const Json& resource = kFake) {
    const auto prepared = setting_.prepare(resource, prepare_options);
    return prepared ? text_of(*prepared, "a.txt") : prepared.error().message;
  }

  std::shared_ptr<FakeType> theirs_ = std::make_shared<FakeType>();
  Setting setting_;
};

TEST_F(ForProjects, NothingThatTheOwnerReadIsFound) {
  EXPECT_EQ(read({}), "the owner's\n");
  EXPECT_EQ(read(of("docs")), "public\n");
  setting_.reopen();
  EXPECT_EQ(read(of("docs")), "public\n");
  EXPECT_EQ(read({}), "the owner's\n");
  EXPECT_EQ(theirs_->fetched, 1);
  EXPECT_EQ(setting_.fake->fetched, 1);
}

TEST_F(ForProjects, TheLastStateOfTheOwnerIsNoneOfTheirs) {
  EXPECT_EQ(read({}), "the owner's\n");
  theirs_->resolve_error = Error{Code::kUnavailable, "away"};
  EXPECT_THAT(read(of("docs")), HasSubstr("away"));
  PrepareOptions offline = of("docs");
  offline.freshness = Freshness::kOffline;
  EXPECT_THAT(read(offline), HasSubstr("away"));
}

TEST_F(ForProjects, ALockedVersionIsNotTakenFromTheOwner) {
  EXPECT_EQ(read({}), "the owner's\n");
  PrepareOptions locked = of("docs");
  locked.locked = setting_.fake->version;
  EXPECT_EQ(read(locked), "public\n");
}

TEST_F(ForProjects, WhatIsReadWithoutASecretIsShared) {
  EXPECT_EQ(read(of("docs")), "public\n");
  EXPECT_EQ(read(of("web")), "public\n");
  EXPECT_EQ(theirs_->fetched, 1);
}

TEST_F(ForProjects, WhatIsReadWithASecretIsNot) {
  const auto with = [](const char* secret) {
    Json resource = kFake;
    resource["token"] = secret;
    return resource;
  };
  read(of("docs"), with("project.1"));
  read(of("web"), with("project.2"));
  read(of("web"));
  EXPECT_EQ(theirs_->fetched, 3);
}

TEST_F(ForProjects, WithoutTypesOfTheirsNothingIsRead) {
  setting_.types_for_projects.clear();
  EXPECT_THAT(read(of("docs")), HasSubstr("no plugin offers its type"));
  EXPECT_EQ(setting_.fake->resolved, 0);
}

TEST_F(ForProjects, AResourceCannotPretendToBeTheirs) {
  const Json claimed{{"type", "fake"}, {"for", "projects"}, {"source", kFake}};
  EXPECT_NE(source_of(claimed), source_of(kFake, "docs"));
}

}  // namespace
}  // namespace quarry::resources
