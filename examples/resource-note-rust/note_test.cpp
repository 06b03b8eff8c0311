#include <quarry/json.hpp>
#include <quarry/resource.h>
#include <quarry/testing.hpp>

extern "C" {
extern const std::size_t c_layout[];
extern const std::size_t c_layout_size;
std::size_t for_tests_layout(std::size_t* out, std::size_t most);
void for_tests_panic(const quarry_reply* reply);
}

namespace {

using quarry::testing::FakeCall;
using quarry::testing::Reply;
using quarry::testing::Tree;

class NoteTest : public testing::Test {
 protected:
  void fetch(Reply& reply, std::string_view resource) {
    type_->fetch(type_.instance(), call_.get(), quarry::as_text(resource), {}, {}, tree_.get(),
                 reply.get());
  }
  void normalise(Reply& reply, std::string_view resource) {
    type_->normalise(type_.instance(), call_.get(), quarry::as_text(resource), reply.get());
  }

  quarry::testing::Component<quarry_resource_v1> type_{quarry_plugin_entry_v1, QUARRY_RESOURCE,
                                                       "note"};
  FakeCall call_;
  Tree tree_;
};

TEST(Contract, HasTheLayoutOfTheHeaders) {
  std::vector<std::size_t> rust(c_layout_size);
  ASSERT_EQ(for_tests_layout(rust.data(), rust.size()), c_layout_size);
  EXPECT_EQ(rust, std::vector<std::size_t>(c_layout, c_layout + c_layout_size));
}

TEST_F(NoteTest, BecomesAFile) {
  Reply reply;
  fetch(
      reply,
      R"({"type": "note", "list": [{"text": "no"}, "]"], "te\u0078t": "a \"\u00fc\"\n\ud83d\ude00"})");
  EXPECT_EQ(reply.value(), "{}");
  EXPECT_EQ(tree_.files, (std::map<std::string, std::string>{{"note.md", "a \"ü\"\n😀"}}));
}

TEST_F(NoteTest, ThatIsSoundStaysAsItIs) {
  Reply reply;
  normalise(reply, R"({"text": "x"})");
  EXPECT_EQ(reply.value(), R"({"text": "x"})");
}

TEST_F(NoteTest, ThatIsNoneIsNamed) {
  for (const char* const resource : {R"({"text":""})", "{}", R"({"text":7})", R"({"other":"x"})"}) {
    Reply reply;
    normalise(reply, resource);
    EXPECT_EQ(reply.failure().message, "text is empty") << resource;
    EXPECT_NE(reply.failure().details.find(R"("field": "/text")"), std::string::npos);
  }
}

TEST_F(NoteTest, OfBrokenJsonIsSomeReply) {
  const std::string sound = R"({"list": ["a", {"b": "\ud83d\ude00"}], "text": "\\\u00fc"})";
  for (std::size_t size = 0; size < sound.size(); ++size) {
    const std::vector<char> exact(sound.begin(), sound.begin() + static_cast<std::ptrdiff_t>(size));
    Reply reply;
    normalise(reply, {exact.data(), exact.size()});
    if (size + 1 < sound.size()) {  // the last brace alone is not missed
      EXPECT_EQ(reply.failure().status, QUARRY_INVALID_ARGUMENT) << size;
    }
  }
}

TEST_F(NoteTest, ThatIsNotAcceptedFails) {
  tree_.refuse_after(0);
  Reply reply;
  fetch(reply, R"({"text": "x"})");
  EXPECT_EQ(reply.failure().status, QUARRY_RESOURCE_EXHAUSTED);
}

TEST_F(NoteTest, HasOneVersion) {
  Reply reply;
  type_->resolve(type_.instance(), call_.get(), {}, {}, reply.get());
  EXPECT_EQ(quarry::json::string(reply.value(), "id"), "1");
}

TEST_F(NoteTest, DescribesItself) {
  Reply reply;
  type_->describe(type_.instance(), call_.get(), reply.get());
  EXPECT_TRUE(quarry::json::member(reply.value(), "schema"));
}

TEST(Panics, BecomeFailures) {
  const quarry::testing::FakeHost host;
  const FakeCall call;
  Reply opened;
  quarry_plugin_entry_v1.open(host.get(), call.get(), opened.get());
  EXPECT_EQ(opened.value(), "{}");
  testing::internal::CaptureStderr();
  Reply reply;
  for_tests_panic(reply.get());
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(reply.failure().status, QUARRY_INTERNAL);
  EXPECT_EQ(reply.failure().message, "the plugin panicked");
}

}  // namespace
