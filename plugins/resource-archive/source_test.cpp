#include "resource-archive/source.h"

#include <gtest/gtest.h>

namespace quarry::resource_archive {

namespace {

TEST(Reference, AUrlWithAnExtensionIsAnArchive) {
  EXPECT_EQ(resource_of_reference("https://example.org/x-1.2.tar.gz?mirror=2"),
            R"({"resource":{"url":"https://example.org/x-1.2.tar.gz?mirror=2","name":"x-1.2"},)"
            R"("confidence":95})");
  EXPECT_EQ(resource_of_reference("https://example.org/x"), "null");
  EXPECT_EQ(resource_of_reference("https://github.com/o/r/blob/main/x.zip"), "null");
  EXPECT_EQ(resource_of_reference("./x.zip"), "null");
  EXPECT_EQ(resource_of_reference("archive:https://example.org/get?id=1"),
            R"({"resource":{"url":"https://example.org/get?id=1","name":"get"},"confidence":100})");
}

TEST(Reference, ToGithubPermitsItsHostsOfArchives) {
  const std::string resource =
      resource_of_reference("https://github.com/o/r/archive/refs/tags/v1.tar.gz");
  EXPECT_NE(resource.find(R"("redirects":["codeload.github.com",)"), std::string::npos) << resource;
}

TEST(Reference, AFragmentPinsTheArchive) {
  const std::string digest(64, 'a');
  EXPECT_EQ(resource_of_reference("https://example.org/x.zip#sha256=" + digest),
            R"({"resource":{"url":"https://example.org/x.zip","sha256":")" + digest +
                R"(","name":"x"},"confidence":95})");
}

std::string field_of(const std::string& resource) {
  const auto source = read_source(resource);
  if (source) return "none: " + source->canonical();
  const auto at = source.failure().details.find("\"field\":\"") + 9;
  return source.failure().details.substr(at, source.failure().details.find('"', at) - at);
}

TEST(Source, NamesTheWrongField) {
  EXPECT_EQ(field_of(R"({"url":"x"})"), "/url");
  EXPECT_EQ(field_of(R"({"url":"https://e.org/x","path":"a/../b"})"), "/path");
  EXPECT_EQ(field_of(R"({"url":"https://e.org/x","strip":65})"), "/strip");
  EXPECT_EQ(field_of(R"({"url":"https://e.org/x","sha256":"12"})"), "/sha256");
  EXPECT_EQ(field_of(R"({"url":"https://e.org/x","redirects":["a.org","b c"]})"), "/redirects/1");
  EXPECT_EQ(field_of(R"({"url":"https://e.org/x","headers":{"Range":"1"}})"), "/headers/Range");
  EXPECT_EQ(field_of(R"({"url":"https://e.org/x","headers":{"a":"b\nc"}})"), "/headers/a");
  EXPECT_EQ(field_of(R"({"url":"https://e.org/x","tokenHeader":"X-T"})"), "/tokenHeader");
  EXPECT_EQ(field_of(R"({"url":"http://e.org/x","token":"t"})"), "/url");
}

TEST(Source, IsCanonical) {
  EXPECT_EQ(field_of(R"({"name":"n","type":"archive","url":"HTTPS://E.org/x#y","strip":0,
                         "path":"/docs/","redirects":["B.org","https://a.org/z","b.org"],
                         "specialNotes":"s","headers":{"B":"1","A":"2"}})"),
            R"(none: {"url":"https://e.org/x","path":"docs","redirects":["a.org","b.org"],)"
            R"("headers":{"a":"2","b":"1"}})");
}

TEST(Source, NullIsMissing) {
  EXPECT_EQ(field_of(R"({"url":"https://e.org/x","sha256":null,"strip":null,"path":null,
                         "redirects":null,"tokenHeader":null,"headers":null})"),
            R"(none: {"url":"https://e.org/x"})");
}

}  // namespace

}  // namespace quarry::resource_archive
