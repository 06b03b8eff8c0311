#include "resources/source_host.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace quarry::resources {
namespace {

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
