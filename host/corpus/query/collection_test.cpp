#include "corpus/query/collection.h"

#include <gmock/gmock.h>

namespace quarry::corpus {
namespace {

using ::testing::HasSubstr;

Collection named(std::initializer_list<const char*> names) {
  std::vector<Source> sources;
  for (const char* name : names) sources.push_back({name, nullptr});
  return Collection(std::move(sources));
}

std::string where(const Collection& collection, std::string_view path) {
  const auto place = collection.resolve(path);
  if (!place) return "error: " + place.error().message;
  if (!*place) return "root";
  return std::to_string((*place)->source) + ":" + (*place)->path;
}

TEST(Collection, TakesPathsApart) {
  const Collection two = named({"svelte", "kit"});
  EXPECT_EQ(where(two, "svelte/docs/a.md"), "0:docs/a.md");
  EXPECT_EQ(where(two, "kit"), "1:");
  EXPECT_EQ(where(two, "/kit/./a//b/"), "1:a/b");
  for (const char* root : {"", "/", ".", "./"}) EXPECT_EQ(where(two, root), "root");
}

TEST(Collection, MatchesNamesWhateverTheirCase) {
  EXPECT_EQ(where(named({"Svelte", "kit"}), "sVELTE/Docs"), "0:Docs");
  EXPECT_EQ(where(named({"Svelte", "svelte"}), "svelte/a"), "1:a") << "the same spelling first";
  EXPECT_EQ(where(named({"svelte", "Svelte"}), "svelte/a"), "0:a");
}

TEST(Collection, TellsTheSourceThatAPathNames) {
  const std::vector<std::string> names{"docs", "@scope", "@scope/pkg"};
  EXPECT_EQ(source_named_by(names, "docs/a.md"), 0u);
  EXPECT_EQ(source_named_by(names, "//Docs"), 0u);
  EXPECT_EQ(source_named_by(names, "@scope/pkg/a.js"), 2u);
  EXPECT_EQ(source_named_by(names, "@scope/pk"), 1u);
  for (const char* none : {"", "/", "src/docs", "docs2/a.md", "../docs"}) {
    EXPECT_EQ(source_named_by(names, none), std::nullopt) << none;
  }
}

TEST(Collection, PrefersTheLongestNameThatFits) {
  const Collection nested = named({"@scope", "@scope/pkg", "@scope/pkg-extra"});
  EXPECT_EQ(where(nested, "@scope/pkg/index.js"), "1:index.js");
  EXPECT_EQ(where(nested, "@scope/pkg-extra"), "2:");
  EXPECT_EQ(where(nested, "@scope/other"), "0:other");
}

TEST(Collection, LetsTheNameOfAnOnlySourceBeLeftOut) {
  const Collection one = named({"svelte"});
  EXPECT_EQ(where(one, "docs/a.md"), "0:docs/a.md");
  EXPECT_EQ(where(one, "svelte/docs"), "0:docs");
  EXPECT_EQ(where(one, "svelte-kit"), "0:svelte-kit");
}

TEST(Collection, NamesNearOnesForAnUnknownSource) {
  const auto place = named({"svelte", "kit"}).resolve("svelt/docs");
  EXPECT_EQ(place.error().code, Code::kNotFound);
  EXPECT_THAT(place.error().message, HasSubstr("no resource \"svelt\"; did you mean \"svelte\"?"));
  EXPECT_THAT(place.error().hint, HasSubstr("svelte, kit"));
  EXPECT_THAT(named({}).resolve("a").error().hint, HasSubstr("No resource"));
}

TEST(Collection, RefusesPathsThatLeaveTheirRoot) {
  const Collection one = named({"svelte"});
  EXPECT_EQ(one.resolve("../etc/passwd").error().code, Code::kInvalidArgument);
  EXPECT_EQ(one.resolve("svelte/../../x").error().code, Code::kInvalidArgument);
  EXPECT_EQ(one.resolve(std::string_view("a\0b", 3)).error().code, Code::kInvalidArgument);
}

}  // namespace
}  // namespace quarry::corpus
