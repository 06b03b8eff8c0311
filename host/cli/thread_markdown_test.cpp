#include "cli/thread_markdown.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace quarry::cli {
namespace {

using ::testing::HasSubstr;

Json citation(const char* path, int start, int end) {
  return {{"resource", "docs"}, {"path", path},    {"startLine", start},
          {"endLine", end},     {"version", "v1"}, {"verified", true}};
}

std::string exported(Json turn) {
  return thread_markdown({{"id", "t"},
                          {"title", "How?"},
                          {"created", "2026-11-22T13:49:05Z"},
                          {"updated", "2026-11-22T13:50:05Z"},
                          {"turns", Json::array({std::move(turn)})}});
}

TEST(ThreadMarkdown, HasNumberedSourcesModelDateCostAndVersions) {
  Json linked = citation("a.md", 3, 3);
  linked["url"] = "https://example.org/a.md#L3";
  Json unsure = citation("b.md", 0, 0);
  unsure["verified"] = false;
  unsure.erase("version");
  EXPECT_EQ(exported({{"question", "How?\nReally?"},
                      {"answer", "So [docs:a.md#L3], and so [docs:b.md] but [not:this]."},
                      {"status", "answered"},
                      {"finishReason", "stop"},
                      {"asked", "2026-11-22T13:49:05Z"},
                      {"model", {{"provider", "openai"}, {"model", "gpt-x"}}},
                      {"costUsd", 0.00102},
                      {"citations", {linked, unsure}},
                      {"snapshots", {{{"resource", "docs"}, {"version", "v1"}}}}}),
            "# How?\n\nConversation t, 2026-11-22T13:49:05Z to 2026-11-22T13:50:05Z\n"
            "\n> How?\n> Really?\n"
            "\nSo [1], and so [2] but [not:this].\n"
            "\nSources:\n\n1. [docs/a.md:3 (v1)](<https://example.org/a.md#L3>)\n"
            "2. docs/b.md, not verified\n"
            "\n*2026-11-22T13:49:05Z, openai/gpt-x, $0.00102, docs v1*\n");
}

TEST(ThreadMarkdown, NumbersTheCitationWhoseLinesAreMeant) {
  const Json turn = {{"question", "How?"},
                     {"answer", "[docs:a.md#L3-L9] [docs:a.md#L3]"},
                     {"citations", {citation("a.md", 3, 3), citation("a.md", 3, 9)}}};
  EXPECT_THAT(exported(turn), HasSubstr("\n[1] [2]\n\nSources:\n\n1. docs/a.md:3-9 (v1)\n"));
}

TEST(ThreadMarkdown, SaysHowATurnEndedAndThatItsSourcesWereNotKept) {
  EXPECT_THAT(exported({{"question", "How?"}, {"answer", "So"}, {"finishReason", "cancelled"}}),
              HasSubstr("\nSo\n\n(incomplete: cancelled)\n"
                        "\nThe sources of this answer were not kept.\n"));
  EXPECT_THAT(exported({{"question", "How?"},
                        {"answer", ""},
                        {"citations", Json::array()},
                        {"error", {{"message", "no model"}}}}),
              HasSubstr("\n(failed: no model)\n"));
}

TEST(ThreadMarkdown, SourcesAreOneALine) {
  EXPECT_EQ(sources_text({{"citations", {citation("a.md", 3, 9)}}}), "[1] docs/a.md:3-9 (v1)\n");
  EXPECT_EQ(sources_text({{"answer", "so"}}), "");
}

}  // namespace
}  // namespace quarry::cli
