#include "corpus/query/mentions.h"

#include "base/text.h"

#include <gmock/gmock.h>

namespace quarry::corpus {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<std::string> mentioned_paths(std::string_view question) {
  std::vector<std::string> out;
  for (const Mention& mention : find_mentions(form_of(question)))
    out.push_back(join(mention.parts, "/"));
  return out;
}

/// The best match of all mentions of `question` with a path.
double best_match(std::string_view question, std::string_view path) {
  double best = 0;
  for (const Mention& one : find_mentions(form_of(question))) {
    best = std::max(best, mention_match(one, path));
  }
  return best;
}

TEST(FileMentions, AreFoundInProseTracebacksAndLinks) {
  EXPECT_THAT(mentioned_paths("See `net/http/server.go`, please."), Contains("net/http/server.go"));
  EXPECT_THAT(mentioned_paths("  File \"/usr/lib/python3.11/json/decoder.py\", line 355, in raw"),
              Contains("usr/lib/python3.11/json/decoder.py"));
  EXPECT_THAT(mentioned_paths("    at send (/app/node_modules/fastify/lib/reply.js:163:15)"),
              Contains("app/node_modules/fastify/lib/reply.js"));
  EXPECT_THAT(mentioned_paths("open-uri.rb:253:in `open_loop'"), Contains("open-uri.rb"));
  EXPECT_THAT(mentioned_paths("https://example.org/a/b/lib/hooks.js#L12-L14"),
              Contains(::testing::EndsWith("a/b/lib/hooks.js")));
  EXPECT_THAT(mentioned_paths(".\\src\\main.c(12)"), Contains("src/main.c"));
}

TEST(FileMentions, AreFoundAsModules) {
  EXPECT_THAT(mentioned_paths("django.core.signing.SignatureExpired: too old"),
              Contains("django/core/signing"));
  EXPECT_THAT(mentioned_paths("Why does Net::HTTP retry?"), Contains("net/http"));
}

TEST(FileMentions, AreNotSeenInSentencesAndNumbers) {
  EXPECT_THAT(mentioned_paths("This is the end.And 3.1.0 or 1.5 times; 10/12."),
              ::testing::Not(Contains("3.1.0")));
  EXPECT_THAT(mentioned_paths("How does it end? It does."), IsEmpty());
  EXPECT_THAT(mentioned_paths(""), IsEmpty());
  EXPECT_THAT(mentioned_paths(std::string(100'000, '/')), IsEmpty());
}

TEST(FileMentions, AreBoundedAndCountedOnce) {
  std::string many;
  for (int i = 0; i < 500; ++i) many += "dir/file" + std::to_string(i) + ".c ";
  EXPECT_THAT(find_mentions(form_of(many)), SizeIs(64));
  EXPECT_THAT(find_mentions(form_of("a/b.c a/b.c a/b.c")), SizeIs(1));
}

TEST(FileMentions, KnowTheFirstLine) {
  const auto mentions = find_mentions(form_of("\nfails in a/b.c\nand in c/d.c"));
  ASSERT_THAT(mentions, SizeIs(2));
  EXPECT_EQ(mentions[0].place, PartKind::kTitle);
  EXPECT_EQ(mentions[1].place, PartKind::kBody);
}

TEST(FileMentions, MatchPathsThatEndAlike) {
  EXPECT_EQ(best_match("http/server.go", "net/http/server.go"), 1);
  EXPECT_EQ(best_match("server.go", "net/http/server.go"), 1);
  EXPECT_EQ(best_match("/app/node_modules/fastify/lib/reply.js:1", "lib/reply.js"), 1);
  EXPECT_EQ(best_match("django.core.signing.BadSignature", "django/core/signing.py"), 1);
  EXPECT_EQ(best_match("Net::HTTP", "net/http.rb"), 1);
  EXPECT_EQ(best_match("org.junit.Runner.run(Runner.java:5)", "api/src/org/junit/Runner.java"), 1);
}

TEST(FileMentions, MatchLessWhenOnlyTheEndIsEqual) {
  const double folder = best_match("site-packages/shop/core/cart.py", "src/core/cart.py");
  const double name = best_match("site-packages/shop/core/cart.py", "src/views/cart.py");
  EXPECT_GT(folder, name);
  EXPECT_GT(name, 0);
  EXPECT_LT(folder, 1);
  EXPECT_EQ(best_match("core/cart.py", "src/core/basket.py"), 0);
  EXPECT_EQ(best_match("read/write", "lib/write.js"), 0) << "alternatives, not a path";
}

}  // namespace
}  // namespace quarry::corpus
