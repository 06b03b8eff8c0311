#include "authoring/plugin_project.h"

#include "base/file.h"
#include "base/text.h"

#include <quarry_places.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::authoring {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

const fs::path kTemplates = QUARRY_SOURCE_DIR "/sdk/templates";

PluginProject my_wiki() {
  return {"resource", "c++", "my-wiki", "org.example.my-wiki", "/work/my-wiki"};
}

Error refused(const PluginProject& project, const fs::path& templates = kTemplates) {
  const auto files = plugin_files(project, templates);
  return files ? Error{Code::kOk, "accepted"} : files.error();
}

/// A folder of templates with one, "resource-c++", of one file.
class PluginTemplates : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = *make_temp_directory(fs::temp_directory_path(), "quarry-templates-");
    fs::create_directories(folder() / "src");
  }
  void TearDown() override { fs::remove_all(root_); }

  [[nodiscard]] fs::path folder() const { return root_ / "resource-c++"; }
  Result<FolderFiles> made_of(const fs::path& name, std::string_view text) {
    if (Status written = write_file_atomically(folder() / name, text); !written) {
      return written.error();
    }
    return plugin_files(my_wiki(), root_);
  }

  fs::path root_;
};

TEST(PluginProjects, HaveAClassNamedAfterTheComponent) {
  EXPECT_EQ(class_name("my-wiki"), "MyWiki");
  EXPECT_EQ(class_name("wiki"), "Wiki");
  EXPECT_EQ(class_name("a--2-b3-"), "A2B3");
}

TEST(PluginProjects, CanBeMadeFromEveryTemplate) {
  std::size_t made = 0;
  for (const auto& entry : fs::directory_iterator(kTemplates)) {
    if (!entry.is_directory()) continue;
    PluginProject project = my_wiki();
    const std::string folder = entry.path().filename();
    project.kind = folder.substr(0, folder.find('-'));
    project.language = folder.substr(folder.find('-') + 1);
    const auto files = plugin_files(project, kTemplates);
    ASSERT_TRUE(files) << files.error().message;
    for (const char* name : {"CMakeLists.txt", "README.md", "schema.json", "my_wiki_test.cpp"}) {
      EXPECT_TRUE(files->contains(name)) << folder << " has no " << name;
    }
    EXPECT_THAT(files->at("README.md"),
                HasSubstr("plugin_path = [\"/work/my-wiki/build/lib/quarry/plugins\"]"));
    for (const auto& [name, text] : *files) EXPECT_THAT(name + text, Not(HasSubstr("@"))) << name;
    ++made;
  }
  EXPECT_GE(made, 6U);
}

/// The examples are what the command writes, but for their build files.
TEST(PluginProjects, AreTheExamples) {
  const struct {
    const char* example;
    PluginProject project;
  } kRows[] = {
      {"resource-notes-cpp", {"resource", "c++", "notes", "org.example.notes", "/x"}},
      {"resource-note-c", {"resource", "c", "note", "org.example.note", "/x"}},
      {"resource-note-rust", {"resource", "rust", "note", "org.example.note-rust", "/x"}},
      {"model-lines-cpp", {"model", "c++", "lines", "org.example.lines", "/x"}},
  };
  for (const auto& [example, project] : kRows) {
    const auto files = plugin_files(project, kTemplates);
    ASSERT_TRUE(files) << files.error().message;
    for (const auto& [name, text] : *files) {
      if (name == "README.md" || name == "CMakeLists.txt") continue;
      const auto there = read_file(fs::path(QUARRY_SOURCE_DIR "/examples") / example / name);
      ASSERT_TRUE(there) << there.error().message;
      EXPECT_EQ(*there, text) << example << "/" << name;
    }
  }
}

TEST(PluginProjects, NameTheArgumentThatIsWrong) {
  PluginProject project = my_wiki();
  for (const char* name : {"", "My Wiki", "-a", "1a", "a/b", "../a", "a@b", "ä"}) {
    project.name = name;
    EXPECT_THAT(refused(project).message, HasSubstr("name: \"")) << name;
    EXPECT_THAT(refused(project).hint, HasSubstr("lower-case")) << name;
  }
  project = my_wiki();
  for (const char* id : {"", "wiki", "Org.example", "org..example", "org.example.", "org.a\"b"}) {
    project.id = id;
    EXPECT_THAT(refused(project).message, HasSubstr("--id: \"")) << id;
    EXPECT_THAT(refused(project).hint, HasSubstr("org.example.my-wiki")) << id;
  }
}

TEST(PluginProjects, OfferWhatThereIs) {
  PluginProject project = my_wiki();
  project.kind = "resorce";
  EXPECT_EQ(refused(project).message,
            "kind: there is no template of \"resorce\"; did you mean \"resource\"?");
  EXPECT_THAT(refused(project).hint, HasSubstr("resource (c, c++"));
  project.kind = "../resource";
  EXPECT_EQ(refused(project).code, Code::kInvalidArgument);
  project.kind = "model";
  project.language = "c";
  EXPECT_EQ(refused(project).message, "--language: there is no template of kind model in \"c\"");
  EXPECT_THAT(refused(project).hint, HasSubstr("c++"));
  for (const char* kind : {"model", "pricing", "transport"}) {
    project.kind = kind;
    project.language = "rust";
    EXPECT_EQ(refused(project).message,
              "--language: there is no template of kind " + std::string(kind) + " in \"rust\"");
    EXPECT_EQ(refused(project).hint, "There are: c++.");
  }
}

TEST(PluginProjects, SayWhereTemplatesWereSearched) {
  const Error error = refused(my_wiki(), "/nowhere/share/quarry/templates");
  EXPECT_EQ(error.code, Code::kNotFound);
  EXPECT_THAT(error.message, HasSubstr("/nowhere/share/quarry/templates: No such file"));
  EXPECT_THAT(error.hint, HasSubstr("--prefix /nowhere --component sdk"));
}

TEST_F(PluginTemplates, AreFilledInNamesAndTexts) {
  const auto files =
      made_of("src/@identifier@.rs", "@name@ @Name@ @id@ @folder@ a@b @ @1@ @@name@");
  ASSERT_TRUE(files) << files.error().message;
  EXPECT_EQ(*files, (FolderFiles{{"src/my_wiki.rs",
                                  "my-wiki MyWiki org.example.my-wiki /work/my-wiki a@b @ @1@ "
                                  "@my-wiki"}}));
}

TEST_F(PluginTemplates, EscapeTheFolderForAQuotedText) {
  ASSERT_TRUE(write_file_atomically(folder() / "README.md", "\"@folder@\""));
  PluginProject project = my_wiki();
  project.folder = "/a \"b\"\\c";
  EXPECT_EQ(plugin_files(project, root_)->at("README.md"), R"("/a \"b\"\\c")");
}

TEST_F(PluginTemplates, WithAnUnknownPlaceholderAreRefused) {
  const auto text = made_of("a.txt", "x @other@ y");
  ASSERT_FALSE(text);
  EXPECT_THAT(text.error().message, HasSubstr("a.txt cannot be used: unknown placeholder @other@"));
  fs::remove(folder() / "a.txt");
  EXPECT_THAT(made_of("@other@.txt", "").error().message, HasSubstr("@other@"));
}

TEST_F(PluginTemplates, WithAFileThatCannotBeReadAreRefused) {
  fs::create_symlink("nowhere", folder() / "link");
  EXPECT_THAT(made_of("a.txt", "").error().message, HasSubstr("link"));
}

TEST_F(PluginTemplates, AreMissingWhereThereIsNoFolder) {
  fs::remove_all(folder());
  EXPECT_THAT(refused(my_wiki(), root_).message, HasSubstr("no templates were found in"));
}

}  // namespace
}  // namespace quarry::authoring
