#include "resource-debian/testing/archive_host.h"

#include <quarry/json.hpp>

#include <fstream>
#include <quarry_places.h>

namespace quarry::resource_debian {
namespace {

using quarry::testing::FakeCall;
using quarry::testing::Reply;
using testing::ArchiveHost;

/// The type of resource, on a host with an archive.
class DebianPluginTest : public ::testing::Test {
 protected:
  DebianPluginTest() {
    table_ = static_cast<const quarry_resource_v1*>(quarry_plugin_entry_v1.components[0]->table);
    create();
  }
  ~DebianPluginTest() override { quarry_plugin_entry_v1.components[0]->destroy(instance_); }

  /// A new instance in place of the present one.
  void create(std::string_view configuration = "{}") {
    const auto* component = quarry_plugin_entry_v1.components[0];
    if (created_) component->destroy(instance_);
    const FakeCall call;
    Reply reply;
    component->create(archive_.fake.get(), call.get(), as_text(configuration), &instance_,
                      reply.get());
    reply.value();
    created_ = true;
  }
  /// The version, or "<status>: <message>".
  std::string resolve(const std::string& last = {}, const std::string& more = {}) {
    const detail::Heard reply;
    resource_ = "{\"package\":\"native\",\"mirror\":\"" + std::string(ArchiveHost::kMirror) + "\"" +
                more + "}";
    const std::string before = last.empty() ? "" : "{\"version\":" + last + "}";
    archive_.http.requests.clear();
    table_->resolve(instance_, call_.get(), as_text(resource_), as_text(before), reply.reply());
    return text_of(reply);
  }
  std::string fetch(const std::string& version) {
    const detail::Heard reply;
    archive_.http.requests.clear();
    tree_.clear();
    table_->fetch(instance_, call_.get(), as_text(resource_), as_text(version), {}, tree_.get(),
                  reply.reply());
    return text_of(reply);
  }
  static std::string text_of(const detail::Heard& reply) {
    if (reply.outcome()) return *reply.outcome();
    const Failure& failure = reply.outcome().failure();
    return std::to_string(failure.status) + ": " + failure.message;
  }

  ArchiveHost archive_;
  const quarry_resource_v1* table_ = nullptr;
  void* instance_ = nullptr;
  bool created_ = false;
  FakeCall call_;
  quarry::testing::Tree tree_;
  std::string resource_;
};

TEST_F(DebianPluginTest, DescribesTheSchemaOfTheManifestAndItsExamples) {
  Reply reply;
  table_->describe(instance_, call_.get(), reply.get());
  std::ifstream file(std::string(QUARRY_SOURCE_DIR) + "/plugins/resource-debian/schema.json");
  std::string schema{std::istreambuf_iterator<char>(file), {}};
  schema.erase(schema.find_last_not_of('\n') + 1);
  EXPECT_EQ(json::member(reply.value(), "schema"), schema);
  for (const std::string& example : json::strings(reply.value(), "examples")) {
    Reply parsed;
    table_->parse_reference(instance_, call_.get(), as_text(example), parsed.get());
    EXPECT_NE(parsed.value(), "null") << example;
  }
}

// Graylog2/fpm-recipes#83, trailofbits/algo#14171, jblakeman/apt-select#58
TEST_F(DebianPluginTest, AWebPageIsNoIndex) {
  archive_.answer("/dists/test/InRelease", "<html><title>Welcome to our WLAN</title></html>");
  EXPECT_NE(resolve({}, R"(,"suite":"test")").find("is a web page, \"Welcome to our WLAN\""),
            std::string::npos)
      << resolve({}, R"(,"suite":"test")");
  archive_.answer("/dists/test/InRelease", "slow down", 429);
  EXPECT_NE(resolve({}, R"(,"suite":"test")").find("HTTP 429, \"slow down\""), std::string::npos)
      << resolve({}, R"(,"suite":"test")");
}

TEST_F(DebianPluginTest, APackageIsFetched) {
  archive_.publish("1.0");
  const std::string version = resolve();
  EXPECT_EQ(json::string(version, "id").value_or(version).substr(0, 11), "native_1.0@");
  EXPECT_EQ(json::string(version, "display"), "native 1.0 (test)");
  const std::string metadata = fetch(version);
  EXPECT_EQ(json::string(metadata, "permalink").value_or(metadata),
            "https://sources.debian.org/src/native/1.0/{path}/?hl={start}:{end}#L{start}");
  EXPECT_EQ(tree_.files,
            (std::map<std::string, std::string>{{"README", "version 1.0\n"},
                                                {"debian/control", "Source: native\n"},
                                                {"debian/source/format", "3.0 (native)\n"}}));
  EXPECT_EQ(json::strings(metadata, "generated"), std::vector<std::string>{"debian/source/format"});
}

TEST_F(DebianPluginTest, AnUnchangedSuiteCostsOneConditionalRequest) {
  archive_.etag = "\"1\"";
  archive_.publish("1.0");
  const std::string version = resolve();
  for (const bool with_cache : {true, false}) {
    if (!with_cache) {
      for (const auto& entry : std::filesystem::directory_iterator(archive_.cache)) {
        std::filesystem::remove_all(entry);
      }
    }
    EXPECT_EQ(resolve(version), version);
    EXPECT_EQ(archive_.requested(), std::vector<std::string>{"/dists/stable/InRelease"});
    EXPECT_EQ(header(archive_.http.requests[0].headers, "if-none-match"), "\"1\"");
  }
}

TEST_F(DebianPluginTest, AnotherIndexOfTheSamePackagesIsNotReadAgain) {
  archive_.publish("1.0");
  const std::string version = resolve();
  archive_.publish("1.0", "Sat, 12 Sep 2026 09:00:00 UTC");
  const std::string next = resolve(version);
  EXPECT_EQ(archive_.requested(), std::vector<std::string>{"/dists/stable/InRelease"});
  EXPECT_EQ(json::string(next, "id"), json::string(version, "id"));
  archive_.publish("1.1", "Sat, 12 Sep 2026 10:00:00 UTC");
  EXPECT_EQ(json::string(resolve(next), "version"), "1.1");
}

TEST_F(DebianPluginTest, AnExpiredIndexIsRefusedThoughItIsUnchanged) {
  archive_.etag = "\"1\"";
  archive_.publish("1.0", "Sat, 12 Sep 2020 07:55:41 UTC",
                   "Valid-Until: Sat, 19 Sep 2020 07:55:41 UTC\n");
  EXPECT_EQ(resolve(),
            "5: http://archive.test/debian/dists/stable/InRelease expired on 2020-09-19 "
            "07:55 UTC");
  const std::string version = resolve({}, ",\"checkValidUntil\":false");
  EXPECT_EQ(resolve(version).substr(0, 3), "5: ");
}

TEST_F(DebianPluginTest, AnOlderIndexThanTheLastIsRefused) {
  archive_.publish("1.1", "Sat, 12 Sep 2026 09:00:00 UTC");
  const std::string version = resolve();
  archive_.publish("1.0", "Sat, 12 Sep 2026 08:00:00 UTC");
  const std::string refused = resolve(version);
  EXPECT_NE(refused.find("older than that of 2026-09-12 09:00 UTC"), std::string::npos) << refused;
  EXPECT_EQ(resolve(), refused);  // what the cache remembers is enough
  for (const auto& entry : std::filesystem::directory_iterator(archive_.cache)) {
    std::filesystem::remove_all(entry);
  }
  EXPECT_EQ(resolve(version), refused);  // so is the last version
}

TEST_F(DebianPluginTest, ABinaryPackageLeadsToItsSource) {
  archive_.publish("1.0");
  const std::string version = resolve({}, ",\"package\":\"native\"");
  resource_ =
      "{\"package\":\"native-doc\",\"mirror\":\"" + std::string(ArchiveHost::kMirror) + "\"}";
  EXPECT_EQ(json::strings(fetch(version), "notes"),
            std::vector<std::string>{"native-doc is built from the source package native."});
}

// As in dists/bookworm-security/InRelease.
TEST_F(DebianPluginTest, ComponentsMayHaveTheSuitesFolderInFrontOfThem) {
  archive_.publish("1.0", "Sat, 12 Sep 2026 07:55:41 UTC",
                   "Components: updates/main updates/contrib\n");
  for (const char* const components : {"", R"(,"components":["main"])"}) {
    const std::string version = resolve({}, components);
    EXPECT_EQ(json::string(version, "id").value_or(version).substr(0, 11), "native_1.0@");
  }
  EXPECT_NE(resolve({}, R"(,"components":["contrib"])").find("this suite has no sources of"),
            std::string::npos);
}

// As in dists/buster/updates/InRelease.
TEST_F(DebianPluginTest, TheIndexOfASecuritySuiteMayNameTheSuiteAlone) {
  const std::string date = "Sat, 12 Sep 2026 07:55:41 UTC";
  archive_.publish("1.0", date, "Components: updates/main\n", "stable/updates");
  const std::string version = resolve({}, R"(,"suite":"stable/updates")");
  EXPECT_EQ(json::string(version, "id").value_or(version).substr(0, 11), "native_1.0@");
  archive_.publish("1.0", date, "", "other/updates");
  EXPECT_NE(resolve({}, R"(,"suite":"other/updates")").find("is the index of another suite"),
            std::string::npos);
}

TEST_F(DebianPluginTest, ALockedVersionIsFoundAgainByItsDigest) {
  archive_.publish("1.0");
  const std::string id = json::string(resolve(), "id").value_or("");
  archive_.publish("1.1", "Sat, 12 Sep 2026 09:00:00 UTC");
  archive_.publish("1.0");
  EXPECT_EQ(fetch("{\"id\":\"" + id + "\"}").substr(0, 1), "{");
  EXPECT_EQ(tree_.files["README"], "version 1.0\n");
  EXPECT_EQ(fetch(R"({"id":"something"})").substr(0, 3), "1: ");
}

TEST_F(DebianPluginTest, ALockedVersionOfASecuritySuiteIsLookedForWhereItsArchiveHasIt) {
  resource_ = "{\"package\":\"native\",\"suite\":\"stable-security\",\"mirror\":\"" +
              std::string(ArchiveHost::kMirror) + "\"}";
  fetch("{\"id\":\"native_1:1.0@" + std::string(64, '0') + "\"}");
  ASSERT_FALSE(archive_.requested().empty());
  EXPECT_EQ(archive_.requested()[0], "/pool/updates/main/n/native/native_1.0.dsc");
}

TEST_F(DebianPluginTest, LyingSizesAndDigestsAreRefused) {
  archive_.publish("1.0");
  const std::string version = resolve();
  const std::string path = "/pool/main/n/native/native_1.0.tar.gz";
  for (const std::string body : {"short", "x"}) {
    archive_.answer(path, body);
    EXPECT_NE(fetch(version).find("the signed index says"), std::string::npos);
    EXPECT_TRUE(tree_.files.empty());
  }
  archive_.answer(path, std::string(1 << 20, 'x'));
  EXPECT_NE(fetch(version).find("has more than"), std::string::npos);
  archive_.answer(path, "", 503);
  EXPECT_EQ(fetch(version).substr(0, 3), "5: ");
  archive_.answer(path, "", 404);
  EXPECT_EQ(fetch(version).substr(0, 3), "2: ");
}

// <quarry/resource.h>: an attack must not hide behind an older snapshot.
TEST_F(DebianPluginTest, AnotherFileThanThatOfThePackageIsADamagedSource) {
  archive_.publish("1.0");
  const std::string version = resolve();
  const std::string path = "/pool/main/n/native/native_1.0.tar.gz";
  const auto good = archive_.http.answer({"GET", std::string(ArchiveHost::kMirror) + path, {}, {}});
  archive_.answer(path, std::string(good->body.size(), 'x'));
  const std::string failed = fetch(version);
  EXPECT_EQ(failed.substr(0, failed.find(' ')), std::to_string(QUARRY_DATA_LOSS) + ":") << failed;
  archive_.answer("/dists/stable/main/source/Sources", "of the next update");
  std::filesystem::remove_all(archive_.cache);
  std::filesystem::create_directories(archive_.cache);
  const std::string index = resolve();
  EXPECT_EQ(index.substr(0, index.find(' ')), std::to_string(QUARRY_UNAVAILABLE) + ":") << index;
}

TEST_F(DebianPluginTest, ADamagedFileOfTheCacheIsFetchedAgain) {
  archive_.publish("1.0");
  const std::string version = resolve();
  EXPECT_EQ(fetch(version).substr(0, 1), "{");
  EXPECT_TRUE(archive_.requested().size() == 2);
  EXPECT_EQ(fetch(version).substr(0, 1), "{");
  EXPECT_TRUE(archive_.requested().empty());
  for (const auto& entry : std::filesystem::recursive_directory_iterator(archive_.cache)) {
    if (entry.path().filename() == "file") std::filesystem::resize_file(entry.path(), 3);
  }
  EXPECT_EQ(fetch(version).substr(0, 1), "{");
  EXPECT_TRUE(archive_.requested().size() == 2);
}

TEST_F(DebianPluginTest, ACancelledCallStopsWithoutARequest) {
  archive_.publish("1.0");
  const std::string version = resolve();
  call_.cancel_after(0);
  EXPECT_EQ(resolve().substr(0, 3), "7: ");
  EXPECT_EQ(fetch(version).substr(0, 3), "7: ");
  EXPECT_TRUE(tree_.files.empty());
}

TEST_F(DebianPluginTest, AFullTreeEndsTheFetch) {
  archive_.publish("1.0");
  const std::string version = resolve();
  tree_.refuse_after(1);
  EXPECT_EQ(fetch(version).substr(0, 3), "6: ");
}

TEST_F(DebianPluginTest, WorksWithoutACache) {
  archive_.fake.offer(QUARRY_PATHS, nullptr);
  create();
  archive_.publish("1.0");
  EXPECT_EQ(fetch(resolve()).substr(0, 1), "{");
  EXPECT_EQ(tree_.files["README"], "version 1.0\n");
}

TEST_F(DebianPluginTest, ForProjectsNothingOfThisMachineIsRevealedNorShared) {
  archive_.publish("1.0");
  resolve();
  create(R"({"acts_for":"project"})");
  resolve();
  EXPECT_EQ(archive_.requested().size(), 2u);  // what the owner stored is not used
  for (const char* status : {"gpgv: keyblock resource '/x': No such file or directory\n",
                             "[GNUPG:] NO_PUBKEY ABC\n", "gpgv: [don't know]: invalid packet\n"}) {
    archive_.status = status;
    EXPECT_EQ(resolve(),
              "3: the signature of http://archive.test/debian/dists/stable/InRelease "
              "cannot be verified here");
  }
}

TEST_F(DebianPluginTest, WithoutServicesTheFailureSaysWhatIsMissing) {
  archive_.publish("1.0");
  archive_.fake.offer(QUARRY_PROCESS, nullptr);
  EXPECT_EQ(resolve(),
            "9: gpgv, which verifies the signature of an archive, did not run: this host runs "
            "no programs");
  archive_.fake.offer(QUARRY_HTTP, nullptr);
  EXPECT_EQ(resolve(), "9: this host offers no HTTP");
}

}  // namespace
}  // namespace quarry::resource_debian
