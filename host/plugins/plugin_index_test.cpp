#include "plugins/plugin_index.h"

#include "plugins/web_url.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::plugins {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

constexpr auto* kUrl = "https://plugins.example/all/index.json";

Json indexed_version(const std::string& version) {
  return {
      {"version", version},
      {"archive", "notes-" + version + ".tar.zst"},
      {"sha256", std::string(64, 'a')},
      {"size", 1000},
      {"machine", this_machine()},
      {"abi", {{"builtFor", "1.0"}, {"minimum", "1.0"}}},
      {"isolation", "none"},
      {"components", {{{"kind", "quarry.resource/1"}, {"name", "notes"}}}},
      {"permissions",
       {{"hosts", {"api.example"}}, {"programs", Json::array()}, {"secrets", {"field:/token"}}}}};
}

Json indexed_plugin(std::vector<Json> versions) {
  return {{"id", "org.example.notes"},
          {"summary", "A Note by name"},
          {"licence", "MIT"},
          {"versions", std::move(versions)}};
}

Json index_of(std::vector<Json> plugins) {
  return {{"format", 1}, {"made", "2026-11-01T12:00:00Z"}, {"plugins", std::move(plugins)}};
}

Json small_index() {
  return index_of({indexed_plugin({indexed_version("1.0.0")})});
}

/// The message of a refusal.
std::string mistake_in(const Json& index) {
  const auto read = parse_index(to_text(index), kUrl);
  if (read) return "none";
  EXPECT_FALSE(read.error().hint.empty()) << read.error().message;
  return read.error().message;
}

IndexedPlugin plugin_with(std::vector<Json> versions) {
  const auto index = parse_index(to_text(index_of({indexed_plugin(std::move(versions))})), kUrl);
  EXPECT_TRUE(index) << index.error().message;
  return index->plugins.front();
}

std::string chosen(const IndexedPlugin& plugin, std::string_view version = "") {
  const auto found = choose_version(plugin, version);
  return found ? (*found)->version : found.error().message;
}

TEST(PluginIndex, IsReadWithItsHighestVersionFirst) {
  auto signed_one = indexed_version("1.10.0");
  signed_one["signature"] = "text";
  signed_one["yanked"] = "lost data";
  const auto index = parse_index(
      to_text(index_of({indexed_plugin({indexed_version("1.9.0"), signed_one})})), kUrl);
  ASSERT_TRUE(index) << index.error().message;
  EXPECT_EQ(index->made, "2026-11-01T12:00:00Z");
  const auto* plugin = index->find("org.example.notes");
  ASSERT_NE(plugin, nullptr);
  EXPECT_EQ(index->find("org.example.other"), nullptr);
  EXPECT_EQ(plugin->summary, "A Note by name");
  ASSERT_EQ(plugin->versions.size(), 2u);
  const auto& first = plugin->versions.front();
  EXPECT_EQ(first.version, "1.10.0");
  EXPECT_EQ(first.archive, "https://plugins.example/all/notes-1.10.0.tar.zst");
  EXPECT_EQ(first.yanked, "lost data");
  EXPECT_EQ(first.signature, "text");
  EXPECT_THAT(first.components, ElementsAre("quarry.resource/1 notes"));
  EXPECT_FALSE(plugin->versions.back().yanked);
}

TEST(PluginIndex, IgnoresMembersThatALaterOneMayHave) {
  auto index = small_index();
  index["later"] = 1;
  index["plugins"][0]["later"] = {{"a", 1}};
  index["plugins"][0]["versions"][0]["permissions"]["later"] = true;
  EXPECT_EQ(mistake_in(index), "none");
}

TEST(PluginIndex, NamesTheMemberThatIsWrong) {
  const auto with = [](const char* pointer, Json value) {
    auto index = small_index();
    index[Json::json_pointer(pointer)] = std::move(value);
    return mistake_in(index);
  };
  EXPECT_THAT(with("/plugins/0/id", 7), StartsWith("/plugins/0/id "));
  EXPECT_THAT(with("/plugins/0/id", "Org.Example"), HasSubstr("/plugins/0/id must be a name"));
  EXPECT_THAT(with("/plugins/0/id", "org.example."), HasSubstr("/plugins/0/id must be a name"));
  EXPECT_THAT(with("/plugins/0/id", "org.exаmple.notes"),
              HasSubstr("/plugins/0/id must be a name"));
  EXPECT_THAT(with("/plugins", Json::object()), StartsWith("/plugins "));
  EXPECT_THAT(with("/plugins/0/versions", Json::array()), StartsWith("/plugins/0/versions "));
  EXPECT_THAT(with("/made", "yesterday"), StartsWith("/made must be a time"));
  EXPECT_THAT(with("/format", "1"), StartsWith("/format "));
}

TEST(PluginIndex, NamesAMemberThatIsMissing) {
  auto index = small_index();
  index["plugins"][0].erase("licence");
  EXPECT_THAT(mistake_in(index), HasSubstr("licence"));
}

/// The cause why a version with another value there is skipped.
std::string skipped_for(const char* pointer, Json value) {
  auto version = indexed_version("3.0.0");
  version[Json::json_pointer(pointer)] = std::move(value);
  const auto plugin = plugin_with({indexed_version("1.0.0"), version});
  EXPECT_EQ(chosen(plugin), "1.0.0") << pointer;
  EXPECT_EQ(plugin.versions.size(), 1u) << pointer;
  if (plugin.skipped.size() != 1) return "none";
  EXPECT_EQ(plugin.skipped.front().place, "/plugins/0/versions/1");
  return plugin.skipped.front().cause;
}

TEST(PluginIndex, SkipsVersionsThatThisHostDoesNotUnderstand) {
  EXPECT_EQ(skipped_for("/isolation", "machine"), "/isolation must be \"none\" or \"process\"");
  EXPECT_THAT(skipped_for("/isolation", Json::object()), StartsWith("/isolation "));
  EXPECT_THAT(skipped_for("/archive", "notes.tar.xz"), StartsWith("/archive must be"));
  EXPECT_THAT(skipped_for("/abi/minimum", "1"), StartsWith("/abi/minimum must be"));
  EXPECT_THAT(skipped_for("/abi", "any"), StartsWith("/abi "));
  EXPECT_THAT(skipped_for("/sha256", "ABC"), HasSubstr("SHA-256"));
  EXPECT_THAT(skipped_for("/size", 0), StartsWith("/size "));
  EXPECT_THAT(skipped_for("/size", 1e18), StartsWith("/size "));
  EXPECT_THAT(skipped_for("/components/0", 7), StartsWith("/components/0 "));
  EXPECT_THAT(skipped_for("/version", 7), StartsWith("/version "));
  EXPECT_THAT(skipped_for("", "none at all"), Not(IsEmpty()));
  EXPECT_THAT(skipped_for("", {{"version", "3.0.0"}}), Not(IsEmpty()));
}

TEST(PluginIndex, MayHaveNoVersionThatThisHostUnderstands) {
  auto later = indexed_version("3.0.0");
  later["isolation"] = "machine";
  const auto index = parse_index(
      to_text(index_of({indexed_plugin({later, Json(7)}), Json(indexed_plugin({later}))})), kUrl);
  EXPECT_THAT(index.error().message, HasSubstr("/plugins/1 is org.example.notes again"));
  const auto plugin = plugin_with({later, Json(7)});
  const auto none = choose_version(plugin, "");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Code::kUnsupported);
  EXPECT_THAT(none.error().message, HasSubstr("3.0.0 is not understood: /isolation must be"));
  EXPECT_THAT(none.error().message, HasSubstr("one without a version is not understood"));
  EXPECT_THAT(none.error().hint, StartsWith("update quarry"));
  EXPECT_TRUE(matches(plugin, {"notes"}));
  EXPECT_FALSE(matches(plugin, {"resource/1"}));
}

TEST(PluginIndex, IsCompleteIfNoVersionWasSkipped) {
  const auto index = parse_index(to_text(small_index()), kUrl);
  EXPECT_TRUE(check_complete(*index));
  auto with_later = small_index();
  with_later["plugins"][0]["versions"][0]["isolation"] = "machine";
  const auto incomplete = check_complete(*parse_index(to_text(with_later), kUrl));
  ASSERT_FALSE(incomplete);
  EXPECT_THAT(incomplete.error().message,
              StartsWith("/plugins/0/versions/0 is not understood: /isolation"));
}

TEST(PluginIndex, RefusesTextsThatAreNoIndex) {
  for (const auto* text : {"", "{", "[]", "null", "<html>", "{\"format\":1}"}) {
    EXPECT_FALSE(parse_index(text, kUrl)) << text;
  }
  EXPECT_THAT(parse_index("<html>", kUrl).error().message, HasSubstr("is not JSON"));
}

TEST(PluginIndex, OfALaterFormatSaysToUpdate) {
  const auto read = parse_index(R"({"format": 2, "plugins": "in other files"})", kUrl);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, Code::kUnsupported);
  EXPECT_THAT(read.error().message, HasSubstr("format 2"));
  EXPECT_EQ(read.error().hint, "update quarry");
}

TEST(PluginIndex, SkipsVersionsWhoseArchiveIsNotOverHttps) {
  for (const auto* archive : {"http://plugins.example/n.tar.zst", "file:///tmp/n.tar.zst",
                              "https://plugins.example/n.zip", "n.tar.zst?x=1", "a b.tgz"}) {
    EXPECT_THAT(skipped_for("/archive", archive), StartsWith("/archive")) << archive;
  }
}

TEST(PluginIndex, RefusesAnIdAndAVersionASecondTime) {
  const auto plugin = indexed_plugin({indexed_version("1.0.0")});
  EXPECT_EQ(mistake_in(index_of({plugin, plugin})),
            "/plugins/1 is org.example.notes again, as /plugins/0");
  const auto version = indexed_version("1.0.0");
  EXPECT_THAT(mistake_in(index_of({indexed_plugin({version, version})})),
              HasSubstr("/plugins/0/versions/1 is version 1.0.0"));
  auto other_machine = version;
  other_machine["machine"] = "pdp11";
  EXPECT_EQ(mistake_in(index_of({indexed_plugin({version, other_machine})})), "none");
}

TEST(ChosenVersion, IsTheHighestThatThisHostCanLoad) {
  auto newer = indexed_version("3.0.0");
  newer["abi"] = {{"builtFor", "1.9"}, {"minimum", "1.9"}};
  auto next_major = indexed_version("2.9.0");
  next_major["abi"] = {{"builtFor", "2.0"}, {"minimum", "2.0"}};
  auto elsewhere = indexed_version("2.8.0");
  elsewhere["machine"] = "pdp11";
  auto built_later = indexed_version("2.0.0");
  built_later["abi"] = {{"builtFor", "1.9"}, {"minimum", "1.0"}};
  EXPECT_EQ(
      chosen(plugin_with({indexed_version("1.0.0"), built_later, newer, next_major, elsewhere})),
      "2.0.0");
}

TEST(ChosenVersion, IsNeitherWithdrawnNorAPreReleaseUnlessItIsNamed) {
  auto withdrawn = indexed_version("1.1.0");
  withdrawn["yanked"] = "lost data";
  const auto plugin =
      plugin_with({indexed_version("1.0.0"), withdrawn, indexed_version("2.0.0-beta")});
  EXPECT_EQ(chosen(plugin), "1.0.0");
  EXPECT_EQ(chosen(plugin, "1.1.0"), "1.1.0");
  EXPECT_EQ(chosen(plugin, "2.0.0-beta"), "2.0.0-beta");
}

TEST(ChosenVersion, IsToldWhyThereIsNone) {
  auto withdrawn = indexed_version("1.1.0");
  withdrawn["yanked"] = "";
  auto elsewhere = indexed_version("1.0.0");
  elsewhere["machine"] = "pdp11";
  auto newer = indexed_version("3.0.0");
  newer["abi"] = {{"builtFor", "1.9"}, {"minimum", "1.8"}};
  const auto said =
      chosen(plugin_with({withdrawn, elsewhere, newer, indexed_version("0.1.0-alpha")}));
  EXPECT_THAT(said,
              HasSubstr("3.0.0 is built for version 1.9 of the plugin contract and needs 1.8"));
  EXPECT_THAT(said, HasSubstr("1.1.0 was withdrawn; 1.0.0 is built for pdp11; and 1 more"));
}

TEST(ChosenVersion, ThatIsNamedMustBeThereAndBeLoadable) {
  auto elsewhere = indexed_version("1.0.0");
  elsewhere["machine"] = "pdp11";
  const auto plugin = plugin_with({elsewhere, indexed_version("1.1.0")});
  EXPECT_THAT(chosen(plugin, "1.0.0"), HasSubstr("it is built for pdp11"));
  const auto missing = choose_version(plugin, "7");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, Code::kNotFound);
  EXPECT_EQ(missing.error().hint, "there are: 1.1.0, 1.0.0");
}

TEST(ChosenVersion, ThatIsNamedAndWasSkippedIsToldWithItsCause) {
  auto later = indexed_version("3.0.0");
  later["isolation"] = "machine";
  const auto plugin = plugin_with({indexed_version("1.0.0"), later});
  const auto named = choose_version(plugin, "3.0.0");
  ASSERT_FALSE(named);
  EXPECT_EQ(named.error().code, Code::kUnsupported);
  EXPECT_THAT(named.error().message, HasSubstr("it is not understood: /isolation must be"));
  EXPECT_THAT(named.error().hint, StartsWith("update quarry"));
  EXPECT_EQ(choose_version(plugin, "7").error().hint,
            "there are: 1.0.0; 1 not understood by this host");
}

TEST(SkippedVersions, AreToldIfTheyMayBeHigher) {
  auto later = indexed_version("3.0.0");
  later["isolation"] = "machine";
  const auto plugin = plugin_with({indexed_version("1.0.0"), later, Json(7)});
  EXPECT_EQ(skipped_above(plugin, "1.0.0"),
            "this host does not understand 2 of the versions of plugin org.example.notes, and "
            "skips them: 3.0.0: /isolation must be \"none\" or \"process\"");
  EXPECT_THAT(skipped_above(plugin, "3.0.0"), HasSubstr("1 of the versions"));
  EXPECT_EQ(skipped_above(plugin_with({indexed_version("1.0.0")}), "1.0.0"), "");
}

Manifest notes_manifest() {
  Manifest manifest;
  manifest.id = "org.example.notes";
  manifest.version = "1.0.0";
  manifest.built_for = manifest.minimum = {1, 0};
  manifest.isolation = "none";
  manifest.components = {{"quarry.resource/1", "notes", "schema.json"}};
  manifest.permissions.hosts = {"api.example"};
  manifest.permissions.secret_fields = {"/token"};
  return manifest;
}

TEST(IndexedManifest, IsAcceptedIfItIsTheOneThatWasDescribed) {
  const auto plugin = plugin_with({indexed_version("1.0.0")});
  const auto checked = check_as_indexed(plugin, plugin.versions.front(), notes_manifest());
  EXPECT_TRUE(checked) << checked.error().message;
}

TEST(IndexedManifest, IsRefusedWithTheMemberThatDiffers) {
  const auto plugin = plugin_with({indexed_version("1.0.0")});
  const auto refusal = [&](const auto& change) {
    auto manifest = notes_manifest();
    change(manifest);
    const auto checked = check_as_indexed(plugin, plugin.versions.front(), manifest);
    return checked ? "none" : checked.error().message;
  };
  EXPECT_THAT(refusal([](auto& m) { m.id = "org.example.n0tes"; }), HasSubstr("\"id\""));
  EXPECT_THAT(refusal([](auto& m) { m.version = "1.0.1"; }), HasSubstr("\"version\""));
  EXPECT_THAT(refusal([](auto& m) { m.minimum = {1, 1}; }), HasSubstr("\"abi\""));
  EXPECT_THAT(refusal([](auto& m) { m.isolation = "process"; }), HasSubstr("\"isolation\""));
  EXPECT_THAT(refusal([](auto& m) { m.components[0].name = "more"; }), HasSubstr("\"components\""));
  EXPECT_THAT(refusal([](auto& m) { m.permissions.hosts = {"*"}; }), HasSubstr("\"permissions\""));
  EXPECT_THAT(refusal([](auto& m) { m.permissions.programs = {"sh"}; }),
              HasSubstr("\"permissions\""));
}

TEST(PluginSearch, FindsEveryWordInIdSummaryOrComponents) {
  const auto plugin = plugin_with({indexed_version("1.0.0")});
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{}, {"NOTE"}, {"example", "name"}, {"resource/1"}}) {
    EXPECT_TRUE(matches(plugin, words));
  }
  EXPECT_FALSE(matches(plugin, {"note", "other"}));
}

}  // namespace
}  // namespace quarry::plugins
