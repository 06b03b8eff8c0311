#include "resource-npm/resource.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace quarry::resource_npm {
namespace {

using Json = nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;

Json normalised(const Json& resource) {
  const auto out = normalise(resource.dump());
  return out ? Json::parse(*out) : Json(out.failure().message);
}

/// Message, hint and details.
std::string mistake(const Json& resource) {
  const auto out = normalise(resource.dump());
  if (out) return "accepted";
  return out.failure().message + " | " + out.failure().hint + " | " + out.failure().details;
}

TEST(Normalise, TellsTheVersionInItsPlainForm) {
  const Json react{{"type", "npm"}, {"name", "react"}, {"package", "react"}};
  Json expected = react;
  expected["version"] = "latest";
  EXPECT_EQ(normalised(react), expected);
  Json given = react;
  given["version"] = " v18.2.0 ";
  expected["version"] = "18.2.0";
  EXPECT_EQ(normalised(given), expected);
  given["version"] = ">=1   <3";
  EXPECT_EQ(normalised(given)["version"], ">=1 <3");
}

TEST(Normalise, TellsTheRegistryInItsPlainForm) {
  const Json one{{"package", "a"},
                 {"registry", "HTTPS://Npm.Example.com:443/team"},
                 {"token", "resource.a.token"},
                 {"specialNotes", "x"}};
  const Json out = normalised(one);
  EXPECT_EQ(out["registry"], "https://npm.example.com/team/");
  EXPECT_EQ(out["token"], "resource.a.token");
  EXPECT_EQ(out["specialNotes"], "x");
}

TEST(Normalise, NamesTheFieldTheMistakeAndAnExample) {
  EXPECT_THAT(
      mistake({{"package", "Bad Name"}}),
      AllOf(HasSubstr("\"Bad Name\", which is no name of an npm package: it holds white space"),
            HasSubstr("\"@types/node\""), HasSubstr(R"("field":"/package")")));
  EXPECT_THAT(mistake({{"name", "x"}}), HasSubstr("it is empty"));
  EXPECT_THAT(mistake({{"package", "a"}, {"version", "one two"}}),
              AllOf(HasSubstr("neither a version nor a range nor a dist-tag"),
                    HasSubstr("\"^18.2\""), HasSubstr(R"("field":"/version")")));
  for (const char* url : {"npm.example.com", "ftp://x/", "https://user:pw@x/", "https://x/?q",
                          "https://x/../y", "https://", "https://x y/"}) {
    EXPECT_THAT(mistake({{"package", "a"}, {"registry", url}}),
                AllOf(HasSubstr("must be https"), HasSubstr(R"("field":"/registry")")))
        << url;
  }
}

TEST(Resource, IsReadFromItsCanonicalForm) {
  const auto resource = Resource::read(
      R"({"type":"npm","package":"@a/b","version":"^1","registry":"https://r/","token":"resource.x.token"})");
  ASSERT_TRUE(resource);
  EXPECT_EQ(resource->package, "@a/b");
  EXPECT_EQ(resource->wanted.text, "^1");
  EXPECT_EQ(resource->registry, "https://r/");
  EXPECT_EQ(resource->token, "resource.x.token");
  EXPECT_EQ(Resource::read(R"({"package":"a"})")->wanted.text, "latest");
  EXPECT_FALSE(Resource::read("[]"));
  EXPECT_FALSE(Resource::read(R"({"package":"a","version":"a b"})"));
  for (const char* package : {"../../evil", "..", "a?b=c", "a\\\\b", ""}) {
    EXPECT_FALSE(Resource::read("{\"package\":\"" + std::string(package) + "\"}")) << package;
  }
}

/// "package version", or "null".
std::string referred(std::string_view reference) {
  const Json said = Json::parse(parse_reference(reference));
  if (said.is_null()) return "null";
  EXPECT_EQ(said["confidence"], 100);
  const Json& json = said["resource"];
  EXPECT_EQ(json["name"], json["package"]);
  return json["package"].get<std::string>() +
         (json.contains("version") ? " " + json["version"].get<std::string>() : "");
}

TEST(Reference, OfNpmNamesPackageAndVersion) {
  EXPECT_EQ(referred("npm:react"), "react");
  EXPECT_EQ(referred("npm:react@18"), "react 18");
  EXPECT_EQ(referred("npm:@types/node"), "@types/node");
  EXPECT_EQ(referred("npm:@types/node@>=20 <22"), "@types/node >=20 <22");
  EXPECT_EQ(referred("npm:react@"), "react");
}

TEST(Reference, MayBeAPackageUrl) {
  EXPECT_EQ(referred("pkg:npm/react"), "react");
  EXPECT_EQ(referred("pkg:npm/react@18.2.0?vcs_url=x#lib"), "react 18.2.0");
  EXPECT_EQ(referred("pkg:npm/%40angular/animation@12.3.1"), "@angular/animation 12.3.1");
  EXPECT_EQ(referred("pkg:npm/@types/node@20"), "@types/node 20");
  EXPECT_EQ(referred("pkg:pypi/requests"), "null");
}

TEST(Reference, MayBeThePageOfAPackage) {
  EXPECT_EQ(referred("npmjs.com/package/react"), "react");
  EXPECT_EQ(referred("https://www.npmjs.com/package/react"), "react");
  EXPECT_EQ(referred("https://npmjs.com/package/react/"), "react");
  EXPECT_EQ(referred("http://www.npmjs.org/package/react/v/18.2.0"), "react 18.2.0");
  EXPECT_EQ(referred("https://www.npmjs.com/package/@types/node/v/20.1.0?activeTab=code#x"),
            "@types/node 20.1.0");
  EXPECT_EQ(referred("https://npmjs.org/package/%40types%2Fnode"), "@types/node");
}

TEST(Reference, OfSomethingElseIsLeftAlone) {
  for (const char* text : {"react", "https://github.com/npm/cli", "https://www.npmjs.com/~user",
                           "https://evil.example/www.npmjs.com/package/x", "./npm:x", "", "NPM:x",
                           "https://www.npmjs.com.evil.example/package/x"}) {
    EXPECT_EQ(referred(text), "null") << text;
  }
}

TEST(Reference, WithAMistakeIsLeftToNormalise) {
  EXPECT_EQ(referred("npm:"), "");
  EXPECT_EQ(referred("npm:Bad Name"), "Bad Name");
  EXPECT_EQ(referred("https://www.npmjs.com/package/a%00b"), std::string("a\0b", 3));
  EXPECT_EQ(referred("https://www.npmjs.com/package/100%"), "100%");
}

}  // namespace
}  // namespace quarry::resource_npm
