#include "base/testing/waiting.h"
#include "resources/testing/setting.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::resources {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(Library, FetchesASourceAndAnswersFromItsSnapshot) {
  Setting setting;
  const auto prepared = setting.prepare();
  ASSERT_TRUE(prepared) << prepared.error().message;
  EXPECT_EQ(text_of(*prepared, "a.txt"), "alpha\n");
  EXPECT_EQ(prepared->name, "docs");
  EXPECT_EQ(prepared->version, "v1");
  EXPECT_EQ(prepared->display, "version 1");
  EXPECT_EQ(prepared->permalink, "https://example.org/{version}/{path}");
  EXPECT_EQ(prepared->fetched_at, std::chrono::floor<std::chrono::seconds>(setting.clock.now()));
  EXPECT_EQ(prepared->stale, "");
  EXPECT_EQ(Json::parse(prepared->resource), kFake);
}

TEST(Library, TellsWhatTheSourceSaidOfItselfNowAndLater) {
  Setting setting;
  setting.fake->version.integrity = "sha512-x";
  setting.fake->version.fields = {{"branch", "trunk"}, {"url", "never in place of what was given"}};
  setting.fake->generated = {"PAGE.md"};
  setting.fake->notes = {"Submodule vendor is not part of this snapshot."};
  for (int i = 0; i < 2; ++i) {
    const auto prepared = setting.prepare();
    ASSERT_TRUE(prepared) << prepared.error().message;
    EXPECT_EQ(prepared->integrity, "sha512-x");
    EXPECT_EQ(prepared->fields["branch"], "trunk");
    EXPECT_EQ(Json::parse(prepared->resource)["branch"], "trunk");
    EXPECT_EQ(Json::parse(prepared->resource)["url"], "x");
    EXPECT_THAT(prepared->notes, ElementsAre(HasSubstr("vendor")));
    EXPECT_THAT(prepared->generated, ElementsAre("PAGE.md"));
    setting.reopen();
  }
}

TEST(Library, TakesAnotherIntegrityForAnotherVersion) {
  Setting setting;
  setting.fake->version.integrity = "sha512-x";
  ASSERT_TRUE(setting.sync());
  setting.fake->version.integrity = "sha512-y";
  EXPECT_TRUE(setting.sync()->fetched);
  EXPECT_EQ(setting.fake->fetched, 2);
}

TEST(Library, NeverFetchesAnImmutableVersionTwice) {
  Setting setting;
  ASSERT_TRUE(setting.sync());
  ASSERT_TRUE(setting.sync());
  setting.reopen();
  const auto prepared = setting.sync();
  EXPECT_EQ(text_of(*prepared, "a.txt"), "alpha\n");
  EXPECT_EQ(setting.fake->fetched, 1);
  EXPECT_EQ(setting.fake->resolved, 3);
}

TEST(Library, FetchesAVersionThatMayChangeEachTime) {
  Setting setting;
  setting.fake->version = version_of("head", false, "head");
  ASSERT_TRUE(setting.prepare());
  setting.fake->files = {{"a.txt", "beta\n"}};
  EXPECT_EQ(text_of(*setting.sync(), "a.txt"), "beta\n");
  setting.reopen();
  EXPECT_THAT(setting.snapshots(), SizeIs(1)) << "the previous one can never be used again";
}

TEST(Library, FetchesNothingTwiceWhenATagMovesAwayAndBack) {
  Setting setting;
  ASSERT_TRUE(setting.sync());
  setting.fake->version = version_of("v2", true, "version 2");
  setting.fake->files = {{"b.txt", "beta\n"}};
  EXPECT_EQ(text_of(*setting.sync(), "b.txt"), "beta\n");
  setting.reopen();
  setting.fake->version = version_of("v1", true, "version 1");
  EXPECT_EQ(text_of(*setting.sync(), "a.txt"), "alpha\n");
  EXPECT_EQ(setting.fake->fetched, 2);
}

TEST(Library, WritesOnlyWhatANewVersionChanged) {
  Setting setting;
  for (int i = 0; i < 10; ++i) setting.fake->files["f" + std::to_string(i)] = "as it was\n";
  const auto before = setting.sync();
  setting.fake->version = version_of("v2", true, "version 2");
  setting.fake->files["a.txt"] = "beta\n";
  for (int restart = 0; restart < 2; ++restart) {
    const auto now = setting.sync();
    EXPECT_EQ(text_of(*now, "a.txt"), "beta\n");
    EXPECT_EQ(text_of(*now, "f3"), "as it was\n");
    ASSERT_THAT(now->snapshot->segments(), SizeIs(2));
    EXPECT_EQ(now->snapshot->segments()[1]->file_count(), 1u);
    setting.reopen();
  }
}

TEST(Library, SaysWhetherAnotherVersionCame) {
  Setting setting;
  EXPECT_TRUE(setting.sync()->fetched);
  EXPECT_FALSE(setting.sync()->fetched);
  EXPECT_FALSE(setting.prepare()->fetched);
  setting.fake->version = version_of("v2", true, "version 2");
  EXPECT_TRUE(setting.sync()->fetched);
  setting.fake->version = version_of("v1", true, "version 1");
  EXPECT_TRUE(setting.sync()->fetched) << "it existed, and another was current";
}

TEST(Library, KeepsAnOldVersionWhileSomebodyReadsIt) {
  Setting setting;
  setting.fake->version = version_of("head", false, "head");
  auto old = setting.sync();
  ASSERT_TRUE(setting.sync());
  setting.library->shutdown();
  EXPECT_THAT(setting.snapshots(), SizeIs(2));
  EXPECT_TRUE(std::filesystem::exists(old->snapshot->directory()));
}

TEST(Library, FetchesAnotherSourceWhenAFieldChanges) {
  Setting setting;
  ASSERT_TRUE(setting.prepare());
  setting.fake->files = {{"a.txt", "of y\n"}};
  Json changed = kFake;
  changed["url"] = "y";
  EXPECT_EQ(text_of(*setting.prepare(changed), "a.txt"), "of y\n");
}

TEST(Library, SharesASourceUnderTwoNames) {
  Setting setting;
  ASSERT_TRUE(setting.prepare());
  Json other = kFake;
  other["name"] = "other";
  other["specialNotes"] = "look in a.txt";
  EXPECT_EQ(setting.prepare(other)->name, "other");
  EXPECT_EQ(setting.fake->fetched, 1);
}

TEST(Library, ReadsAFolderThatAPluginUnpacked) {
  Setting setting;
  setting.fake->files.clear();
  setting.fake->fill = [](plugins::Tree& tree) -> Status {
    const std::filesystem::path scratch(tree.scratch().value());
    write_file(scratch / "docs/a.md", "# A\n");
    write_file(scratch / ".git/config", "secret\n");
    std::filesystem::create_symlink("/etc/passwd", scratch / "docs/link.md");
    return tree.add_directory(scratch);
  };
  const auto prepared = setting.prepare();
  ASSERT_TRUE(prepared) << prepared.error().message;
  EXPECT_EQ(text_of(*prepared, "docs/a.md"), "# A\n");
  EXPECT_THAT(prepared->snapshot->files(), SizeIs(1));
  setting.library->shutdown();
  EXPECT_THAT(setting.leftovers(), IsEmpty());
}

TEST(Library, SaysHowManySecretsItLeftOutOfWhatWasFetched) {
  Setting setting;
  setting.fake->files.clear();
  const std::string key = "-----BEGIN PRIVATE KEY-----\n" + std::string(64, 'A') + "\n";
  setting.fake->notes = {"A note of the type."};
  setting.fake->fill = [&](plugins::Tree& tree) -> Status {
    const std::filesystem::path scratch(tree.scratch().value());
    write_file(scratch / "docs/a.md", "# A\n");
    write_file(scratch / "docs/key.md", key);
    write_file(scratch / ".kube/config", "x");
    return tree.add_directory(scratch);
  };
  const auto prepared = setting.prepare();
  ASSERT_TRUE(prepared) << prepared.error().message;
  EXPECT_THAT(prepared->notes,
              ElementsAre("A note of the type.", "2 files that look like secrets were left out."));
  EXPECT_FALSE(prepared->snapshot->find(".kube/config"));
}

TEST(Library, SaysHowManySecretsItLeftOutOfAFolder) {
  Setting setting;
  const std::filesystem::path folder = setting.temp.path() / "folder";
  const std::string key = "-----BEGIN PRIVATE KEY-----\n" + std::string(64, 'A') + "\n";
  write_file(folder / "a.md", "# A\n");
  write_file(folder / ".bash_history", "x");
  setting.fake->files.clear();
  setting.fake->fill = [&](plugins::Tree& tree) { return tree.use_in_place(folder); };
  EXPECT_THAT(setting.prepare()->notes,
              ElementsAre("1 file that looks like a secret was left out."));
  write_file(folder / "notes.md", "# Notes\n" + key);
  write_file(folder / ".netrc", "x");
  EXPECT_THAT(setting.prepare()->notes,
              ElementsAre("3 files that look like secrets were left out."));
  write_file(folder / "a.md", "# B\n");
  EXPECT_THAT(setting.prepare()->notes,
              ElementsAre("3 files that look like secrets were left out."))
      << "omitted files are not read again";
  std::filesystem::remove(folder / ".netrc");
  write_file(folder / ".ignore", ".bash_history\n");
  write_file(folder / "notes.md", "# Notes\n");
  EXPECT_THAT(setting.prepare()->notes, IsEmpty());
}

TEST(Library, NamesTheRulesThatLeaveNothingOfAFolder) {
  Setting setting;
  const std::filesystem::path folder = setting.temp.path() / "folder";
  write_file(folder / "a.md", "# A\n");
  write_file(folder / "b.md", "# B\n");
  write_file(folder / ".gitignore", "# Everything\n/*\n");
  setting.fake->files.clear();
  setting.fake->fill = [&](plugins::Tree& tree) { return tree.use_in_place(folder); };
  EXPECT_THAT(setting.prepare()->notes, IsEmpty()) << "no repository, so the rule does not hold";
  std::filesystem::create_directory(folder / ".git");
  EXPECT_THAT(setting.prepare()->notes,
              ElementsAre("no file was read: 3 entries are left out by \"/*\" in .gitignore:2."));
  write_file(folder / ".ignore", "a.md\n!b.md\n");
  EXPECT_THAT(setting.prepare()->notes, IsEmpty()) << "b.md is read";
  write_file(folder / ".ignore", "a.md\nb.md\n.gitignore\n");
  EXPECT_THAT(setting.prepare()->notes,
              ElementsAre("no file was read: 1 entry is left out by \".gitignore\" in .ignore:3, "
                          "1 entry is left out by \"/*\" in .gitignore:2, "
                          "1 entry is left out by \"a.md\" in .ignore:1, others by 1 more rule."));
}

TEST(Library, NamesTheRulesThatLeaveLittleOfAFolder) {
  Setting setting;
  const std::filesystem::path folder = setting.temp.path() / "folder";
  for (const char* path : {"a/x.md", "b/x.md", "c/x.md", "d.md"}) write_file(folder / path, "x\n");
  write_file(folder / ".ignore", "/*/\n!/c/\nd.md\n");
  setting.fake->files.clear();
  setting.fake->fill = [&](plugins::Tree& tree) { return tree.use_in_place(folder); };
  EXPECT_THAT(setting.prepare()->notes, IsEmpty()) << "two files, two directories";
  write_file(folder / ".ignore", "/*/\nd.md\n");
  const auto prepared = setting.prepare();
  EXPECT_THAT(prepared->notes,
              ElementsAre("only 1 file was read: 3 entries are left out by \"/*/\" in .ignore:1, "
                          "1 entry is left out by \"d.md\" in .ignore:2."));
  EXPECT_EQ(prepared->folder, folder);
  const auto left_out = setting.library->left_out(*prepared, {});
  ASSERT_TRUE(left_out);
  EXPECT_EQ(left_out->at(0).rule, "\"/*/\" in .ignore:1");
  EXPECT_EQ(left_out->at(0).entries, 3u);
  EXPECT_THAT(left_out->at(1).examples, ElementsAre("d.md"));
  std::filesystem::remove_all(folder);
  EXPECT_EQ(setting.library->left_out(*prepared, {}).error().tag, "ResourceError");
}

TEST(Library, LeavesNothingOutOfFilesThatWereFetched) {
  Setting setting;
  const auto prepared = setting.prepare();
  EXPECT_TRUE(prepared->folder.empty());
  EXPECT_THAT(*setting.library->left_out(*prepared, {}), IsEmpty());
}

TEST(Library, ListsAFileThatIsTooLargeToRead) {
  Setting setting;
  Options options;
  options.limits.file_bytes = 10;
  setting.open(options);
  setting.fake->fill = [](plugins::Tree& tree) -> Status {
    const std::filesystem::path scratch(tree.scratch().value());
    write_file(scratch / "large.txt", std::string(1000, 'x'));
    return tree.add_directory(scratch);
  };
  const auto prepared = setting.prepare();
  ASSERT_TRUE(prepared) << prepared.error().message;
  EXPECT_TRUE(prepared->snapshot->find("large.txt"));
  EXPECT_EQ(text_of(*prepared, "large.txt"), "");
}

TEST(Library, SaysWhichLimitAFetchWentBeyond) {
  Setting setting;
  Options options;
  options.limits.files = 1;
  setting.open(options);
  setting.fake->files = {{"a.txt", "a"}, {"b.txt", "b"}};
  const auto prepared = setting.prepare();
  ASSERT_FALSE(prepared);
  EXPECT_EQ(prepared.error().code, Code::kResourceExhausted);
  EXPECT_EQ(prepared.error().tag, "CollectionError");
  EXPECT_THAT(prepared.error().message, HasSubstr("docs"));
  EXPECT_THAT(prepared.error().message, HasSubstr("more than 1 files"));
  EXPECT_NE(prepared.error().hint, "");
  EXPECT_THAT(setting.leftovers(), IsEmpty());
}

TEST(Library, RefusesAPathOutOfTheTree) {
  Setting setting;
  setting.fake->files = {{"../evil.txt", "x"}};
  const auto prepared = setting.prepare();
  ASSERT_FALSE(prepared);
  EXPECT_THAT(setting.snapshots(), IsEmpty());
  EXPECT_THAT(setting.leftovers(), IsEmpty());
}

TEST(Library, TellsTheTypeWhatTheLastSnapshotWasMadeOf) {
  Setting setting;
  setting.fake->version.text = R"({"id":"v1","etag":"x"})";
  setting.fake->state = R"({"pages":2})";
  ASSERT_TRUE(setting.prepare());
  EXPECT_EQ(setting.fake->last.version, "");
  ASSERT_TRUE(setting.sync());
  EXPECT_EQ(setting.fake->last.version, R"({"id":"v1","etag":"x"})");
  EXPECT_EQ(setting.fake->last.state, R"({"pages":2})");
  setting.reopen();
  ASSERT_TRUE(setting.sync());
  EXPECT_EQ(setting.fake->last.state, R"({"pages":2})") << "after a restart too";
}

TEST(Library, TellsTheTypeItsNewestValueForAnUnchangedVersion) {
  Setting setting;
  setting.fake->version.text = R"({"id":"v1","etag":"x"})";
  setting.fake->state = R"({"pages":2})";
  ASSERT_TRUE(setting.prepare());
  setting.fake->version.text = R"({"id":"v1","etag":"y"})";
  ASSERT_TRUE(setting.sync());
  ASSERT_TRUE(setting.sync());
  EXPECT_EQ(setting.fake->fetched, 1);
  EXPECT_EQ(setting.fake->last.version, R"({"id":"v1","etag":"y"})");
  EXPECT_EQ(setting.fake->last.state, R"({"pages":2})") << "that of the fetch";
  setting.reopen();
  ASSERT_TRUE(setting.sync());
  EXPECT_EQ(setting.fake->last.version, R"({"id":"v1","etag":"y"})") << "after a restart too";
}

TEST(Library, TellsTheTypeWhatItResolvedAfterALockedFetch) {
  Setting setting;
  ASSERT_TRUE(setting.prepare(kFake, {.locked = version_of("v1", true, "version 1")}));
  setting.fake->version.text = R"({"id":"v1","etag":"x"})";
  ASSERT_TRUE(setting.sync());
  ASSERT_TRUE(setting.sync());
  EXPECT_EQ(setting.fake->last.version, R"({"id":"v1","etag":"x"})");
}

TEST(Library, IgnoresAResolvedValueThatIsDamaged) {
  Setting setting;
  setting.fake->version.text = R"({"id":"v1","etag":"x"})";
  ASSERT_TRUE(setting.prepare());
  setting.fake->version.text = R"({"id":"v1","etag":"y"})";
  ASSERT_TRUE(setting.sync());
  const auto file = setting.cache / "snapshots" / setting.snapshots().front() / "resolved.json";
  ASSERT_TRUE(std::filesystem::exists(file));
  std::ofstream(file) << R"({"id":"v1",)";
  setting.reopen();
  ASSERT_TRUE(setting.sync());
  EXPECT_EQ(setting.fake->last.version, R"({"id":"v1","etag":"x"})");
}

TEST(Library, KeepsFilesOfTheLastSnapshotWithTheirFacts) {
  Setting setting;
  const plugins::FileFacts facts{"https://example.org/a", "A", "text/html"};
  setting.fake->files.clear();
  setting.fake->fill = [&](plugins::Tree& tree) -> Status {
    EXPECT_FALSE(*tree.keep_file("a.txt"));
    Status added = tree.add_described("a.txt", "alpha\n", facts);
    return added ? tree.add_file("b.txt", "beta\n") : added;
  };
  const auto first = setting.prepare();
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_EQ(first->facts->at("a.txt"), facts);
  setting.fake->version = version_of("v2", true, "version 2");
  setting.fake->fill = [&](plugins::Tree& tree) -> Status {
    EXPECT_TRUE(*tree.keep_file("a.txt"));
    EXPECT_FALSE(*tree.keep_file("c.txt"));
    EXPECT_FALSE(*tree.keep_file("../a.txt"));
    return tree.add_file("b.txt", "gamma\n");
  };
  const auto second = setting.sync();
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_EQ(text_of(*second, "a.txt"), "alpha\n");
  EXPECT_EQ(text_of(*second, "b.txt"), "gamma\n");
  EXPECT_EQ(*second->facts, (plugins::FactsByPath{{"a.txt", facts}}));
}

TEST(Library, BoundsTheFactsOfFiles) {
  Setting setting;
  setting.fake->fill = [](plugins::Tree& tree) -> Status {
    for (int i = 0; i < 9000; ++i) {
      Status added = tree.add_described(std::to_string(i), "x", {std::string(2000, 'x'), "", ""});
      if (!added) return added;
    }
    return {};
  };
  const auto prepared = setting.prepare();
  ASSERT_FALSE(prepared);
  EXPECT_EQ(prepared.error().code, Code::kResourceExhausted);
  EXPECT_THAT(prepared.error().message, HasSubstr("more than 16 MiB"));
}

TEST(Library, NeverResolvesWhatTheTypeRefused) {
  Setting setting;
  PrepareOptions options;
  options.refused = Error{Code::kInvalidArgument, "the address is bad", "Mend it."};
  options.refused->details = {{"/url", "is bad"}};
  const auto prepared = setting.prepare(kFake, options);
  ASSERT_FALSE(prepared);
  EXPECT_EQ(prepared.error().message, "resource \"docs\": the address is bad");
  EXPECT_EQ(prepared.error().hint, "Mend it.");
  EXPECT_EQ(prepared.error().details.at(0).field, "/url");
  EXPECT_EQ(setting.fake->resolved, 0);
}

TEST(Library, GivesTheCauseOfAFailureInItsOwnWords) {
  Setting setting;
  setting.fake->resolve_error = Error{Code::kNotFound, "repository x not found", "Check the URL."};
  const auto prepared = setting.prepare();
  ASSERT_FALSE(prepared);
  EXPECT_EQ(prepared.error().tag, "CollectionError");
  EXPECT_EQ(prepared.error().message, "resource \"docs\": repository x not found");
  EXPECT_EQ(prepared.error().hint, "Check the URL.");
}

TEST(Library, SaysThatNoPluginOffersAType) {
  Setting setting;
  const auto prepared = setting.prepare({{"type", "gone"}, {"name", "docs"}});
  ASSERT_FALSE(prepared);
  EXPECT_EQ(prepared.error().tag, "CollectionError");
  EXPECT_THAT(prepared.error().message, HasSubstr("\"gone\""));
}

TEST(Library, LeavesNothingBehindWhenAFetchFails) {
  Setting setting;
  setting.fake->fetch_error = Error{Code::kUnavailable, "connection lost"};
  ASSERT_FALSE(setting.prepare());
  EXPECT_THAT(setting.snapshots(), IsEmpty());
  EXPECT_THAT(setting.leftovers(), IsEmpty());
}

TEST(Library, AnswersFromTheLastStateWhenTheSourceIsGone) {
  Setting setting;
  ASSERT_TRUE(setting.prepare());
  setting.clock.advance(std::chrono::hours(3));
  setting.fake->resolve_error = Error{Code::kUnavailable, "could not resolve host"};
  const auto prepared = setting.prepare();
  ASSERT_TRUE(prepared);
  EXPECT_EQ(text_of(*prepared, "a.txt"), "alpha\n");
  EXPECT_EQ(prepared->stale, "could not resolve host; this is how it was 3 hours ago");
}

TEST(Library, SaysTheAgeSinceTheStateWasLastConfirmed) {
  Setting setting;
  ASSERT_TRUE(setting.prepare());
  setting.clock.advance(std::chrono::hours(72));
  ASSERT_TRUE(setting.prepare());
  setting.clock.advance(std::chrono::minutes(1));
  setting.fake->resolve_error = Error{Code::kUnavailable, "offline"};
  EXPECT_THAT(setting.sync()->stale, HasSubstr("1 minute ago"));
}

TEST(Library, AnswersFromTheLastStateAfterARestartToo) {
  Setting setting;
  ASSERT_TRUE(setting.prepare());
  setting.reopen();
  setting.fake->version = version_of("v2", true, "version 2");
  setting.fake->fetch_error = Error{Code::kUnavailable, "connection lost"};
  const auto prepared = setting.sync();
  ASSERT_TRUE(prepared);
  EXPECT_EQ(prepared->version, "v1");
  EXPECT_THAT(prepared->stale, HasSubstr("connection lost"));
}

TEST(Library, DoesNotHideThatTheSourceSaidNo) {
  for (const Code code :
       {Code::kPermissionDenied, Code::kUnauthenticated, Code::kNotFound, Code::kInvalidArgument,
        Code::kUnsupported, Code::kDataLoss, Code::kInternal}) {
    Setting setting;
    ASSERT_TRUE(setting.prepare());
    setting.fake->resolve_error = Error{code, "the source's words"};
    const auto refused = setting.sync();
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, HasSubstr("the source's words"));
    EXPECT_FALSE(setting.prepare()) << "nor by the next question, due or not";
    setting.fake->resolve_error.reset();
    EXPECT_TRUE(setting.prepare());
  }
}

TEST(Library, AnswersFromTheLastStateWhenTheSourceCannotBeAsked) {
  for (const Code code :
       {Code::kUnavailable, Code::kDeadlineExceeded, Code::kResourceExhausted, Code::kCancelled}) {
    Setting setting;
    ASSERT_TRUE(setting.prepare());
    setting.fake->resolve_error = Error{code, "the cause"};
    const auto prepared = setting.sync();
    ASSERT_TRUE(prepared);
    EXPECT_THAT(prepared->stale, HasSubstr("the cause; this is how it was"));
  }
}

TEST(Library, ShowsADamagedSourceWhoseMessageNamesAFullDisk) {
  Setting setting;
  ASSERT_TRUE(setting.prepare());
  setting.fake->resolve_error = Error{Code::kDataLoss, "No space left on device"};
  EXPECT_FALSE(setting.sync());
}

TEST(Library, MakesADamagedSnapshotAgain) {
  Setting setting;
  ASSERT_TRUE(setting.prepare());
  setting.library->shutdown();
  const auto snapshot = setting.cache / "snapshots" / setting.snapshots().at(0);
  write_file(snapshot / "resource.json", "{");
  setting.reopen();
  EXPECT_EQ(text_of(*setting.prepare(), "a.txt"), "alpha\n");
  EXPECT_EQ(setting.fake->fetched, 2);
  EXPECT_THAT(setting.problems, ElementsAre(HasSubstr("damaged")));
}

TEST(Library, ClearRemovesWhatNobodyLeases) {
  Setting setting;
  auto leased = setting.prepare();
  Json other = kFake;
  other["url"] = "y";
  ASSERT_TRUE(setting.prepare(other));
  setting.reopen();
  EXPECT_EQ(setting.library->clear({}).value(), 1u);
  EXPECT_EQ(text_of(*leased, "a.txt"), "alpha\n");
  EXPECT_THAT(setting.snapshots(), SizeIs(1));
  leased = Error{};
  EXPECT_EQ(setting.library->clear({}).value(), 1u);
  EXPECT_THAT(setting.snapshots(), IsEmpty());
}

TEST(Library, FetchesAgainWhatAnotherProcessCleared) {
  Setting setting;
  ASSERT_TRUE(setting.prepare());
  Setting other(2, setting.cache);
  // The snapshot is leased until its indexes are built.
  wait_until([&] { return other.library->clear({}).value() > 0; });
  EXPECT_EQ(text_of(*setting.prepare(), "a.txt"), "alpha\n");
  EXPECT_EQ(setting.fake->fetched, 2);
}

TEST(Library, DropsTheLongestUnusedWhenTheCacheIsFull) {
  Setting setting;
  Options options;
  options.max_bytes = 1;
  ASSERT_TRUE(setting.prepare());
  setting.open(options);
  Json other = kFake;
  other["url"] = "y";
  const auto kept = setting.prepare(other);
  setting.library->shutdown();
  EXPECT_THAT(setting.snapshots(), ElementsAre(kept->snapshot->directory().filename()));
}

TEST(Library, SweepsWhatACrashLeftBehind) {
  Setting setting;
  setting.library->shutdown();
  write_file(setting.cache / "building/abandoned/scratch/deep/file", "x");
  std::filesystem::permissions(setting.cache / "building/abandoned/scratch/deep",
                               std::filesystem::perms::owner_read);
  setting.reopen();
  setting.library->shutdown();
  EXPECT_THAT(setting.leftovers(), IsEmpty());
}

TEST(Library, SaysThatTheCacheCannotBeMade) {
  Setting setting;
  write_file(setting.temp.path() / "file", "x");
  Options options;
  options.cache_directory = setting.temp.path() / "file";
  const auto library = make_library(
      options, {[] { return plugins::ResourceTypes(); }, setting.executor, setting.clock, {}});
  ASSERT_FALSE(library);
  EXPECT_THAT(library.error().message, HasSubstr("cache directory"));
  EXPECT_THAT(library.error().hint, HasSubstr("[cache]"));
}

}  // namespace
}  // namespace quarry::resources
