#include "resources/source_host.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace quarry::resources {
namespace {

TEST(SourceHost, IsTheSameHoweverTheUrlWritesIt) {
  for (const char* url : {"https://Example.org/a", "https://example.org:8443/b?c",
                          "http://user:word@example.org./d", "ssh://git@EXAMPLE.ORG#x"}) {
    EXPECT_EQ(host_of_url(url), "example.org") << url;
  }
  EXPECT_EQ(host_of_url("https://[::1]:80/a"), "::1");
  EXPECT_EQ(host_of_url("https://[::1"), "::1");
}

TEST(SourceHost, IsNoneOfWhatIsNoUrl) {
  for (const char* text : {"", "react", "example.org/a", "://a", "a b://c", "https://", "/a://b"}) {
    EXPECT_EQ(host_of_url(text), "") << text;
  }
}

TEST(SourceHost, ComesFromTheFirstMemberThatIsAUrl) {
  EXPECT_EQ(source_host({{"type", "fake"}, {"branch", "main"}, {"url", "https://a.example/x"}}),
            "a.example");
  EXPECT_EQ(source_host({{"type", "fake"}, {"list", {"https://no.example"}}, {"n", 1}}), "fake");
}

TEST(SourceHost, IsNotWhatTheNotesForPeopleName) {
  EXPECT_EQ(source_host({{"type", "fake"},
                         {"name", "a://one.example"},
                         {"specialNotes", "https://two.example"},
                         {"url", "https://three.example"}}),
            "three.example");
}

}  // namespace
}  // namespace quarry::resources
