#include <quarry/testing.hpp>

namespace quarry::resource_example {
namespace {

constexpr std::string_view kText = R"({"type":"example","name":"note","text":"Zebras ship."})";

struct Example : ::testing::Test {
  testing::Component<quarry_resource_v1> example{quarry_plugin_entry_v1, QUARRY_RESOURCE,
                                                 "example"};
  testing::FakeCall call;
  testing::Reply reply;
};

TEST_F(Example, IsOneFileWithTheText) {
  testing::Tree tree;
  example->fetch(example.instance(), call.get(), as_text(kText), as_text("{}"), {}, tree.get(),
                 reply.get());
  EXPECT_EQ(reply.value(), "{}");
  EXPECT_EQ(tree.files, (std::map<std::string, std::string>{{"text.md", "Zebras ship.\n"}}));
}

TEST_F(Example, MustSaySomething) {
  example->normalise(example.instance(), call.get(), as_text(R"({"text":" "})"), reply.get());
  EXPECT_EQ(reply.failure().message, "text is empty");
}

}  // namespace
}  // namespace quarry::resource_example
