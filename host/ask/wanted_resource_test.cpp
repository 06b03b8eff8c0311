#include "ask/wanted_resource.h"

#include "ask/testing/test_services.h"

#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>

namespace quarry::ask {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// A library whose resources tell where they come from.
class FolderLibrary final : public testing::FakeLibrary {
 public:
  void prepare(const Json& resource, const resources::PrepareOptions& options, std::stop_token stop,
               OnProgress progress, OnPrepared done) override {
    FakeLibrary::prepare(resource, options, std::move(stop), std::move(progress),
                         [done](Result<resources::Prepared> outcome) {
                           if (outcome) {
                             outcome->display = "/home/owner/docs";
                             outcome->folder = "/home/owner/docs";
                             outcome->notes = {"/home/owner/docs/big was left out."};
                             outcome->fields = {{"branch", "owners-branch"}};
                           }
                           done(std::move(outcome));
                         });
  }
};

struct WantedResourceTest : ::testing::Test {
  Result<resources::Prepared> prepare(bool shared) {
    WantedResource wanted{
        {{"type", "local"}, {"name", "docs"}, {"path", "/home/owner"}, {"specialNotes", "read me"}},
        {}};
    if (shared) {
      wanted.tell_owner = [this](std::string_view cause) { told.emplace_back(cause); };
    }
    std::optional<Result<resources::Prepared>> out;
    ask::prepare(
        library, clock, wanted, {}, {},
        [this](std::string_view event) { events.emplace_back(event); },
        [&](Result<resources::Prepared> outcome) { out = std::move(outcome); });
    return std::move(*out);
  }

  FakeClock clock;
  FolderLibrary library;
  std::vector<std::string> told;
  std::vector<std::string> events;
};

TEST_F(WantedResourceTest, OwnResourcesAreToldOfInFull) {
  const auto prepared = prepare(false);
  ASSERT_TRUE(prepared);
  EXPECT_EQ(prepared->display, "/home/owner/docs");
  EXPECT_THAT(prepared->resource, HasSubstr("\"path\""));
  EXPECT_THAT(events, ElementsAre(HasSubstr("receiving"), HasSubstr("\"message\":\"ready\"")));
  EXPECT_THAT(told, IsEmpty());
}

TEST_F(WantedResourceTest, OfASharedOneFilesAndVersionAreToldAlone) {
  const auto prepared = prepare(true);
  ASSERT_TRUE(prepared);
  EXPECT_EQ(prepared->name, "docs");
  EXPECT_EQ(prepared->version, "v1");
  EXPECT_EQ(prepared->display, "v1");
  EXPECT_THAT(prepared->permalink, HasSubstr("example.org"));
  EXPECT_EQ(prepared->resource, R"({"name":"docs","specialNotes":"read me","type":"local"})");
  EXPECT_EQ(prepared->folder, "");
  EXPECT_EQ(prepared->fields, Json::object());
  EXPECT_THAT(prepared->notes, IsEmpty());
  EXPECT_THAT(prepared->stale, IsEmpty());
  EXPECT_THAT(events, ElementsAre(AllOf(HasSubstr("\"message\":\"preparing\""),
                                        HasSubstr("\"done\":1,\"total\":1")),
                                  HasSubstr("\"message\":\"ready\"")));
  EXPECT_THAT(told, IsEmpty());
}

TEST_F(WantedResourceTest, TheCauseOfAFailureIsToldToTheOwnerAlone) {
  library.failures["docs"] = Error{Code::kNotFound, "no folder /home/owner", "Make it."};
  const auto failed = prepare(true);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, Code::kNotFound);
  EXPECT_EQ(failed.error().tag, "CollectionError");
  EXPECT_THAT(failed.error().message, AllOf(HasSubstr("\"docs\""), Not(HasSubstr("/home"))));
  EXPECT_THAT(failed.error().hint, AllOf(HasSubstr("owner"), Not(HasSubstr("Make"))));
  EXPECT_THAT(told, ElementsAre("shared resource \"docs\": no folder /home/owner (Make it.)"));
}

TEST_F(WantedResourceTest, TheReasonForOldFilesIsToldToTheOwnerAlone) {
  library.stale["docs"] = "git.internal did not answer";
  const auto prepared = prepare(true);
  ASSERT_TRUE(prepared);
  EXPECT_EQ(prepared->stale, "its source could not be checked");
  EXPECT_THAT(told, ElementsAre(HasSubstr("git.internal did not answer")));
}

TEST_F(WantedResourceTest, WhoCancelsIsNotAFailure) {
  library.failures["docs"] = Error{Code::kCancelled, "stopped"};
  const auto cancelled = prepare(true);
  ASSERT_FALSE(cancelled);
  EXPECT_EQ(cancelled.error().code, Code::kCancelled);
  EXPECT_EQ(cancelled.error().message, "stopped");
  EXPECT_THAT(told, IsEmpty());
}

}  // namespace
}  // namespace quarry::ask
