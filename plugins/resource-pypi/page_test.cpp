#include "resource-pypi/page.h"

#include "resource-pypi/html.h"

#include <random>

#include <gtest/gtest.h>

namespace quarry::resource_pypi {
namespace {

const std::string kSha(64, 'a');

Outcome<Page> read(std::string_view body, std::string_view type = "text/html") {
  return read_page(body, type, *Url::parse("https://example.org/simple/my-pkg/"), "my-pkg");
}

Page html_page(std::string_view body) {
  auto page = read(body);
  EXPECT_TRUE(page) << page.failure().message;
  return page ? *page : Page{};
}

TEST(Html, AnchorsHaveTheirAttributes) {
  const Page page = html_page(
      "<!DOCTYPE html><!-- <a href='my-pkg-9.tar.gz'> --><script>'<a href=my-pkg-8.zip>'</script>"
      "<A class=x HREF='../../f/my_pkg-1.0.tar.gz#sha256=" +
      kSha +
      "' data-requires-python=\"&gt;=3.6&#44;&#x3c;4\" data-yanked data-core-metadata=\"sha256=" +
      kSha + "\">x</A>\n<a href=\"notes.html\">no</a><a>none</a>");
  ASSERT_EQ(page.files.size(), 1u);
  const auto& file = page.files[0];
  EXPECT_EQ(file.url.text(), "https://example.org/f/my_pkg-1.0.tar.gz");
  EXPECT_EQ(file.requires_python, ">=3.6,<4");
  EXPECT_TRUE(file.yanked);
  EXPECT_EQ(file.hash->text(), "sha256=" + kSha);
  EXPECT_EQ(file.metadata_hash->hex, kSha);
  EXPECT_EQ(page.others, 1u);
}

TEST(Html, BaseAndVersionCount) {
  const Page page = html_page(
      "<base href='https://cdn.example.org/x/'><base href='https://evil/'><a href=my-pkg-1.zip>");
  EXPECT_EQ(page.files.at(0).url.text(), "https://cdn.example.org/x/my-pkg-1.zip");
  EXPECT_FALSE(read("<meta name='pypi:repository-version' content='2.0'>"));
  EXPECT_TRUE(read("<meta name='pypi:repository-version' content='1.9'>"));
}

TEST(Html, AnHttpsPageDoesNotLeadToHttp) {
  EXPECT_TRUE(html_page("<a href='http://example.org/my-pkg-1.zip'>").files.empty());
}

TEST(Html, AnyBytesAreReadWithoutHarm) {
  std::mt19937 random(5);
  const std::string alphabet = "<>a='\"/!-&;#x base href meta script \n\x80";
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    for (std::size_t i = random() % 60; i > 0; --i) text += alphabet[random() % alphabet.size()];
    each_tag(text, [](const Tag& tag) { EXPECT_FALSE(tag.name.empty()); });
  }
}

TEST(Json, FilesAreRead) {
  const auto page =
      read(R"({"meta":{"api-version":"1.3"},"project-status":{"status":"archived","reason":"old"},
    "files":[{"filename":"my_pkg-1.0.tar.gz","url":"../f/my_pkg-1.0.tar.gz","hashes":{"md5":"00","sha256":")" +
               kSha + R"("},
    "requires-python":">=3","yanked":"why","size":12,"core-metadata":{"sha256":")" +
               kSha + R"("}},
    {"filename":"my_pkg-1.1.zip","url":"my_pkg-1.1.zip","hashes":{},"requires-python":null,"yanked":false},
    3,null,{},{"filename":7,"url":[]}]})",
           "Application/vnd.PyPI.simple.v1+json; charset=utf-8");
  ASSERT_TRUE(page) << page.failure().message;
  ASSERT_EQ(page->files.size(), 2u);
  EXPECT_EQ(page->files[0].yanked_reason, "why");
  EXPECT_EQ(page->files[0].size, 12u);
  EXPECT_TRUE(page->files[0].has_metadata);
  EXPECT_FALSE(page->files[1].yanked);
  EXPECT_FALSE(page->files[1].hash);
  EXPECT_EQ(page->status, "archived");
}

TEST(Json, OtherThingsFail) {
  const std::string deep(100'000, '[');
  for (const std::string& body :
       {std::string("{"), std::string("[]"), std::string("{\"files\":{}}"), deep,
        std::string(R"({"meta":{"api-version":"2.0"},"files":[]})"), std::string()}) {
    const auto page = read(body, "application/vnd.pypi.simple.v1+json");
    ASSERT_FALSE(page);
    EXPECT_NE(page.failure().hint, "");
  }
  EXPECT_FALSE(read("x", "image/png"));
}

TEST(Json, AListOfManyObjectsTakesNoTimeForEachPairOfThem) {
  std::string objects = "{}";
  while (objects.size() < 1'200'000) objects += ",{}";
  const auto page = read(R"({"files":[)" + objects + "]}", "application/json");
  ASSERT_TRUE(page) << page.failure().message;
  EXPECT_TRUE(page->files.empty());
}

TEST(Json, WithMoreValuesThanAnyPageIsRefused) {
  const auto page = read(R"({"files":[0)" + std::string(4'000'000, ',') + "]}", "application/json");
  ASSERT_FALSE(page);
  EXPECT_NE(page.failure().message.find("too many values"), std::string::npos);
}

}  // namespace
}  // namespace quarry::resource_pypi
