#include "corpus/text/file_role.h"

#include <gtest/gtest.h>

namespace quarry::corpus {
namespace {

TEST(FileRole, IsToldByPath) {
  const std::pair<std::string_view, FileRole> table[] = {
      {"src/parser.cpp", FileRole::kSource},
      {"docs/guide.md", FileRole::kProse},
      {"README", FileRole::kProse},
      {"man/git.1", FileRole::kProse},
      {"redis.conf", FileRole::kProse},
      {"data/units.json", FileRole::kData},
      {"theme.css", FileRole::kData},
      {"package.json", FileRole::kProject},
      {".github/ISSUE_TEMPLATE/bug.md", FileRole::kProject},
      {"CODE_OF_CONDUCT.md", FileRole::kProject},
      {"test/__snapshots__/a.js.snap", FileRole::kProject},
      {"docs/releases/1.4.txt", FileRole::kProject},
      {"src/releases/list.py", FileRole::kSource},
      {"bin/run", FileRole::kSource},
      {"config.h.in", FileRole::kSource},
      {"src/index.d.ts", FileRole::kDeclaration},
      {"shop/cart.pyi", FileRole::kDeclaration},
      {"completions/shop.fish", FileRole::kOther},
      {"theme.less", FileRole::kOther},
      {"grammar.y", FileRole::kSource},
  };
  for (const auto& [path, role] : table) EXPECT_EQ(role_of(path), role) << path;
}

TEST(FormKey, IsSharedByTheFormsOfAScript) {
  const std::string key = form_key("src/v4/types.ts");
  EXPECT_FALSE(key.empty());
  for (const char* path : {"v4/types.js", "v4/types.cjs", "v4/types.d.ts", "dist/v4/types.mjs",
                           "lib/v4/types.d.cts"}) {
    EXPECT_EQ(form_key(path), key) << path;
  }
  EXPECT_NE(form_key("v3/types.js"), key);
  EXPECT_NE(form_key("v4/errors.js"), key);
}

TEST(FormKey, IsSharedByTheFormatsOfAPage) {
  EXPECT_EQ(form_key("doc/git-log.txt"), form_key("html/git-log.html"));
  EXPECT_EQ(form_key("a/README.md"), "");
  EXPECT_EQ(form_key("src/parser.h"), "") << "a header and its source are two files";
  EXPECT_EQ(form_key("src/parser.cpp"), "");
}

}  // namespace
}  // namespace quarry::corpus
