#include "plugins/registry.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/text.h"
#include "plugins/module.h"
#include "plugins/testing/plugins_fixture.h"

#include <quarry/model.h>
#include <quarry/resource.h>

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <fstream>
#include <quarry_places.h>
#include <set>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

namespace quarry::plugins {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

TEST_F(Plugins, ADraftKindNeedsPermissionUnlessItCameWithTheHost) {
  const auto directory = add("hello");
  edit(directory / "plugin.toml", "quarry.resource/1", "quarry.symbols.draft/1");
  EXPECT_THAT(problem(),
              HasSubstr("offers quarry.symbols.draft/1 \"hello\", a kind that is a draft"));
  options_.drafts = true;
  EXPECT_THAT(problem(), HasSubstr("its manifest does not list")) << "the checks go on";
  options_.drafts = false;
  options_.own_directories = 1;
  EXPECT_THAT(problem(), HasSubstr("its manifest does not list"));
}

TEST_F(Plugins, AreIsolatedUnlessTheyCameWithTheHostOrTheOwnerSaysOtherwise) {
  const auto directory = add("hello");
  std::vector<std::string> isolated;
  const auto isolated_now = [&] {
    isolated.clear();
    static_cast<void>(Registry::load(options_));
    return isolated;
  };
  options_.isolate = [&](const Manifest& manifest) -> Result<std::shared_ptr<Module>> {
    isolated.push_back(manifest.id);
    return Error(Code::kUnsupported, "only noted");
  };
  const std::vector<std::string> hello{"org.example.hello"};
  EXPECT_EQ(isolated_now(), hello);
  options_.isolation["org.example.hello"] = "none";
  EXPECT_TRUE(isolated_now().empty());
  options_.isolation.clear();
  options_.own_directories = 1;
  EXPECT_TRUE(isolated_now().empty());
  edit(directory / "plugin.toml", "format = 1", "format = 1\nisolation = \"process\"");
  EXPECT_EQ(isolated_now(), hello);
  options_.isolation["org.example.hello"] = "none";
  EXPECT_TRUE(isolated_now().empty());
  options_.isolation["org.example.hello"] = "process";
  EXPECT_EQ(isolated_now(), hello);
}

class FilesInMemory final : public Tree {
 public:
  Status add_file(std::string_view path, std::string_view bytes) override {
    if (refuse) return Error(Code::kResourceExhausted, "the disk is full");
    files[std::string(path)] = bytes;
    return {};
  }
  Status add_described(std::string_view path, std::string_view bytes, FileFacts) override {
    return add_file(path, bytes);
  }
  Result<bool> keep_file(std::string_view) override { return false; }
  Status add_directory(const fs::path&) override { return {}; }
  [[nodiscard]] std::uint64_t file_limit() const override { return 1; }
  Status add_large(std::string_view, std::uint64_t) override { return {}; }
  Status add_link(std::string_view) override { return {}; }
  Status use_in_place(const fs::path&) override { return {}; }
  Result<std::string_view> scratch() override { return std::string_view("/nowhere"); }

  std::map<std::string, std::string> files;
  bool refuse = false;
};

TEST_F(Plugins, AResourceOfAPluginIsResolvedAndFetched) {
  add("hello");
  const auto registry = Registry::load(options_);
  ASSERT_TRUE(registry->problems().empty()) << registry->problems().front().message;
  EXPECT_EQ(registry->names(QUARRY_RESOURCE), std::vector<std::string>{"hello"});
  const auto type = registry->make_resource_type("hello", "{}");
  ASSERT_TRUE(type) << type.error().message;
  EXPECT_EQ((*type)->describe().title, "Greeting");
  const Json resource{{"type", "hello"}, {"name", "mine"}};
  EXPECT_EQ(*(*type)->normalise({}, resource), resource);
  const auto version = (*type)->resolve({}, resource, {});
  ASSERT_TRUE(version);
  EXPECT_TRUE(version->immutable);
  FilesInMemory files;
  ASSERT_TRUE((*type)->fetch({}, resource, *version, {}, files));
  EXPECT_THAT(files.files["hello.md"], HasSubstr("Welcome"));
}

TEST_F(Plugins, TheHostsOwnFailureEndsAFetch) {
  add("hello");
  const auto type = Registry::load(options_)->make_resource_type("hello", "{}");
  ASSERT_TRUE(type);
  FilesInMemory files;
  files.refuse = true;
  const auto fetched = (*type)->fetch({}, Json::object(), {.id = "1", .display = "1"}, {}, files);
  ASSERT_FALSE(fetched);
  EXPECT_EQ(fetched.error().message, "the disk is full");
}

TEST_F(Plugins, AnUnknownNameIsAnsweredWithTheNearest) {
  add("hello");
  const auto made = Registry::load(options_)->make_resource_type("helo", "{}");
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().hint, HasSubstr("\"hello\""));
}

TEST_F(Plugins, ListingRunsNoCode) {
  add("exits");
  const auto found = find_plugins(options_.directories);
  ASSERT_EQ(found.manifests.size(), 1u);
  EXPECT_EQ(found.manifests.front().id, "org.example.exits");
}

TEST_F(Plugins, AnInitialiserThatExitsThrowsHangsOrCrashesIsAProblem) {
  for (const auto& [name, words] :
       std::map<std::string, std::string>{{"exits", "exited with status 7"},
                                          {"throws", "signal 6"},
                                          {"hangs", "did not end within 200 ms"},
                                          {"closes", "signal 9"},
                                          {"crashes", "signal 4"}}) {
    const auto directory = add(name);
    options_.probe_limit = name == "hangs" ? std::chrono::milliseconds(100) : kProbeLimit;
    EXPECT_THAT(problem(), HasSubstr(words)) << name;
    fs::remove_all(directory);
  }
}

TEST_F(Plugins, AMissingFileIsAProblem) {
  fs::remove(add("hello") / "hello.so");
  EXPECT_THAT(problem(), HasSubstr("hello.so"));
}

TEST_F(Plugins, AWrongDigestIsAProblem) {
  std::ofstream(add("hello") / "hello.so", std::ios::app) << "x";
  EXPECT_THAT(problem(), HasSubstr("its manifest says"));
}

template <class Entry>
Entry table_entry(const std::string& bytes, std::uint64_t table, std::size_t index) {
  Entry entry;
  std::memcpy(&entry, bytes.data() + table + index * sizeof entry, sizeof entry);
  return entry;
}

/// Steps of 1 % of a shared object, and the edges of its headers, segments and sections, each with
/// the offsets before and after it.
std::set<std::uint64_t> places_to_cut(const std::string& bytes) {
  std::set<std::uint64_t> edges{0};
  for (std::uint64_t percent = 0; percent < 100; ++percent) {
    edges.insert(bytes.size() * percent / 100);
  }
  const auto add = [&](std::uint64_t offset, std::uint64_t size) {
    edges.insert({offset, offset + size});
  };
  const auto header = table_entry<Elf64_Ehdr>(bytes, 0, 0);
  add(0, sizeof header);
  add(header.e_phoff, header.e_phnum * sizeof(Elf64_Phdr));
  add(header.e_shoff, header.e_shnum * sizeof(Elf64_Shdr));
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    const auto segment = table_entry<Elf64_Phdr>(bytes, header.e_phoff, i);
    add(segment.p_offset, segment.p_filesz);
  }
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    const auto section = table_entry<Elf64_Shdr>(bytes, header.e_shoff, i);
    add(section.sh_offset, section.sh_type == SHT_NOBITS ? 0 : section.sh_size);
  }
  std::set<std::uint64_t> places;
  for (const auto edge : edges) {
    for (const auto size : {edge - 1, edge, edge + 1}) {
      if (size < bytes.size()) places.insert(size);
    }
  }
  return places;
}

/// Cuts the plugin's file at every place and checks that it is refused.
void expect_prefixes_refused(Manifest manifest, const fs::path& file) {
  const auto bytes = *read_file(manifest.file);
  manifest.file = file;
  const auto places = places_to_cut(bytes);
  EXPECT_GT(places.size(), 200u);
  EXPECT_TRUE(places.contains(bytes.size() - 1));
  for (const auto size : places) {
    const auto part = bytes.substr(0, size);
    std::ofstream(file, std::ios::binary | std::ios::trunc) << part;
    manifest.sha256 = sha256_hex(part);
    const auto copy = copy_module(manifest);
    ASSERT_FALSE(copy) << size << " of " << bytes.size();
    EXPECT_THAT(copy.error().message, HasSubstr("not a whole shared object")) << size;
    EXPECT_THAT(copy.error().message, HasSubstr(manifest.id));
    EXPECT_FALSE(copy.error().hint.empty()) << size;
  }
}

TEST_F(Plugins, ATruncatedFileNeverReachesTheLinker) {
  // A C plugin, and a bundled one with thread-local data, exceptions and libraries.
  for (const auto& manifest :
       {add("hello") / "plugin.toml",
        fs::path(QUARRY_BUILD_DIR) / "lib/quarry/plugins/resource-local/plugin.toml"}) {
    expect_prefixes_refused(*read_manifest(manifest), root_ / "truncated.so");
  }
}

TEST_F(Plugins, AnotherMajorNamesBothVersions) {
  edit(add("hello") / "plugin.toml", "built_for = \"1.0\"", "built_for = \"2.0\"");
  EXPECT_THAT(problem(), ::testing::AllOf(HasSubstr("2.0"), HasSubstr("1.0")));
}

TEST_F(Plugins, ANewerMinimumNamesBothVersions) {
  edit(add("hello") / "plugin.toml", "minimum = \"1.0\"", "minimum = \"1.9\"");
  EXPECT_THAT(problem(), ::testing::AllOf(HasSubstr("1.9"), HasSubstr("1.0")));
}

TEST_F(Plugins, IdsOfTheProgramsPluginsAreItsOwn) {
  edit(add("hello") / "plugin.toml", "id = \"org.example.hello\"", "id = \"io.quarry.hello\"");
  EXPECT_THAT(problem(), HasSubstr("ids that begin with \"io.quarry.\" are those of the program"));
  options_.own_directories = 1;
  EXPECT_THAT(problem(), HasSubstr("calls itself")) << "the checks go on";
}

TEST_F(Plugins, CodeThatDisagreesWithItsManifestIsAProblem) {
  edit(add("hello") / "plugin.toml", "version = \"1.0.0\"", "version = \"1.0.1\"");
  EXPECT_THAT(problem(), HasSubstr("it says version 1.0.0, its manifest 1.0.1"));
}

TEST_F(Plugins, EachDisagreementOfCodeAndManifestIsNamed) {
  const Edit edits[] = {
      {"id = \"org.example.hello\"", "id = \"org.example.other\"", "calls itself"},
      {"built_for = \"1.0\"", "built_for = \"1.1\"", "different versions"},
      {"name = \"hello\"", "name = \"other\"", "its manifest does not list"},
      {"quarry.resource/1", "quarry.model/1", "its manifest does not list"},
      {"[permissions]",
       "[[component]]\nkind = \"quarry.model/1\"\nname = \"more\"\n\n[permissions]",
       "offers 1 components, its manifest lists 2"}};
  expect_problems(edits);
}

TEST_F(Plugins, AMissingSymbolIsNamed) {
  add("incomplete");
  EXPECT_THAT(problem(), HasSubstr("a_function_nobody_has"));
}

TEST_F(Plugins, WhatIsExportedBesideTheEntryIsNamed) {
  add("two-symbols");
  EXPECT_THAT(problem(), HasSubstr("another_symbol"));
}

TEST_F(Plugins, WhatEverybodyMayWriteIsNotLoaded) {
  for (const auto* name : {"", "plugin.toml", "hello.so"}) {
    const auto directory = add("hello");
    const auto path = *name == '\0' ? directory : directory / name;
    ::chmod(path.c_str(), 0777);
    EXPECT_EQ(problem(), "plugin org.example.hello is not loaded: " + path.string() +
                             " is writable by everyone");
    fs::remove_all(directory);
  }
}

TEST_F(Plugins, BadOnesAreNamedAndTheOthersLoad) {
  const std::vector<std::string> bad{"exits", "throws", "crashes", "incomplete", "two-symbols"};
  for (const auto& name : bad) add(name);
  add("hello");
  add("misbehaves");
  const auto registry = Registry::load(options_);
  EXPECT_THAT(registry->names(QUARRY_RESOURCE), ::testing::ElementsAre("hello", "misbehaves"));
  EXPECT_TRUE(registry->make_resource_type("hello", "{}"));
  ASSERT_EQ(registry->problems().size(), bad.size());
  for (const auto& name : bad) {
    EXPECT_TRUE(std::ranges::any_of(registry->problems(), [&](const Error& problem) {
      return problem.message.find("org.example." + name) != std::string::npos &&
             !problem.hint.empty();
    })) << name;
  }
}

TEST_F(Plugins, ADirectoryEverybodyMayWriteIsNotRead) {
  add("hello");
  ::chmod((root_ / "plugins").c_str(), 0777);
  EXPECT_THAT(problem(), HasSubstr("writable by everyone"));
}

TEST_F(Plugins, ARelativeDirectoryIsNotSearched) {
  options_.directories = {"plugins"};
  EXPECT_THAT(problem(), HasSubstr("relative"));
}

TEST_F(Plugins, APinHoldsTheFile) {
  add("hello");
  options_.pinned["org.example.hello"] = std::string(64, '0');
  EXPECT_THAT(problem(), HasSubstr("pinned"));
}

TEST_F(Plugins, TheSamePluginTwiceIsAProblem) {
  add("hello");
  fs::copy(root_ / "plugins" / "hello", root_ / "plugins" / "hello-again");
  EXPECT_THAT(problem(), HasSubstr("is loaded from"));
}

TEST_F(Plugins, AProbedFileIsNotProbedAgain) {
  add("hello");
  EXPECT_EQ(problem(), "0 problems");
  options_.probe_command = {"/nonexistent"};
  EXPECT_EQ(problem(), "0 problems");
}

/// A command that notes the plugins that it probes, a line for each run.
std::vector<std::string> noting_command(const fs::path& folder) {
  const auto script = folder / "probe";
  std::ofstream(script) << "#!/bin/sh\necho \"$@\" >> " << folder.string()
                        << "/probes\nexec " QUARRY_BUILD_DIR
                           "/bin/quarry-validate --probe \"$@\"\n";
  fs::permissions(script, fs::perms::owner_all);
  return {script.string()};
}

TEST_F(Plugins, ThoseOfTheHostAreLoadedWithoutAProbe) {
  options_.own_directories = 1;
  options_.probe_command = noting_command(root_);
  add("hello");
  add("parts");
  EXPECT_EQ(problem(), "0 problems");
  EXPECT_FALSE(fs::exists(root_ / "probes"));
}

TEST_F(Plugins, ThoseOfOthersAreProbedEachByItself) {
  options_.probe_command = noting_command(root_);
  add("hello");
  add("models");
  EXPECT_EQ(problem(), "0 problems");
  EXPECT_EQ(std::ranges::count(*read_file(root_ / "probes"), '\n'), 2);
}

TEST_F(Plugins, PrivateCopiesGoWithTheirPlugins) {
  add("hello");
  const auto copies = [] {
    const auto is_copy = [](const fs::directory_entry& descriptor) {
      std::error_code closed;
      return fs::read_symlink(descriptor, closed).string().starts_with("/memfd:org.example.hello");
    };
    return std::ranges::count_if(fs::directory_iterator("/proc/self/fd"), is_copy);
  };
  const auto maps = [] { return *read_file("/proc/self/maps"); };
  ASSERT_EQ(copies(), 0);
  {
    const auto registry = Registry::load(options_);
    EXPECT_EQ(copies(), 1);
    EXPECT_THAT(maps(), HasSubstr("/memfd:org.example.hello"));
  }
  EXPECT_EQ(copies(), 0);
  EXPECT_THAT(maps(), ::testing::Not(HasSubstr("/memfd:org.example.hello")));
}

TEST_F(Plugins, WhatAPluginAnswersWrongIsItsFault) {
  add("misbehaves");
  const auto type = Registry::load(options_)->make_resource_type("misbehaves", "{}");
  ASSERT_TRUE(type) << type.error().message;
  for (const auto& [mode, words] :
       std::map<std::string, std::string>{{"none", "without an outcome"},
                                          {"twice", "more than one outcome"},
                                          {"garbage", "reply is not"},
                                          {"bad-utf8", "reply is not"},
                                          {"huge", "bytes, more than"},
                                          {"throws", "thrown on purpose"}}) {
    const auto answer = (*type)->normalise({}, Json{{"mode", mode}});
    ASSERT_FALSE(answer) << mode;
    EXPECT_THAT(answer.error().message, HasSubstr(words)) << mode;
  }
}

TEST_F(Plugins, AComponentThatCannotBeMadeSaysWhy) {
  add("misbehaves");
  const auto made = Registry::load(options_)->make_resource_type("misbehaves", R"({"fail":true})");
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().message, HasSubstr("refused on purpose"));
}

}  // namespace
}  // namespace quarry::plugins
