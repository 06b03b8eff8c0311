#include <quarry/json.hpp>
#include <quarry/resource.h>
#include <quarry/testing.hpp>

namespace {

using quarry::testing::FakeCall;
using quarry::testing::Reply;
using quarry::testing::Tree;

constexpr std::string_view kTwo =
    R"({"type":"notes","name":"mine","notes":["One","Zwei\n\u00fc"]})";

class NotesTest : public testing::Test {
 protected:
  quarry::testing::Component<quarry_resource_v1> type_{quarry_plugin_entry_v1, QUARRY_RESOURCE,
                                                       "notes"};
  FakeCall call_;
  Reply reply_;
  Tree tree_;

  void fetch() {
    type_->fetch(type_.instance(), call_.get(), quarry::as_text(kTwo), quarry::as_text("{}"), {},
                 tree_.get(), reply_.get());
  }
};

TEST_F(NotesTest, EachNoteBecomesAFile) {
  fetch();
  EXPECT_EQ(reply_.value(), "{}");
  EXPECT_EQ(tree_.files, (std::map<std::string, std::string>{{"note-1.md", "One\n"},
                                                             {"note-2.md", "Zwei\nü\n"}}));
}

TEST_F(NotesTest, EmptyNotesAreNamed) {
  type_->normalise(type_.instance(), call_.get(), quarry::as_text(R"({"notes":["","a"," "]})"),
                   reply_.get());
  EXPECT_EQ(reply_.failure().message, "notes/0 is empty; notes/2 is empty");
  EXPECT_NE(reply_.failure().details.find(R"("field":"/notes/2")"), std::string::npos);
}

TEST_F(NotesTest, ValidNotesStayAsTheyAre) {
  type_->normalise(type_.instance(), call_.get(), quarry::as_text(kTwo), reply_.get());
  EXPECT_EQ(reply_.value(), kTwo);
}

TEST_F(NotesTest, ACancelledFetchStops) {
  call_.cancel_after(1);
  fetch();
  EXPECT_EQ(reply_.failure().status, QUARRY_CANCELLED);
  EXPECT_EQ(tree_.files.size(), 1u);
}

TEST_F(NotesTest, AFullTreeEndsTheFetch) {
  tree_.refuse_after(1);
  fetch();
  EXPECT_EQ(reply_.failure().status, QUARRY_RESOURCE_EXHAUSTED);
}

TEST_F(NotesTest, DescribesItsFields) {
  type_->describe(type_.instance(), call_.get(), reply_.get());
  EXPECT_EQ(quarry::json::string(reply_.value(), "title"), "Notes");
  const auto schema = quarry::json::member(reply_.value(), "schema");
  EXPECT_EQ(quarry::json::strings(schema.value_or(""), "required"),
            std::vector<std::string>{"notes"});
}

}  // namespace
