#include "resource-npm/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::resource_npm {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr const char* kPackage = R"({
  "name": "@scope/pkg", "version": "2.1.0", "description": "Adds numbers.",
  "license": "MIT", "homepage": "https://pkg.example", "keywords": ["sum", "math"],
  "repository": {"type": "git", "url": "git+https://github.com/o/r.git", "directory": "packages/pkg"},
  "bugs": {"url": "https://github.com/o/r/issues"}, "engines": {"node": ">=18"},
  "main": "./index.cjs", "types": "./index.d.ts", "bin": {"pkg": "./cli.js"},
  "exports": {".": {"import": {"types": "./index.d.mts", "default": "./index.mjs"},
                    "require": "./index.cjs"},
              "./server": "./server.js", "./old": null, "./list": ["./l1.js", "./l2.js"]},
  "dependencies": {"left": "^1", "right": "~2"},
  "peerDependencies": {"react": ">=18", "vue": "3"},
  "peerDependenciesMeta": {"vue": {"optional": true}},
  "optionalDependencies": {"fsevents": "2"}})";

TEST(Page, BeginsWithTheReadme) {
  EXPECT_THAT(page_of(kPackage, "# pkg\n\nHow to use it.", ""),
              StartsWith("# pkg\n\nHow to use it.\n\n## About the npm package `@scope/pkg`\n\n"
                         "Adds numbers.\n\n- Version: 2.1.0\n- License: MIT\n"));
  EXPECT_THAT(page_of(kPackage, "", ""), StartsWith("## About the npm package"));
}

TEST(Page, SaysWhatAReaderAsksFor) {
  const std::string page = page_of(kPackage, "", "");
  EXPECT_THAT(page, HasSubstr("- Repository: https://github.com/o/r, in its folder `packages/pkg`\n"
                              "- Homepage: https://pkg.example\n"
                              "- Issues: https://github.com/o/r/issues\n"
                              "- Keywords: sum, math\n- Node.js: >=18\n"));
  EXPECT_THAT(page, HasSubstr("### Entry points\n\n- main: `./index.cjs`\n- types: `./index.d.ts`\n"
                              "- `.` (import, types): `./index.d.mts`\n"
                              "- `.` (import, default): `./index.mjs`\n"
                              "- `.` (require): `./index.cjs`\n- `./server`: `./server.js`\n"
                              "- `./list`: `./l1.js`\n- `./list`: `./l2.js`\n"));
  EXPECT_THAT(page, HasSubstr("### Programs\n\n- `pkg`: `./cli.js`\n"));
  EXPECT_THAT(page, HasSubstr("### Dependencies\n\n- `left` ^1\n- `right` ~2\n"));
  EXPECT_THAT(page, HasSubstr("### Peer dependencies\n\n- `react` >=18\n- `vue` 3 (optional)\n"));
  EXPECT_THAT(page, HasSubstr("### Optional dependencies\n\n- `fsevents` 2\n"));
  EXPECT_THAT(page, Not(HasSubstr("Deprecated")));
}

TEST(Page, SaysThatAVersionIsDeprecated) {
  EXPECT_THAT(page_of(kPackage, "", "use\nother"), HasSubstr("Deprecated: use other\n"));
}

std::string repository(const std::string& value) {
  const std::string page = page_of(R"({"repository":)" + value + "}", "", "");
  const auto begin = page.find("Repository: ");
  if (begin == std::string::npos) return "none";
  return page.substr(begin + 12, page.find('\n', begin) - begin - 12);
}

TEST(Page, MakesALinkOfTheRepository) {
  EXPECT_EQ(repository(R"("git://github.com/o/r.git")"), "https://github.com/o/r");
  EXPECT_EQ(repository(R"("git@github.com:o/r.git")"), "https://github.com/o/r");
  EXPECT_EQ(repository(R"("github:o/r")"), "https://github.com/o/r");
  EXPECT_EQ(repository(R"("gitlab:o/r")"), "https://gitlab.com/o/r");
  EXPECT_EQ(repository(R"("o/r")"), "https://github.com/o/r");
  EXPECT_EQ(repository(R"({"url":"https://codeberg.org/o/r"})"), "https://codeberg.org/o/r");
  EXPECT_EQ(repository("7"), "none");
}

TEST(Page, IsMadeOfWhateverStandsInPackageJson) {
  for (const char* json :
       {"", "[]", "{", "null", R"({"name":7,"exports":7,"bin":[],"dependencies":[],"license":{}})",
        R"({"repository":{"url":{}},"keywords":"a","engines":"x","bugs":[]})",
        R"({"peerDependencies":{"a":1},"peerDependenciesMeta":7})",
        R"({"exports":[[[[[[[[[["deep"]]]]]]]]]]})"}) {
    EXPECT_THAT(page_of(json, "readme\n", ""), StartsWith("readme\n\n## About the npm package"))
        << json;
  }
  EXPECT_THAT(page_of(R"({"name":"a`b\nc","license":{"type":"BSD"}})", "", ""),
              AllOf(HasSubstr("`a'b c`"), HasSubstr("License: BSD")));
}

TEST(Page, IsNotEndless) {
  std::string many = R"({"dependencies":{)";
  for (int i = 0; i < 1000; ++i) many += (i ? ",\"d" : "\"d") + std::to_string(i) + "\":\"1\"";
  const std::string page = page_of(many + "}}", std::string(std::size_t{3} << 20, 'x'), "");
  EXPECT_LT(page.size(), std::size_t{2} << 20);
  EXPECT_THAT(page, HasSubstr("- and 700 more\n"));
}

TEST(Page, OfAPackageJsonWithMoreMembersThanAnyHasIsItsReadme) {
  std::string many = R"({"name":"x")";
  for (int i = 0; i < 20'000; ++i) many += ",\"k" + std::to_string(i) + "\":0";
  EXPECT_EQ(page_of(many + "}", "readme\n", ""), "readme\n\n## About the npm package \n\n");
}

TEST(Page, CountsEntryPointsThatItDoesNotShow) {
  std::string exports = "[\"./a\"";
  for (int i = 1; i < 50'000; ++i) exports += ",\"./a\"";
  exports += "]";
  for (int i = 0; i < 6; ++i) {
    exports = "{\"" + std::string(2000, static_cast<char>('a' + i)) + "\":" + exports + "}";
  }
  const std::string page = page_of(R"({"exports":)" + exports + "}", "", "");
  EXPECT_THAT(page, HasSubstr("- and 49700 more\n"));
  EXPECT_LT(page.size(), std::size_t{8} << 20);
}

TEST(PageName, IsNoFilesOfThePackage) {
  EXPECT_EQ(page_name({"readme.md"}), "NPM-PACKAGE.md");
  EXPECT_EQ(page_name({"npm-package.md"}), "NPM-PACKAGE-2.md");
  EXPECT_EQ(page_name({"npm-package.md", "npm-package-2.md"}), "NPM-PACKAGE-3.md");
}

}  // namespace
}  // namespace quarry::resource_npm
