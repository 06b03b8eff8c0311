#include "resource-pypi/testing/index_host.h"

#include <quarry/json.hpp>
#include <quarry/secrets.h>

#include <filesystem>

#include <gtest/gtest.h>

namespace quarry::resource_pypi {
namespace {

using quarry::testing::FakeCall;
using quarry::testing::Reply;
using testing::Index;
using testing::Item;
using testing::packed;
using testing::ScratchFolder;
using testing::sha256;

class PypiTest : public ::testing::Test {
 protected:
  PypiTest() {
    tree_.scratch = scratch_.path();
    http_.answer = [this](const HttpRequest& request) { return index_.answer(request); };
  }

  std::string resolve(const std::string& last = "") {
    Reply reply;
    type_->resolve(type_.instance(), call_.get(), as_text(resource_), as_text(last), reply.get());
    return reply.value();
  }
  Failure resolve_fails() {
    Reply reply;
    type_->resolve(type_.instance(), call_.get(), as_text(resource_), {}, reply.get());
    return reply.failure();
  }
  void fetch(const std::string& version) {
    type_->fetch(type_.instance(), call_.get(), as_text(resource_), as_text(version), {},
                 tree_.get(), reply_.get());
  }
  Failure fetch_fails(const std::vector<Item>& items) {
    index_.offer("x-1.0.tar.gz", packed(items));
    fetch(resolve());
    EXPECT_TRUE(tree_.files.empty());
    return reply_.failure();
  }

  std::string resource_ = R"({"package":"x","index":"https://i.example/simple/"})";
  const ScratchFolder scratch_;
  Index index_;
  quarry::testing::FakeHttp http_;
  quarry::testing::FakePaths paths_;
  quarry::testing::Component<quarry_resource_v1> type_{
      quarry_plugin_entry_v1,
      QUARRY_RESOURCE,
      "pypi",
      "{}",
      {{QUARRY_HTTP, http_.get()}, {QUARRY_PATHS, paths_.get()}}};
  FakeCall call_;
  Reply reply_;
  quarry::testing::Tree tree_;
};

const std::vector<Item> kGood{{"x-1.0/PKG-INFO", "Name: x\nVersion: 1.0\n\nReadme\n"},
                              {"x-1.0/x/__init__.py", "A = 1\n"}};

TEST_F(PypiTest, ItsExamplesAreReferences) {
  type_->describe(type_.instance(), call_.get(), reply_.get());
  EXPECT_EQ(json::string(reply_.value(), "type"), "pypi");
  const auto examples = json::strings(reply_.value(), "examples");
  EXPECT_EQ(examples.size(), 4U);
  for (const auto& example : examples) {
    Reply parsed;
    type_->parse_reference(type_.instance(), call_.get(), as_text(example), parsed.get());
    EXPECT_NE(parsed.value(), "null") << example;
  }
}

// astral-sh/uv#13324: refusals, limits and log-in pages of indexes.
TEST_F(PypiTest, AnAnswerThatIsNoIndexSaysWhatItIs) {
  HttpResponse response;
  http_.answer = [&](const HttpRequest&) { return response; };
  response = {200,
              {{"content-type", "text/html", {}}},
              "<!DOCTYPE html><title>Sign in</title><form action='/login'><a href='/help'>?</a>"};
  Failure failure = resolve_fails();
  EXPECT_NE(failure.message.find("is a web page, \"Sign in\""), std::string::npos)
      << failure.message;
  EXPECT_NE(failure.hint.find("in a browser"), std::string::npos) << failure.hint;
  response.headers = {{"content-type", "application/json", {}}};
  EXPECT_NE(resolve_fails().message.find("is a web page"), std::string::npos);
  response = {429, {{"retry-after", "30", {}}}, "Too many requests\n"};
  failure = resolve_fails();
  EXPECT_NE(failure.message.find(": Too many requests"), std::string::npos) << failure.message;
  EXPECT_EQ(failure.hint, "Try again in 30 seconds.");
  response = {403, {}, R"({"errors":[{"status":403,"message":"Blocked by policy"}]})"};
  EXPECT_NE(resolve_fails().message.find("Blocked by policy"), std::string::npos);
}

TEST_F(PypiTest, AnSdistLosesItsFolder) {
  index_.offer("x-1.0.tar.gz", packed(kGood), "data-requires-python='&gt;=3.8'");
  const std::string version = resolve();
  EXPECT_EQ(json::string(version, "id"),
            "x-1.0.tar.gz#sha256=" + sha256(index_.files["x-1.0.tar.gz"]));
  EXPECT_EQ(json::string(version, "display"), "1.0");
  EXPECT_EQ(json::string(*json::member(version, "resource"), "version"), "1.0");
  fetch(version);
  EXPECT_EQ(json::strings(reply_.value(), "notes"),
            std::vector<std::string>{"It requires Python >=3.8."});
  EXPECT_EQ(tree_.files.size(), 3u);
  EXPECT_EQ(tree_.files["x/__init__.py"], "A = 1\n");
  EXPECT_NE(tree_.files["PYPI-PACKAGE.md"].find("Readme"), std::string::npos);
  EXPECT_EQ(json::strings(reply_.value(), "generated"),
            std::vector<std::string>{"PYPI-PACKAGE.md"});
  EXPECT_FALSE(json::member(reply_.value(), "permalink"));
}

TEST_F(PypiTest, PypisFilesHavePermalinks) {
  resource_ = R"({"package":"x","index":"https://pypi.org/simple/"})";
  index_.offer("x-1.0.tar.gz", packed(kGood));
  const std::size_t at = index_.page.find("/files/");
  index_.page.replace(at, 7, "https://files.pythonhosted.org/packages/aa/bb/cc/");
  fetch(resolve());
  EXPECT_EQ(json::string(reply_.value(), "permalink"),
            "https://inspector.pypi.io/project/x/1.0/packages/aa/bb/cc/x-1.0.tar.gz/x-1.0/"
            "{path}#line.{start}");
  EXPECT_EQ(tree_.facts["PYPI-PACKAGE.md"].permalink, "https://pypi.org/project/x/1.0/");
  EXPECT_FALSE(json::member(reply_.value(), "generated")) << "such files have no permalink";
}

TEST_F(PypiTest, AnUnchangedPageCostsOneConditionalRequest) {
  index_.offer("x-1.0.tar.gz", packed(kGood));
  const std::string version = resolve();
  http_.requests.clear();
  EXPECT_EQ(resolve("{\"version\":" + version + "}"), version);
  ASSERT_EQ(http_.requests.size(), 1u);
  EXPECT_NE(header(http_.requests[0].headers, "if-none-match"), "");
  EXPECT_NE(header(http_.requests[0].headers, "accept").find("v1+json"), std::string::npos);
}

TEST_F(PypiTest, AFileWithoutAHashIsMeasured) {
  index_.offer("x-1.0.tar.gz", packed(kGood), "", false);
  const std::string version = resolve();
  EXPECT_EQ(json::string(version, "id"),
            "x-1.0.tar.gz#sha256=" + sha256(index_.files["x-1.0.tar.gz"]));
  EXPECT_EQ(resolve("{\"version\":" + version + "}"), version);
  EXPECT_EQ(header(http_.requests.back().headers, "if-none-match").size(), 10u) << "of the file";
  index_.files["x-1.0.tar.gz"] = packed({{"x-1.0/b.py", "b\n"}});
  EXPECT_NE(json::string(resolve("{\"version\":" + version + "}"), "id"),
            json::string(version, "id"));
}

TEST_F(PypiTest, AFileWithoutAHashIsDownloadedOnce) {
  index_.offer("x-1.0.tar.gz", packed(kGood), "", false);
  fetch(resolve());
  EXPECT_EQ(tree_.files["x/__init__.py"], "A = 1\n");
  EXPECT_EQ(http_.requests.size(), 2u) << "the page, and the file";
  EXPECT_TRUE(std::filesystem::is_empty(paths_.cache())) << "it is not needed any more";
}

TEST_F(PypiTest, AKeptFileThatIsDamagedIsDownloadedAgain) {
  index_.offer("x-1.0.tar.gz", packed(kGood), "", false);
  const std::string version = resolve();
  for (const auto& entry : std::filesystem::recursive_directory_iterator(paths_.cache())) {
    if (entry.is_regular_file()) std::filesystem::resize_file(entry.path(), 10);
  }
  fetch(version);
  EXPECT_EQ(tree_.files["x/__init__.py"], "A = 1\n");
  EXPECT_EQ(http_.requests.size(), 3u);
}

TEST_F(PypiTest, AFileWithoutAHashOnAChangedPageIsAskedForConditionally) {
  index_.offer("x-1.0.tar.gz", packed(kGood), "", false);
  const std::string version = resolve();
  index_.page += "<p>More words";
  http_.requests.clear();
  const std::string again = resolve("{\"version\":" + version + "}");
  EXPECT_EQ(json::string(again, "id"), json::string(version, "id"));
  ASSERT_EQ(http_.requests.size(), 2u);
  EXPECT_NE(header(http_.requests[1].headers, "if-none-match"), "");
}

TEST_F(PypiTest, AWrongHashEndsTheFetch) {
  index_.offer("x-1.0.tar.gz", packed(kGood));
  const std::string version = resolve();
  index_.files["x-1.0.tar.gz"] += "more";
  fetch(version);
  EXPECT_NE(reply_.failure().message.find("has another hash"), std::string::npos);
  EXPECT_TRUE(tree_.files.empty());
}

TEST_F(PypiTest, AWrongWeakHashEndsTheResolve) {
  index_.offer("x-1.0.tar.gz", packed(kGood), "", false);
  index_.page.replace(index_.page.find(".gz\""), 4, ".gz#md5=" + std::string(32, '0') + "\"");
  EXPECT_NE(resolve_fails().message.find("md5=000"), std::string::npos);
}

TEST_F(PypiTest, ALockedVersionIsFoundAgain) {
  index_.offer("x-1.0.tar.gz", packed(kGood), "data-yanked='old'");
  index_.offer("x-2.0.tar.gz", packed({{"x-2.0/a", "2"}}));
  const std::string id = "x-1.0.tar.gz#sha256=" + sha256(index_.files["x-1.0.tar.gz"]);
  fetch("{\"id\":" + json::quoted(id) + ",\"immutable\":true,\"display\":\"1.0\"}");
  EXPECT_EQ(json::strings(reply_.value(), "notes").at(0), "Version 1.0 was yanked: old");
  EXPECT_EQ(tree_.files["x/__init__.py"], "A = 1\n");
}

TEST_F(PypiTest, ALockedVersionMayBeGoneOrChanged) {
  index_.offer("x-1.0.tar.gz", packed(kGood));
  fetch(R"({"id":"x-0.9.tar.gz#sha256=)" + std::string(64, '0') + R"("})");
  EXPECT_EQ(reply_.failure().status, QUARRY_NOT_FOUND);
  Reply changed;
  type_->fetch(type_.instance(), call_.get(), as_text(resource_),
               as_text(R"({"id":"x-1.0.tar.gz#sha256=)" + std::string(64, '0') + R"("})"), {},
               tree_.get(), changed.get());
  EXPECT_NE(changed.failure().message.find("has another hash"), std::string::npos);
  Reply other;
  type_->fetch(type_.instance(), call_.get(), as_text(resource_),
               as_text(R"({"id":"../x#sha256=1"})"), {}, tree_.get(), other.get());
  EXPECT_EQ(other.failure().status, QUARRY_INVALID_ARGUMENT);
}

TEST_F(PypiTest, HarmfulArchivesAddNothing) {
  EXPECT_NE(fetch_fails({{"x-1.0/a", "a"}, {"x-1.0/../../b", "b"}}).message.find("leads out of it"),
            std::string::npos);
}
TEST_F(PypiTest, AbsolutePathsAddNothing) {
  EXPECT_NE(fetch_fails({{"/x-1.0/a", "a"}}).message.find("leads out of it"), std::string::npos);
}
TEST_F(PypiTest, DevicesAddNothing) {
  EXPECT_NE(fetch_fails({{"x-1.0/a", "a"}, {"x-1.0/d", "", S_IFIFO}}).message.find("device"),
            std::string::npos);
}
TEST_F(PypiTest, AFileIsNoFolder) {
  EXPECT_NE(fetch_fails({{"x-1.0/a", "a"}, {"x-1.0/a/b", "b"}}).message.find("as a folder"),
            std::string::npos);
}
TEST_F(PypiTest, HardLinksLeadToFilesOfTheArchive) {
  EXPECT_NE(fetch_fails({{"x-1.0/a", "a"}, {"x-1.0/h", "", S_IFREG, "x-1.0/none"}})
                .message.find("hard link"),
            std::string::npos);
}

TEST_F(PypiTest, LinksAreListedAndHardLinksCopied) {
  index_.offer("x-1.0.tar.gz", packed({{"x-1.0/a", "text"},
                                       {"x-1.0/s", "/etc/passwd", S_IFLNK},
                                       {"x-1.0/h", "", S_IFREG, "x-1.0/a"}}));
  fetch(resolve());
  EXPECT_EQ(tree_.links, std::vector<std::string>{"s"});
  EXPECT_EQ(tree_.files["h"], "text");
}

TEST_F(PypiTest, TheLastOfTwoEntriesCounts) {
  index_.offer("x-1.0.tar.gz", packed({{"x-1.0/a", "first"}, {"x-1.0/./a", "second"}}));
  fetch(resolve());
  EXPECT_EQ(tree_.files["a"], "second");
}

TEST_F(PypiTest, NamesOfOtherAlphabetsStay) {
  index_.offer("x-1.0.zip", packed({{"x-1.0/gr\xc3\xbc\xc3\x9f"
                                     "e.md",
                                     "u"}},
                                   true));
  fetch(resolve());
  EXPECT_EQ(tree_.files["gr\xc3\xbc\xc3\x9f"
                        "e.md"],
            "u");
}

TEST_F(PypiTest, CompressionThatNeedsMuchMemoryIsRefused) {
  std::string zip = packed({{"x-1.0/a", std::string(1000, 'a')}}, true);
  for (const auto& [mark, at] :
       std::vector<std::pair<std::string, std::size_t>>{{"PK\3\4", 8}, {"PK\1\2", 10}}) {
    zip[zip.find(mark) + at] = 14;  // LZMA
  }
  index_.offer("x-1.0.zip", zip);
  fetch(resolve());
  EXPECT_NE(reply_.failure().message.find("lzma"), std::string::npos) << reply_.failure().message;
}

TEST_F(PypiTest, LongPathsAreLeftOut) {
  index_.offer("x-1.0.tar.gz",
               packed({{"x-1.0/a", "a"}, {"x-1.0/" + std::string(1100, 'n'), "b"}}));
  fetch(resolve());
  EXPECT_NE(json::strings(reply_.value(), "notes").at(0).find("left out"), std::string::npos);
  EXPECT_EQ(tree_.files.count("a"), 1u);
}

TEST_F(PypiTest, PathsOfManyLevelsAreLeftOut) {
  std::string deep = "x-1.0/";
  while (deep.size() < 400'000) deep += "d/";  // looking up each folder of it would take minutes
  index_.offer("x-1.0.tar.gz", packed({{"x-1.0/a", "a"}, {deep + "b", "b"}}));
  fetch(resolve());
  EXPECT_NE(json::strings(reply_.value(), "notes").at(0).find("1 file was left out"),
            std::string::npos);
  EXPECT_EQ(tree_.files.count("a"), 1u);
}

TEST_F(PypiTest, HardLinksAreSummedBeforeAnythingIsAdded) {
  std::vector<Item> items{{"x-1.0/a", std::string(std::size_t{1} << 20, 'a')}};
  for (int i = 0; i < 100; ++i) {
    items.push_back({"x-1.0/h" + std::to_string(i), "", S_IFREG, "x-1.0/a"});
  }
  const Failure failure = fetch_fails(items);
  EXPECT_NE(failure.message.find("more than 200 times its size of "), std::string::npos)
      << failure.message;
  EXPECT_NE(failure.message.find("hard links as copies"), std::string::npos);
}

TEST_F(PypiTest, AnArchiveThatIsCompressedManyTimesOverAddsNothing) {
  std::vector<Item> items;
  for (int i = 0; i < 70; ++i) {
    items.push_back({"x-1.0/" + std::to_string(i), std::string(std::size_t{1} << 20, 'a')});
  }
  EXPECT_NE(fetch_fails(items).message.find("more than 200 times its size of "), std::string::npos);
}

TEST_F(PypiTest, DamagedArchivesAreRefused) {
  const std::string good = packed(kGood);
  for (const std::size_t size : {std::size_t{0}, std::size_t{20}, good.size() / 2}) {
    index_.page.clear();
    index_.offer("x-1.0.tar.gz", good.substr(0, size));
    Reply reply;
    tree_.files.clear();
    scratch_.clear();
    type_->fetch(type_.instance(), call_.get(), as_text(resource_), as_text(resolve()), {},
                 tree_.get(), reply.get());
    EXPECT_NE(reply.failure().message, "") << size;
    EXPECT_TRUE(tree_.files.empty());
  }
}

TEST_F(PypiTest, DependenciesComeFromTheWheelsMetadata) {
  const std::string metadata = "Name: x\nRequires-Dist: dep>=1\n";
  index_.offer("x-1.0.tar.gz", packed(kGood));
  index_.offer("x-1.0-py3-none-any.whl", "wheel",
               "data-core-metadata='sha256=" + sha256(metadata) + "'");
  index_.files["x-1.0-py3-none-any.whl.metadata"] = metadata;
  fetch(resolve());
  EXPECT_NE(tree_.files["PYPI-PACKAGE.md"].find("- dep>=1"), std::string::npos);
}

TEST_F(PypiTest, AWheelKeepsItsFolders) {
  index_.offer(
      "x-1.0-py3-none-any.whl",
      packed({{"x/__init__.py", "A\n"}, {"x-1.0.dist-info/METADATA", "Name: x\nSummary: sum\n"}},
             true));
  fetch(resolve());
  EXPECT_EQ(tree_.files["x/__init__.py"], "A\n");
  EXPECT_NE(tree_.files["PYPI-PACKAGE.md"].find("sum"), std::string::npos);
  EXPECT_NE(json::strings(reply_.value(), "notes").at(0).find("no source distribution"),
            std::string::npos);
}

TEST_F(PypiTest, AnswersOfTheServerAreFailures) {
  const std::vector<std::pair<int, quarry_status>> answers{
      {404, QUARRY_NOT_FOUND},   {401, QUARRY_UNAUTHENTICATED}, {403, QUARRY_PERMISSION_DENIED},
      {500, QUARRY_UNAVAILABLE}, {429, QUARRY_UNAVAILABLE},     {304, QUARRY_UNAVAILABLE},
      {204, QUARRY_UNAVAILABLE}};
  for (const auto& [status, meant] : answers) {
    http_.answer = [code = status](const HttpRequest&) { return HttpResponse{code, {}, {}}; };
    EXPECT_EQ(resolve_fails().status, meant) << status;
  }
}

TEST_F(PypiTest, RedirectsStayWithThePermittedHosts) {
  const std::vector<std::pair<std::string, std::string>> places{
      {"https://i.example/simple/x/", "more than 5 times"},
      {"https://evil.example/", "another host"},
      {"http://i.example/", "cannot be followed"},
      {"", "cannot be followed"},
      {"file:///etc", "cannot be followed"}};
  for (const auto& [place, message] : places) {
    http_.answer = [location = place](const HttpRequest& request) {
      EXPECT_EQ(request.max_redirects, -1);
      return HttpResponse{302, {{"location", location, {}}}, {}};
    };
    EXPECT_NE(resolve_fails().message.find(message), std::string::npos) << place;
  }
}

TEST_F(PypiTest, ACancelledCallStops) {
  index_.offer("x-1.0.tar.gz", packed(kGood));
  const std::string version = resolve();
  for (int looks = 0; looks < 8; ++looks) {
    Reply reply;
    FakeCall call;
    quarry::testing::Tree tree;
    scratch_.clear();
    tree.scratch = scratch_.path();
    call.cancel_after(looks);
    http_.piece = 40;
    type_->fetch(type_.instance(), call.get(), as_text(resource_), as_text(version), {}, tree.get(),
                 reply.get());
    EXPECT_EQ(reply.failure().status, QUARRY_CANCELLED) << looks;
  }
}

TEST_F(PypiTest, AFullTreeEndsTheFetch) {
  index_.offer("x-1.0.tar.gz", packed(kGood));
  tree_.refuse_after(1);
  fetch(resolve());
  EXPECT_EQ(reply_.failure().status, QUARRY_RESOURCE_EXHAUSTED);
}

/// A host with one secret.
quarry_secrets_v1 secrets_of(const char* value) {
  return {sizeof(quarry_secrets_v1), const_cast<char*>(value),
          [](const quarry_secrets_v1* self, const quarry_call*, quarry_text,
             const quarry_reply* reply) {
            reply->value(reply, as_text(json::quoted(static_cast<const char*>(self->context))));
          },
          [](const quarry_secrets_v1*, quarry_text) {}};
}

TEST_F(PypiTest, TheTokenGoesToTheIndexAlone) {
  const auto secrets = secrets_of("me:pass");
  type_.host.offer(QUARRY_SECRETS, &secrets);
  resource_ =
      R"({"package":"x","index":"https://i.example/simple/","files":"https://f.example/","token":"resource.x.token"})";
  index_.offer("x-1.0.tar.gz", packed(kGood));
  index_.page.replace(index_.page.find("/files/"), 7, "https://f.example/files/");
  fetch(resolve());
  reply_.value();
  ASSERT_EQ(http_.requests.size(), 2u);
  EXPECT_EQ(header(http_.requests[0].headers, "authorization"), "Basic bWU6cGFzcw==");
  EXPECT_EQ(header(http_.requests[1].headers, "authorization"), "");
  resource_ = R"({"package":"x","index":"http://i.example/simple/","token":"resource.x.token"})";
  EXPECT_NE(resolve_fails().message.find("http"), std::string::npos);
}

TEST_F(PypiTest, ItWorksWithoutServices) {
  type_.host.offer(QUARRY_HTTP, nullptr);
  EXPECT_EQ(resolve_fails().status, QUARRY_UNSUPPORTED);
}

}  // namespace
}  // namespace quarry::resource_pypi
