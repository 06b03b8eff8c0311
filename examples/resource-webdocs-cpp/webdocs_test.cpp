#include <quarry/json.hpp>
#include <quarry/resource.h>
#include <quarry/testing.hpp>

#include <utility>

namespace {

using quarry::testing::FakeCall;
using quarry::testing::FakeHttp;
using quarry::testing::Reply;
using quarry::testing::Tree;
namespace json = quarry::json;

constexpr std::string_view kDocs =
    R"({"type":"webdocs","url":"https://a.example/docs/","limit":50})";
constexpr std::string_view kIndex =
    "# Docs\n- [One](one.md)\n- [Two](two.html)\n- [Ext](//b.example)\n";

struct Page {
  std::string body;
  std::string type;
  std::string tag;
  int status = 200;
};

/// A site that answers conditional requests.
class WebDocs : public testing::Test {
 protected:
  WebDocs() {
    http_.answer = [this](const quarry::HttpRequest& request) { return answer(request); };
    docs_.host.offer(QUARRY_HTTP, http_.get());
    site_["/docs/llms.txt"] = {std::string(kIndex), "text/plain", "\"i1\""};
    site_["/docs/one.md"] = {"# First\n\nOne.\n", "text/markdown", "\"o1\""};
    site_["/docs/two.html"] = {"<title>Second</title><p>Two.", "text/html; charset=utf-8",
                               "\"t1\""};
  }

  quarry::Outcome<quarry::HttpResponse> answer(const quarry::HttpRequest& request) {
    const std::string origin = "https://a.example";
    if (!request.url.starts_with(origin)) {
      return quarry::Failure{QUARRY_PERMISSION_DENIED, "not permitted", {}, {}};
    }
    const auto found = site_.find(request.url.substr(origin.size()));
    if (found == site_.end()) return quarry::HttpResponse{404, {}, "nothing"};
    const Page& page = found->second;
    if (page.status == 0) return quarry::Failure{QUARRY_UNAVAILABLE, "refused", {}, {}};
    const bool sound = page.status == 200 && !page.tag.empty();
    if (sound && quarry::header(request.headers, "if-none-match") == page.tag) {
      return quarry::HttpResponse{304, {}, {}};
    }
    return quarry::HttpResponse{
        page.status, {{"Content-Type", page.type, {}}, {"ETag", page.tag, {}}}, page.body};
  }

  std::string resolve(std::string_view resource = kDocs) {
    Reply reply;
    docs_->resolve(docs_.instance(), call_.get(), quarry::as_text(resource), {}, reply.get());
    return reply.value();
  }
  void fetch(Reply& reply, Tree& tree, std::string_view version,
             std::string_view resource = kDocs) {
    docs_->fetch(docs_.instance(), call_.get(), quarry::as_text(resource), quarry::as_text(version),
                 quarry::as_text(last_), tree.get(), reply.get());
  }
  /// Fetches the first snapshot; the next call of fetch follows it.
  void fetch_first(Tree& next) {
    const std::string version = resolve();
    Tree first;
    Reply reply;
    fetch(reply, first, version);
    last_ = "{\"version\":" + version +
            ",\"state\":" + std::string(json::member(reply.value(), "state").value_or("{}")) + "}";
    next.last = first.files;
    http_.requests.clear();
  }
  /// Paths of the GET requests whose response is a whole page.
  std::vector<std::string> sent() const {
    std::vector<std::string> out;
    for (const auto& request : http_.requests) {
      const bool conditional = !quarry::header(request.headers, "if-none-match").empty();
      if (request.method == "GET" && !conditional) out.push_back(request.url.substr(17));
    }
    return out;
  }

  quarry::testing::Component<quarry_resource_v1> docs_{quarry_plugin_entry_v1, QUARRY_RESOURCE,
                                                       "webdocs"};
  std::map<std::string, Page> site_;
  FakeHttp http_;
  FakeCall call_;
  std::string last_;
};

TEST_F(WebDocs, BecomeFilesWithTitlesAndAddresses) {
  Tree tree;
  Reply reply;
  fetch(reply, tree, resolve());
  EXPECT_EQ(json::strings(reply.value(), "notes"),
            std::vector<std::string>{"1 links lead to other hosts, whose pages are left out"});
  EXPECT_EQ(tree.files, (std::map<std::string, std::string>{{"docs/llms.txt", std::string(kIndex)},
                                                            {"docs/one.md", "# First\n\nOne.\n"},
                                                            {"docs/two.md", "Two.\n"}}));
  EXPECT_EQ(tree.facts["docs/one.md"],
            (Tree::Facts{"https://a.example/docs/one.md", "First", "text/markdown"}));
  EXPECT_EQ(tree.facts["docs/two.md"],
            (Tree::Facts{"https://a.example/docs/two.html", "Second", "text/markdown"}));
  EXPECT_EQ(tree.facts["docs/llms.txt"].media_type, "text/plain");
}

TEST_F(WebDocs, ThatAreUnchangedAreNotSentAgain) {
  Tree tree;
  fetch_first(tree);
  const std::string version = resolve();
  EXPECT_EQ(version, json::member(last_, "version"));
  http_.requests.clear();
  Reply reply;
  fetch(reply, tree, version);
  EXPECT_EQ(tree.files, tree.last);
  EXPECT_EQ(sent(), std::vector<std::string>{"/docs/llms.txt"}) << "the index alone";
  EXPECT_EQ(json::member(reply.value(), "state"), json::member(last_, "state"));
}

TEST_F(WebDocs, OfWhichOneChangedSendThatOne) {
  Tree tree;
  fetch_first(tree);
  site_["/docs/one.md"] = {"# New\n", "text/markdown", "\"o2\""};
  const std::string version = resolve();
  EXPECT_NE(json::string(version, "id"), json::string(*json::member(last_, "version"), "id"));
  Reply reply;
  fetch(reply, tree, version);
  EXPECT_EQ(tree.files["docs/one.md"], "# New\n");
  EXPECT_EQ(tree.files["docs/two.md"], "Two.\n");
  EXPECT_NE(reply.value().find("\\\"o2\\\""), std::string::npos) << reply.value();
}

TEST_F(WebDocs, WithoutValidatorsAreComparedByTheirText) {
  site_["/docs/one.md"].tag.clear();
  const std::string before = resolve();
  EXPECT_EQ(resolve(), before);
  site_["/docs/one.md"].body = "# Changed\n";
  EXPECT_NE(resolve(), before);
}

TEST_F(WebDocs, UseLastModifiedWithoutAnETag) {
  site_["/docs/one.md"].tag = "Mon, 02 Nov 2026 08:00:00 GMT";  // no quotes: no ETag
  http_.answer = [this](const quarry::HttpRequest& request) {
    auto response = answer(request);
    if (response)
      (*response).headers.push_back({"Last-Modified", "Mon, 02 Nov 2026 08:00:00 GMT", {}});
    return response;
  };
  Tree tree;
  fetch_first(tree);
  Reply reply;
  fetch(reply, tree, "{\"id\":\"x\",\"index\":\"\"}");
  EXPECT_EQ(quarry::header(http_.requests[2].headers, "if-modified-since"),
            "Mon, 02 Nov 2026 08:00:00 GMT");
}

TEST_F(WebDocs, ThatAreGoneAreLeftOut) {
  Tree tree;
  fetch_first(tree);
  site_.erase("/docs/one.md");
  Reply reply;
  fetch(reply, tree, resolve());
  EXPECT_EQ(tree.files.count("docs/one.md"), 0u);
  EXPECT_NE(reply.value().find("1 pages are named by the site but do not exist"),
            std::string::npos);
}

TEST_F(WebDocs, ThatCannotBeReadNowKeepTheirLastText) {
  Tree tree;
  fetch_first(tree);
  site_["/docs/one.md"].status = 500;
  site_["/docs/two.html"].status = 0;
  Reply reply;
  fetch(reply, tree, resolve());
  EXPECT_EQ(tree.files["docs/one.md"], "# First\n\nOne.\n");
  EXPECT_EQ(tree.files["docs/two.md"], "Two.\n");
  EXPECT_NE(reply.value().find("2 pages could not be read now; their last"), std::string::npos);
  EXPECT_EQ(json::member(reply.value(), "state"), json::member(last_, "state"));
}

TEST_F(WebDocs, OfWhichOneFailsAtFirstHaveTheOthers) {
  site_["/docs/one.md"].status = 503;
  Tree tree;
  Reply reply;
  fetch(reply, tree, resolve());
  EXPECT_EQ(tree.files.size(), 2u);
  EXPECT_NE(reply.value().find("1 pages could not be read and are missing"), std::string::npos);
}

TEST_F(WebDocs, OfWhichNoneCanBeReadAreAFailure) {
  const std::string version = resolve();
  bool index = true;
  http_.answer = [&](const quarry::HttpRequest& request) {
    auto response = answer(request);
    if (!std::exchange(index, false)) (*response).status = 500;
    return response;
  };
  Tree tree;
  Reply reply;
  fetch(reply, tree, version);
  EXPECT_EQ(reply.failure().status, QUARRY_UNAVAILABLE);
  EXPECT_EQ(reply.failure().message,
            "no page that https://a.example/docs/llms.txt names could be read");
}

TEST_F(WebDocs, MissingInTheLastSnapshotAreSentAgain) {
  Tree tree;
  fetch_first(tree);
  tree.last.clear();
  Reply reply;
  fetch(reply, tree, resolve());
  EXPECT_EQ(tree.files.size(), 3u);
  EXPECT_EQ(json::member(reply.value(), "state"), json::member(last_, "state"));
}

TEST_F(WebDocs, AreFoundByTheSitemapWithoutAnIndex) {
  site_["/docs/llms.txt"] = {"<html>Not found</html>", "text/html", ""};
  site_["/sitemap.xml"] = {
      "<urlset><url><loc>https://a.example/docs/two.html</loc></url>"
      "<url><loc>https://a.example/blog/</loc></url></urlset>",
      "application/xml", ""};
  Tree tree;
  Reply reply;
  fetch(reply, tree, resolve());
  EXPECT_EQ(tree.files, (std::map<std::string, std::string>{{"docs/two.md", "Two.\n"}}));
}

TEST_F(WebDocs, AreFoundByAnIndexOfSitemaps) {
  site_.erase("/docs/llms.txt");
  site_["/docs/sitemap.xml"] = {
      "<sitemapindex><sitemap><loc>/docs/s1.xml</loc></sitemap><sitemap><loc>/docs/s2.xml</loc>"
      "</sitemap><sitemap><loc>https://b.example/s.xml</loc></sitemap></sitemapindex>",
      "text/xml", ""};
  site_["/docs/s1.xml"] = {"<urlset><loc>https://a.example/docs/one.md</loc></urlset>", "text/xml",
                           ""};
  site_["/docs/s2.xml"] = {"<urlset><loc>https://a.example/docs/two.html</loc></urlset>",
                           "text/xml", ""};
  Tree tree;
  Reply reply;
  fetch(reply, tree, resolve());
  EXPECT_EQ(tree.files.size(), 2u) << reply.value();
  site_["/docs/s2.xml"].status = 502;
  Reply failed;
  docs_->resolve(docs_.instance(), call_.get(), quarry::as_text(kDocs), {}, failed.get());
  EXPECT_EQ(failed.failure().status, QUARRY_UNAVAILABLE) << "its pages would seem to be gone";
}

TEST_F(WebDocs, AreAtMostAsManyAsTheLimit) {
  const std::string_view two = R"({"url":"https://a.example/docs/llms.txt","limit":2})";
  Tree tree;
  Reply reply;
  fetch(reply, tree, resolve(two), two);
  EXPECT_EQ(tree.files.size(), 2u);
  EXPECT_NE(reply.value().find("1 further pages are left out"), std::string::npos);
}

TEST_F(WebDocs, WithoutAListOfPagesNameTheField) {
  site_.clear();
  Reply reply;
  docs_->resolve(docs_.instance(), call_.get(), quarry::as_text(kDocs), {}, reply.get());
  EXPECT_EQ(reply.failure().status, QUARRY_NOT_FOUND);
  EXPECT_NE(reply.failure().details.find(R"("field":"/url")"), std::string::npos);
}

TEST_F(WebDocs, OfAServerThatFailsAreUnavailable) {
  site_["/docs/llms.txt"].status = 500;
  Reply reply;
  docs_->resolve(docs_.instance(), call_.get(), quarry::as_text(kDocs), {}, reply.get());
  EXPECT_EQ(reply.failure().status, QUARRY_UNAVAILABLE);
  EXPECT_EQ(reply.failure().message, "https://a.example/docs/llms.txt answered with status 500");
}

TEST_F(WebDocs, NeedTheHostsHttp) {
  docs_.host.offer(QUARRY_HTTP, nullptr);
  Reply reply;
  docs_->resolve(docs_.instance(), call_.get(), quarry::as_text(kDocs), {}, reply.get());
  EXPECT_EQ(reply.failure().status, QUARRY_UNSUPPORTED);
}

TEST_F(WebDocs, EndWithTheCall) {
  const std::string version = resolve();
  for (int checks = 0; checks < 4; ++checks) {
    Tree tree;
    Reply reply;
    call_.cancel_after(checks);
    fetch(reply, tree, version);
    EXPECT_EQ(reply.failure().status, QUARRY_CANCELLED) << checks;
  }
}

TEST_F(WebDocs, EndWhenTheTreeIsFull) {
  const std::string version = resolve();
  Tree tree;
  tree.refuse_after(1);
  Reply reply;
  fetch(reply, tree, version);
  EXPECT_EQ(reply.failure().status, QUARRY_RESOURCE_EXHAUSTED);
}

TEST_F(WebDocs, WithHostileAddressesStayInTheTree) {
  site_["/docs/llms.txt"].body =
      "[a](../../../etc/passwd) [b](..%2f..%2fb) [c](c?x=../y) [d](d.html) [e](d) [f](.ssh/key)";
  for (const char* const path : {"/etc/passwd", "/docs/..%2f..%2fb", "/docs/c?x=../y",
                                 "/docs/d.html", "/docs/d", "/docs/.ssh/key"}) {
    site_[path] = {path, "text/plain", ""};
  }
  Tree tree;
  Reply reply;
  fetch(reply, tree, resolve());
  EXPECT_EQ(tree.files.size(), 7u) << reply.value();
  for (const auto& [name, text] : tree.files) {
    EXPECT_EQ(("/" + name + "/").find("/."), std::string::npos) << name;
  }
  EXPECT_EQ(tree.files["etc/passwd.md"], "/etc/passwd");
  EXPECT_EQ(tree.files["docs/c%3Fx%3D..%2Fy.md"], "/docs/c?x=../y");
  EXPECT_EQ(tree.files.count("docs/d.md"), 0u) << "two pages would have this name";
}

TEST_F(WebDocs, OfOtherKindsAreLeftOut) {
  site_["/docs/one.md"] = {"%PDF", "application/pdf", ""};
  site_["/docs/two.html"] = {std::string(5 << 20, 'x'), "text/plain", ""};
  Tree tree;
  Reply reply;
  fetch(reply, tree, resolve());
  EXPECT_EQ(tree.files.size(), 1u);
  EXPECT_NE(reply.value().find("1 pages are too large"), std::string::npos);
  EXPECT_NE(reply.value().find("1 pages have no text"), std::string::npos);
}

TEST_F(WebDocs, KeepAStateThatFits) {
  const std::string_view many = R"({"url":"https://a.example/docs/","limit":500})";
  std::string& index = site_["/docs/llms.txt"].body;
  for (int i = 0; i < 490; ++i) {
    const std::string page = "page" + std::to_string(i);
    index += "[p](" + page + ")";
    site_["/docs/" + page] = {"text", "text/plain", "\"" + std::string(180, 'e') + "\""};
  }
  Tree tree;
  Reply reply;
  fetch(reply, tree, resolve(many), many);
  EXPECT_EQ(tree.files.size(), 493u);
  EXPECT_LE(json::member(reply.value(), "state")->size(), 64u << 10);
  last_ = R"({"state":)" + std::string(*json::member(reply.value(), "state")) + "}";
  Tree next;
  next.last = tree.files;
  Reply again;
  fetch(again, next, resolve(many), many);
  EXPECT_EQ(next.files, tree.files);
}

TEST_F(WebDocs, OfALockedVersionMustBeTheSame) {
  const std::string version = resolve();
  const std::string locked = R"({"id":)" + json::quoted(*json::string(version, "id")) +
                             R"(,"immutable":false,"display":"3 pages"})";
  Tree same;
  Reply held;
  fetch(held, same, locked);
  EXPECT_EQ(same.files.size(), 3u) << held.value();
  site_["/docs/one.md"] = {"# New\n", "text/markdown", "\"o2\""};
  Tree changed;
  Reply reply;
  fetch(reply, changed, locked);
  EXPECT_EQ(reply.failure().status, QUARRY_NOT_FOUND);
  EXPECT_EQ(reply.failure().message, "the site has changed since it was locked");
}

TEST_F(WebDocs, OfALockedVersionMayBeTooLarge) {
  site_["/docs/two.html"] = {std::string(5 << 20, 'x'), "text/plain", "\"t1\""};
  const std::string id = json::string(resolve(), "id").value_or("");
  Tree tree;
  Reply reply;
  fetch(reply, tree, R"({"id":)" + json::quoted(id) + R"(,"immutable":false,"display":"x"})");
  EXPECT_EQ(tree.files.size(), 2u) << reply.value();
}

TEST_F(WebDocs, HaveOneForm) {
  const auto normalised = [this](const std::string& resource) {
    Reply reply;
    docs_->normalise(docs_.instance(), call_.get(), quarry::as_text(resource), reply.get());
    return reply.value();
  };
  EXPECT_EQ(normalised(R"({"type":"webdocs","name":"x","url":"HTTPS://A.example:443/docs/#top"})"),
            R"({"type":"webdocs","url":"https://a.example/docs/","limit":100})");
  EXPECT_EQ(normalised(R"({"url":"http://127.0.0.1:80/","limit":7})"),
            R"({"type":"webdocs","url":"http://127.0.0.1/","limit":7})");
}

TEST_F(WebDocs, WithWrongAddressesNameTheField) {
  for (const char* const url :
       {"http://a.example/", "https://me@a.example/", "https://a.example/?x", "ftp://a.example/",
        "http://127.0.0.1.a.example/"}) {
    Reply reply;
    const std::string resource = "{\"url\":" + json::quoted(url) + "}";
    docs_->normalise(docs_.instance(), call_.get(), quarry::as_text(resource), reply.get());
    EXPECT_EQ(reply.failure().status, QUARRY_INVALID_ARGUMENT) << url;
    EXPECT_NE(reply.failure().details.find(R"("field":"/url")"), std::string::npos) << url;
  }
}

TEST_F(WebDocs, HaveReferences) {
  const auto parsed = [this](std::string_view reference) {
    Reply reply;
    docs_->parse_reference(docs_.instance(), call_.get(), quarry::as_text(reference), reply.get());
    return reply.value();
  };
  EXPECT_EQ(parsed("https://a.example/docs"),
            R"({"resource":{"type":"webdocs","name":"a.example","url":"https://a.example/docs"},)"
            R"("confidence":20})");
  EXPECT_EQ(parsed("https://a.example/x/llms.txt").substr(0, 12), R"({"resource":)");
  EXPECT_NE(parsed("webdocs:https://a.example/").find(R"("confidence":100)"), std::string::npos);
  for (const char* const other :
       {"https://a.example/", "http://a.example/docs", "npm:docs", "./docs",
        "https://a.example/x?/docs", "https://a.example/mydocs.git"}) {
    EXPECT_EQ(parsed(other), "null") << other;
  }
}

TEST_F(WebDocs, DescribeTheirFields) {
  Reply reply;
  docs_->describe(docs_.instance(), call_.get(), reply.get());
  const auto schema = json::member(reply.value(), "schema");
  EXPECT_EQ(json::strings(schema.value_or(""), "required"), std::vector<std::string>{"url"});
}

}  // namespace
