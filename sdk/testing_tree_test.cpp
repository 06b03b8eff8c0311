#include <quarry/testing_tree.hpp>

#include <gtest/gtest-spi.h>

namespace {

using quarry::testing::Tree;

class KitTree : public ::testing::Test {
 protected:
  quarry_status add(std::string_view path, std::string_view bytes = "text") {
    return tree_.get()->add_file(tree_.get(), quarry::as_text(path), quarry::as_text(bytes));
  }
  quarry_status describe(std::string_view permalink, std::string_view title = {},
                         std::string_view media_type = {}) {
    const quarry_file file{sizeof file,
                           0,
                           quarry::as_text("a"),
                           quarry::as_text(permalink),
                           quarry::as_text(title),
                           quarry::as_text(media_type)};
    return tree_.get()->add_described(tree_.get(), &file, quarry::as_text("text"));
  }

  Tree tree_;
};

TEST_F(KitTree, StaysRefusedAfterTheFirstRefusal) {
  EXPECT_EQ(add("a"), QUARRY_OK);
  EXPECT_EQ(add("../b"), QUARRY_INVALID_ARGUMENT);
  EXPECT_EQ(add("c"), QUARRY_INVALID_ARGUMENT);
  EXPECT_EQ(tree_.get()->keep_file(tree_.get(), quarry::as_text("d")), QUARRY_INVALID_ARGUMENT);
  EXPECT_EQ(tree_.failure().message, "the path \"../b\" leaves its root with \"..\"");
  EXPECT_EQ(tree_.files.size(), 1u);
}

TEST_F(KitTree, RefusesAFileWithAReservedValue) {
  const quarry_file file{sizeof file, 1, quarry::as_text("a"), {}, {}, {}};
  EXPECT_EQ(tree_.get()->add_described(tree_.get(), &file, quarry::as_text("text")),
            QUARRY_INVALID_ARGUMENT);
  EXPECT_EQ(tree_.failure().message, "quarry_file.reserved is 1 and must be 0");
  EXPECT_TRUE(tree_.files.empty());
}

TEST(KitTreeAlone, ARefusalThatNoTestReadsIsCaught) {
  EXPECT_NONFATAL_FAILURE(
      {
        Tree tree;
        tree.get()->add_link(tree.get(), quarry::as_text("/a"));
      },
      "the host fails this fetch: the path \"/a\" is absolute");
}

TEST_F(KitTree, IsClearedForTheNextFetch) {
  EXPECT_EQ(add("a"), QUARRY_OK);
  EXPECT_EQ(add("a"), QUARRY_INVALID_ARGUMENT);
  EXPECT_NONFATAL_FAILURE(tree_.clear(), "the path \"a\" was added twice");
  EXPECT_EQ(tree_.failure().status, QUARRY_OK);
  EXPECT_TRUE(tree_.files.empty());
  EXPECT_EQ(add("a"), QUARRY_OK);
}

TEST_F(KitTree, ListsAFileThatIsTooLarge) {
  EXPECT_EQ(tree_.get()->add_large(tree_.get(), quarry::as_text("a"), 5u << 20), QUARRY_OK);
  EXPECT_EQ(tree_.large.at("a"), 5u << 20);
  EXPECT_EQ(add("a"), QUARRY_INVALID_ARGUMENT) << "added before";
  EXPECT_EQ(tree_.failure().message, "the path \"a\" was added twice");
}

TEST_F(KitTree, AFullTreeNeedsNoReader) {
  tree_.refuse_after(1);
  EXPECT_EQ(add("a"), QUARRY_OK);
  EXPECT_EQ(tree_.get()->add_directory(tree_.get(), quarry::as_text("/d")),
            QUARRY_RESOURCE_EXHAUSTED);
}

TEST_F(KitTree, KeepsAFileOfTheLastSnapshot) {
  tree_.last["a"] = "before";
  EXPECT_EQ(tree_.get()->keep_file(tree_.get(), quarry::as_text("b")), QUARRY_NOT_FOUND);
  EXPECT_EQ(tree_.get()->keep_file(tree_.get(), quarry::as_text("a")), QUARRY_OK);
  EXPECT_EQ(tree_.files.at("a"), "before");
}

TEST_F(KitTree, IsNotBothFilledAndReadInPlace) {
  EXPECT_EQ(tree_.get()->use_in_place(tree_.get(), quarry::as_text("/d")), QUARRY_OK);
  EXPECT_EQ(tree_.in_place, "/d");
  EXPECT_EQ(add("a"), QUARRY_INTERNAL);
  EXPECT_EQ(tree_.failure().message,
            "the resource type both adds files and reads a folder in place");
}

TEST_F(KitTree, IsNotReadInPlaceAfterAFile) {
  EXPECT_EQ(add("a"), QUARRY_OK);
  EXPECT_EQ(tree_.get()->use_in_place(tree_.get(), quarry::as_text("/d")), QUARRY_INTERNAL);
  EXPECT_EQ(tree_.failure().status, QUARRY_INTERNAL);
}

TEST_F(KitTree, TakesAbsoluteDirectoriesOnly) {
  EXPECT_EQ(tree_.get()->add_directory(tree_.get(), quarry::as_text("/d")), QUARRY_OK);
  EXPECT_EQ(tree_.get()->add_directory(tree_.get(), quarry::as_text("d")), QUARRY_INTERNAL);
  EXPECT_EQ(tree_.failure().message, "the resource type adds a relative directory");
  EXPECT_EQ(tree_.directories, std::vector<std::string>{"/d"});
}

TEST_F(KitTree, KeepsFactsWithinTheirLimits) {
  const std::string url = "https://a.example/" + std::string(2048 - 18, 'x');
  EXPECT_EQ(describe(url, std::string(300, 't'), std::string(100, 'm')), QUARRY_OK);
  EXPECT_EQ(tree_.facts.at("a").permalink, url);
}

TEST_F(KitTree, RefusesFactsBeyondTheirLimits) {
  const std::string url = "https://a.example/" + std::string(2048 - 17, 'x');
  EXPECT_EQ(describe(url), QUARRY_INTERNAL);
  EXPECT_EQ(tree_.failure().message, "the plugin gave a file a permalink of more than 2048 bytes");
}

TEST_F(KitTree, RefusesALongTitle) {
  EXPECT_EQ(describe("", std::string(301, 't')), QUARRY_INTERNAL);
  EXPECT_EQ(tree_.failure().message, "the plugin gave a file a title of more than 300 bytes");
}

TEST_F(KitTree, RefusesALongMediaType) {
  EXPECT_EQ(describe("", "", std::string(101, 'm')), QUARRY_INTERNAL);
  EXPECT_EQ(tree_.failure().message, "the plugin gave a file a media type of more than 100 bytes");
}

TEST_F(KitTree, RefusesAPermalinkThatIsNoUrl) {
  EXPECT_EQ(describe("ftp://a.example"), QUARRY_INTERNAL);
  EXPECT_EQ(tree_.failure().message,
            "the plugin gave a file a permalink that is no http or https URL");
}

TEST(TreeRules, TellUtf8FromOtherBytes) {
  for (const char* text : {"", "a", "ü", "€", "𝄞", "\xef\xbf\xbf", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_TRUE(quarry::detail::is_utf8(text)) << text;
  }
  for (const char* text :
       {"\x80", "\xc1\xbf", "\xc3", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf",
        "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xe2\x82", "a\xffz"}) {
    EXPECT_FALSE(quarry::detail::is_utf8(text));
  }
}

}  // namespace
