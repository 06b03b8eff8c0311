#include <quarry/outcome.hpp>

#include <gtest/gtest.h>

namespace quarry {
namespace {

TEST(Text, IsSeenWhereItLies) {
  const std::string owned = "text";
  EXPECT_EQ(as_view(as_text(owned)).data(), owned.data());
  EXPECT_EQ(as_view(as_text(owned)), "text");
}

TEST(Text, WithoutDataIsEmpty) {
  EXPECT_EQ(as_view(quarry_text{nullptr, 0}), "");
  EXPECT_EQ(as_view(quarry_text{nullptr, 5}), "");
}

TEST(FieldFailure, NamesItsField) {
  const Failure failure = field_failure("/notes/1", "has a \"quote\"", "write something");
  EXPECT_EQ(failure.status, QUARRY_INVALID_ARGUMENT);
  EXPECT_EQ(failure.message, "notes/1 has a \"quote\"");
  EXPECT_EQ(failure.hint, "write something");
  EXPECT_EQ(failure.details, R"({"fields":[{"field":"/notes/1","message":"has a \"quote\""}]})");
}

TEST(FieldFailure, NamesAllItsFieldsInOneMessage) {
  const Failure failure =
      field_failure({{"/a", "is empty"}, {"/b/0", "is no URL"}}, "mend both", QUARRY_NOT_FOUND);
  EXPECT_EQ(failure.status, QUARRY_NOT_FOUND);
  EXPECT_EQ(failure.message, "a is empty; b/0 is no URL");
  EXPECT_EQ(failure.hint, "mend both");
  EXPECT_EQ(failure.details, R"({"fields":[{"field":"/a","message":"is empty"},)"
                             R"({"field":"/b/0","message":"is no URL"}]})");
}

TEST(FieldFailure, MayHaveAnotherStatus) {
  EXPECT_EQ(field_failure("/token", "is refused", {}, QUARRY_UNAUTHENTICATED).status,
            QUARRY_UNAUTHENTICATED);
}

TEST(Failure, TakesFieldsBesideOtherDetails) {
  Failure failure{QUARRY_NOT_FOUND, "there is no such package", {}, {}};
  failure.add_field("/package", "is not in the index").add_field("/index", "lacks it");
  EXPECT_EQ(failure.details, R"({"fields":[{"field":"/package","message":"is not in the index"},)"
                             R"({"field":"/index","message":"lacks it"}]})");
  EXPECT_EQ(failure.message, "there is no such package");

  failure.details = R"({"tag": "Gone", "fields": [ ] , "more": [1]})";
  failure.add_field("/a", "b");
  EXPECT_EQ(failure.details,
            R"({"tag": "Gone", "fields": [ {"field":"/a","message":"b"}] , "more": [1]})");

  failure.details = R"({"tag": "Gone"})";
  failure.add_field("/a", "b");
  EXPECT_EQ(failure.details, R"({"tag": "Gone","fields":[{"field":"/a","message":"b"}]})");

  failure.details = "{}";
  EXPECT_EQ(failure.add_field("/a", "b").details, R"({"fields":[{"field":"/a","message":"b"}]})");
}

TEST(Failure, ReplacesDetailsThatAreNoObject) {
  Failure failure{QUARRY_INTERNAL, "m", {}, "no JSON"};
  failure.add_field("/a", "b\nc");
  EXPECT_EQ(failure.details, R"({"fields":[{"field":"/a","message":"b c"}]})");
}

}  // namespace
}  // namespace quarry
