#include <quarry/json.hpp>
#include <quarry/resource.h>
#include <quarry/testing.hpp>

namespace {

class @Name@Test : public testing::Test {
 protected:
  quarry::testing::Component<quarry_resource_v1> type_{quarry_plugin_entry_v1, QUARRY_RESOURCE,
                                                       "@name@"};
  quarry::testing::FakeCall call_;
  quarry::testing::Reply reply_;
  quarry::testing::Tree tree_;

  void fetch() {
    type_->fetch(type_.instance(), call_.get(), quarry::as_text(R"({"text": "Gr\u00fc\u00dfe"})"),
                 quarry::as_text("{}"), {}, tree_.get(), reply_.get());
  }
};

TEST_F(@Name@Test, TheNoteBecomesAFile) {
  fetch();
  EXPECT_EQ(reply_.value(), "{}");
  EXPECT_EQ(tree_.files, (std::map<std::string, std::string>{{"note.md", "Grüße"}}));
}

TEST_F(@Name@Test, AnEmptyNoteIsRefused) {
  type_->normalise(type_.instance(), call_.get(), quarry::as_text(R"({"text": ""})"), reply_.get());
  EXPECT_EQ(reply_.failure().message, "text is empty");
}

TEST_F(@Name@Test, AFullTreeEndsTheFetch) {
  tree_.refuse_after(0);
  fetch();
  EXPECT_EQ(reply_.failure().status, QUARRY_RESOURCE_EXHAUSTED);
}

TEST_F(@Name@Test, DescribesItsFields) {
  type_->describe(type_.instance(), call_.get(), reply_.get());
  EXPECT_EQ(quarry::json::string(reply_.value(), "title"), "@Name@");
  const auto schema = quarry::json::member(reply_.value(), "schema");
  EXPECT_EQ(quarry::json::strings(schema.value_or(""), "required"),
            std::vector<std::string>{"text"});
}

}  // namespace
