#include "package_source/digest.h"
#include "resource-archive/testing/archive_host.h"

#include <quarry/json.hpp>

#include <algorithm>
#include <quarry_places.h>

namespace quarry::resource_archive {

namespace {

using quarry::testing::Tree;
using testing::ArchiveHost;
using testing::content_of;
using testing::kPlain;
using testing::plain_with;
using testing::Tar;

std::string two_files() {
  return Tar().file("top/a.md", "A").file("top/docs/b.md", "B").end();
}

std::string id_of(const std::string& version) {
  return json::string(version, "id").value_or("");
}

bool has_partial(const ArchiveHost& host) {
  const auto files = std::filesystem::recursive_directory_iterator(host.directory.path());
  return std::any_of(begin(files), end(files), [](const auto& entry) {
    return entry.path().filename().string().starts_with("partial");
  });
}

TEST(Archive, IsFetchedInOneRequest) {
  ArchiveHost host;
  host.body = two_files();
  Tree tree;
  const auto version = host.resolve(kPlain);
  ASSERT_TRUE(version) << version.failure().message;
  EXPECT_EQ(id_of(*version), "sha256:" + package_source::sha256_hex(host.body));
  const auto metadata = host.fetch(kPlain, *version, tree);
  ASSERT_TRUE(metadata) << metadata.failure().message;
  EXPECT_EQ(*metadata, R"({"notes":[],"state":{"etag":"\"one\""}})");
  EXPECT_EQ(tree.files,
            (std::map<std::string, std::string>{{"top/a.md", "A"}, {"top/docs/b.md", "B"}}));
  EXPECT_EQ(host.http.requests.size(), 1u);
}

TEST(Archive, UnchangedCostsOneConditionalRequest) {
  ArchiveHost host;
  host.body = two_files();
  const auto first = host.resolve(kPlain);
  const auto second = host.resolve(kPlain);
  EXPECT_EQ(*first, *second);
  ASSERT_EQ(host.http.requests.size(), 2u);
  EXPECT_EQ(host.sent(1, "if-none-match"), "\"one\"");
}

TEST(Archive, TheLastStateIsEnoughWithoutTheCache) {
  ArchiveHost host;
  const std::string version = R"({"id":"sha256:1","mine":2})";
  const auto again =
      host.resolve(kPlain, R"({"version":)" + version + R"(,"state":{"etag":"\"one\""}})");
  ASSERT_TRUE(again) << again.failure().message;
  EXPECT_EQ(*again, version);
}

TEST(Archive, ANewEtagForTheSameBytesIsRemembered) {
  ArchiveHost host;
  host.body = two_files();
  const auto first = host.resolve(kPlain);
  host.etag = "\"two\"";
  const auto second = host.resolve(kPlain);
  EXPECT_EQ(*first, *second);
  ASSERT_TRUE(host.resolve(kPlain));
  EXPECT_EQ(host.sent(2, "if-none-match"), "\"two\"");
}

TEST(Archive, AKnownDigestNeedsNoRequestToResolve) {
  ArchiveHost host;
  host.body = two_files();
  const std::string resource =
      plain_with(R"("sha256":")" + package_source::sha256_hex(host.body) + "\"");
  const auto version = host.resolve(resource);
  ASSERT_TRUE(version);
  EXPECT_TRUE(host.http.requests.empty());
  Tree tree;
  EXPECT_TRUE(host.fetch(resource, *version, tree));
  EXPECT_EQ(tree.files.size(), 2u);
}

TEST(Archive, AnotherDigestIsRefused) {
  ArchiveHost host;
  host.body = two_files();
  Tree tree;
  const auto got = host.get(plain_with(R"("sha256":")" + std::string(64, 'a') + "\""), tree);
  ASSERT_FALSE(got);
  EXPECT_NE(got.failure().details.find("/sha256"), std::string::npos);
  EXPECT_NE(got.failure().message.find(package_source::sha256_hex(host.body)), std::string::npos);
  EXPECT_TRUE(tree.files.empty());
}

TEST(Archive, ALockedVersionThatIsGoneIsNotFound) {
  ArchiveHost host;
  host.body = two_files();
  Tree tree;
  const auto got = host.fetch(
      kPlain, R"({"id":"sha256:)" + std::string(64, 'b') + R"(","immutable":true})", tree);
  ASSERT_FALSE(got);
  EXPECT_EQ(got.failure().status, QUARRY_NOT_FOUND);
}

TEST(Archive, StripAndPathSelectFiles) {
  ArchiveHost host;
  host.body = two_files();
  Tree tree;
  ASSERT_TRUE(host.get(plain_with(R"("strip":1,"path":"docs")"), tree));
  EXPECT_EQ(tree.files, (std::map<std::string, std::string>{{"docs/b.md", "B"}}));
}

TEST(Archive, APathThatIsNotThereIsNamed) {
  ArchiveHost host;
  host.body = two_files();
  Tree tree;
  const auto got = host.get(plain_with(R"("path":"docs")"), tree);
  ASSERT_FALSE(got);
  EXPECT_NE(got.failure().details.find("/path"), std::string::npos);
  EXPECT_EQ(got.failure().hint, "its first folders and files are top");
}

TEST(Archive, TheTokenGoesIntoItsHeader) {
  const auto sent = [](const std::string& members, const std::string& token) {
    ArchiveHost host;
    host.body = two_files();
    host.secrets["resource.x.token"] = token;
    EXPECT_TRUE(host.resolve(plain_with(R"("token":"resource.x.token")" + members)));
    const auto& header = host.http.requests[0].headers[0];
    return header.name + ": " + header.value + "<" + header.secret + ">";
  };
  EXPECT_EQ(sent("", "t"), "authorization: Bearer <resource.x.token>");
  EXPECT_EQ(sent("", "user:word"), "authorization: Basic dXNlcjp3b3Jk<>");
  EXPECT_EQ(sent(R"(,"tokenHeader":"PRIVATE-TOKEN")", "t"), "private-token: <resource.x.token>");
}

TEST(Archive, AMissingTokenNamesItsField) {
  ArchiveHost host;
  const auto got = host.resolve(plain_with(R"("token":"resource.x.token")"));
  ASSERT_FALSE(got);
  EXPECT_EQ(got.failure().message, "token cannot be read: TOKEN is not set");
  EXPECT_NE(got.failure().details.find("/token"), std::string::npos);
}

TEST(Archive, StatusesNameFieldAndNextStep) {
  const auto answered = [](int status, const std::string& members) {
    ArchiveHost host;
    host.secrets["t"] = "x";
    host.http.answer = [status](const HttpRequest&) {
      return HttpResponse{status, {{"Retry-After", "7", {}}}, "no"};
    };
    const auto got = host.resolve(plain_with(members));
    return got ? Failure{} : got.failure();
  };
  const std::string plain = R"("strip":0)";
  const std::string token = R"("token":"t")";
  EXPECT_EQ(answered(404, plain).status, QUARRY_NOT_FOUND);
  EXPECT_EQ(answered(401, plain).status, QUARRY_UNAUTHENTICATED);
  EXPECT_NE(answered(403, token).details.find("/token"), std::string::npos);
  EXPECT_EQ(answered(503, plain).status, QUARRY_UNAVAILABLE);
  EXPECT_NE(answered(429, plain).hint.find("Try again in 7 seconds"), std::string::npos);
  EXPECT_NE(answered(400, plain).details.find("/url"), std::string::npos);
}

/// Sends the body from the offset asked for, and breaks off twice.
TEST(Archive, ACutTransferIsContinued) {
  ArchiveHost host;
  const std::string whole = Tar().file("a", std::string(3000, 'a')).end();
  host.http.piece = 1000;
  std::vector<std::string> ranges;
  host.http.answer = [&](const HttpRequest& request) -> Outcome<HttpResponse> {
    const std::string range(header(request.headers, "range"));
    ranges.push_back(range);
    const std::size_t from = range.empty() ? 0 : std::stoul(range.substr(6));
    HttpResponse out{from == 0 ? 200 : 206, {{"etag", "\"v\"", {}}}, whole.substr(from)};
    out.headers.push_back({"content-range", "bytes " + std::to_string(from) + "-9/10", {}});
    return out;
  };
  // The test kit cannot break a response off, so the call ends in the middle of it.
  host.call.cancel_after(4);
  EXPECT_FALSE(host.resolve(kPlain));
  host.call.cancel_after(-1);
  const auto version = host.resolve(kPlain);
  ASSERT_TRUE(version) << version.failure().message;
  EXPECT_EQ(id_of(*version), "sha256:" + package_source::sha256_hex(whole));
  ASSERT_EQ(ranges.size(), 2u);
  EXPECT_TRUE(ranges[1].starts_with("bytes=")) << ranges[1];
}

TEST(Archive, TooMuchIsRefusedBeforeItIsReceived) {
  ArchiveHost host(R"({"max_download_mib":1})");
  host.body.assign((1u << 20) + 1, 'x');
  const auto got = host.resolve(kPlain);
  ASSERT_FALSE(got);
  EXPECT_EQ(got.failure().status, QUARRY_RESOURCE_EXHAUSTED);
  EXPECT_NE(got.failure().hint.find("max_download_mib"), std::string::npos);
  EXPECT_FALSE(has_partial(host));
}

TEST(Archive, WhatCannotBeContinuedIsRemoved) {
  ArchiveHost host;
  host.body = two_files();
  host.etag.clear();
  host.http.piece = 100;
  host.call.cancel_after(4);
  EXPECT_FALSE(host.resolve(kPlain));
  EXPECT_FALSE(has_partial(host));
}

TEST(Archive, ARangeThatIsGoneBeginsAnew) {
  ArchiveHost host;
  const std::string whole = two_files();
  host.http.piece = 100;
  host.http.answer = [&](const HttpRequest& request) -> Outcome<HttpResponse> {
    if (!header(request.headers, "range").empty()) return HttpResponse{416, {}, {}};
    return HttpResponse{200, {{"etag", "\"v\"", {}}}, whole};
  };
  host.call.cancel_after(4);
  EXPECT_FALSE(host.resolve(kPlain));
  EXPECT_TRUE(has_partial(host));
  host.call.cancel_after(-1);
  EXPECT_TRUE(host.resolve(kPlain));
  EXPECT_EQ(host.http.requests.size(), 3u);
}

TEST(Archive, CancellationStopsEverywhere) {
  for (int looks = 0; looks < 40; ++looks) {
    ArchiveHost host;
    host.body = two_files();
    Tree tree;
    host.call.cancel_after(looks);
    const auto got = host.get(kPlain, tree);
    if (!got) {
      EXPECT_EQ(got.failure().status, QUARRY_CANCELLED) << looks << got.failure().message;
    }
    host.call.cancel_after(-1);
    Tree again;
    EXPECT_TRUE(host.get(kPlain, again)) << looks;
  }
}

TEST(Archive, ADamagedOneIsDownloadedAgain) {
  ArchiveHost host;
  host.body = two_files().substr(0, 600);
  Tree tree;
  EXPECT_FALSE(host.get(kPlain, tree));
  host.body = two_files();  // the same ETag: the first transfer was cut
  Tree whole;
  EXPECT_TRUE(host.get(kPlain, whole));
}

TEST(Archive, OtherSecretsShareNothing) {
  ArchiveHost host;
  host.body = two_files();
  host.secrets = {{"a", "1"}, {"b", "2"}};
  ASSERT_TRUE(host.resolve(plain_with(R"("token":"a")")));
  ASSERT_TRUE(host.resolve(plain_with(R"("token":"b")")));
  EXPECT_EQ(host.sent(1, "if-none-match"), "");
}

/// The name of the only entry in the cache after a resolve.
std::string cache_entry(const std::string& configuration) {
  ArchiveHost host(configuration);
  host.body = two_files();
  EXPECT_TRUE(host.resolve(kPlain));
  const std::filesystem::directory_iterator entries(host.directory.path() / "cache");
  return entries->path().filename();
}

TEST(Archive, ProjectsShareNothingWithTheOwner) {
  EXPECT_EQ(cache_entry("{}"), cache_entry(R"({"max_download_mib":1})"));
  EXPECT_NE(cache_entry("{}"), cache_entry(R"({"acts_for":"project"})"));
}

TEST(Archive, WithoutACacheTheFetchUsesItsScratch) {
  ArchiveHost host;
  host.body = two_files();
  host.type.host.offer(QUARRY_PATHS, nullptr);
  const std::string resource =
      plain_with(R"("sha256":")" + package_source::sha256_hex(host.body) + "\"");
  Tree tree;
  const auto got = host.get(resource, tree);
  ASSERT_TRUE(got) << got.failure().message;
  EXPECT_EQ(tree.files.size(), 2u);
  EXPECT_EQ(host.resolve(kPlain).failure().status, QUARRY_UNSUPPORTED);
}

TEST(Archive, WithoutHttpItSaysSo) {
  ArchiveHost host;
  host.type.host.offer(QUARRY_HTTP, nullptr);
  EXPECT_EQ(host.resolve(kPlain).failure().status, QUARRY_UNSUPPORTED);
}

TEST(Archive, FilesOfAForgeHavePages) {
  const std::string commit(40, 'c');
  const std::string record = "52 comment=" + commit + "\n";
  ArchiveHost host;
  host.body = Tar()
                  .member("pax_global_header", 'g', record, record.size(), "")
                  .file("r-1/src/a b.c", "A")
                  .end();
  const auto resource = [](const char* strip) {
    return std::string(R"({"url":"https://github.com/o/r/archive/refs/tags/1.tar.gz","strip":)") +
           strip + "}";
  };
  Tree one;
  const auto stripped = host.get(resource("1"), one);
  EXPECT_EQ(json::string(*stripped, "permalink"),
            "https://github.com/o/r/blob/" + commit + "/{path}#L{start}-L{end}");
  Tree all;
  EXPECT_TRUE(host.get(resource("0"), all));
  EXPECT_EQ(all.facts["r-1/src/a b.c"].permalink,
            "https://github.com/o/r/blob/" + commit + "/src/a%20b.c#L{start}-L{end}");
}

TEST(Archive, TheSchemaIsThatOfTheManifest) {
  ArchiveHost host;
  quarry::testing::Reply reply;
  host.type->describe(host.type.instance(), host.call.get(), reply.get());
  std::string schema =
      content_of(std::filesystem::path(QUARRY_SOURCE_DIR) / "plugins/resource-archive/schema.json");
  EXPECT_EQ(json::member(reply.value(), "schema"),
            schema.substr(0, schema.find_last_not_of('\n') + 1));
}

}  // namespace

}  // namespace quarry::resource_archive
