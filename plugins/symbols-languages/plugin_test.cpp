// The plugin through its entry, with Python as its language, and what all languages share.

#include "symbols-languages/testing/analyse.h"

#include <quarry/draft/symbols.h>
#include <quarry/testing.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::symbols_tree_sitter::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(SymbolsPlugin, AnswersThroughItsEntry) {
  const quarry::testing::UnchangedProcess unchanged;
  const quarry::testing::Component<quarry_symbols_v1> python{quarry_plugin_entry_v1, QUARRY_SYMBOLS,
                                                             "python"};
  quarry::testing::FakeCall call;
  quarry::testing::Reply described;
  quarry::testing::Reply defined;
  quarry::testing::Reply referred;
  python->describe(python.instance(), call.get(), described.get());
  EXPECT_THAT(described.value(), StartsWith(R"({"title":"Python","results":")"));
  EXPECT_LE(described.value().size(),
            64 + std::string_view(R"({"title":"Python","results":""})").size());
  python->definitions(python.instance(), call.get(), as_text("a.py"),
                      as_text("def f():\n  pass\nf()\n"), defined.get());
  EXPECT_EQ(defined.value(), R"({"definitions":[["function","f",1,1,2,-1]]})");
  python->references(python.instance(), call.get(), as_text("a.py"),
                     as_text("def f():\n  pass\nf()\n"), as_text("f"), referred.get());
  EXPECT_EQ(referred.value(), R"({"lines":[3]})");
}

TEST(References, AreNamesOutsideDefinitionsCommentsAndTexts) {
  EXPECT_EQ(references("python", "def f(): pass\n# f\nx = 'f' + f\ny = f\"{f}\"\nff = f.f\n", "f"),
            R"({"lines":[3,4,5]})");
  EXPECT_EQ(references("c",
                       "int f(void) { return 1; }\n#define CALL(x) f(x) /* f */\n"
                       "char c = 'f';\nchar *s = \"f\";\nint x = f() + f();\n",
                       "f"),
            R"({"lines":[2,5]})");
  EXPECT_EQ(references("javascript", "const a = 1;\n`a ${a}`;\n/a/;\nb.a = {a};\n", "a"),
            R"({"lines":[2,4]})");
  EXPECT_EQ(references("php", "text foo\n<?php function foo() {}\n$foo = foo();\n", "foo"),
            R"({"lines":[3]})");
  EXPECT_EQ(references("go", "package p\nvar s = \"T\" // T\ntype T struct{}\nvar t T\n", "T"),
            R"({"lines":[4]})");
  EXPECT_EQ(
      references("rust", "macro_rules! m { () => { f() } }\nfn f() {}\nfn g() { m!(f); }\n", "f"),
      R"({"lines":[1,3]})");
}

TEST(References, OnOneLineCountOnce) {
  EXPECT_EQ(references("java", "class A { A a = new A(); A b; }\nclass B extends A {}", "A"),
            R"({"lines":[1,2]})");
}

TEST(Names, AreWrittenAsJson) {
  EXPECT_THAT(definitions("javascript", "const t = { 'a\"b\\\\': function () {} };"),
              HasSubstr(R"(["method","a\"b\\\\",1,1,1,0])"));
}

TEST(Names, OfMoreThanAKilobyteAreLeftOut) {
  const std::string name(1025, 'a');
  EXPECT_EQ(definitions("python", name + " = 1\n"), R"({"definitions":[]})");
  EXPECT_THAT(definitions("python", name.substr(1) + " = 1\n"), HasSubstr(name.substr(1)));
}

TEST(Lines, CountWithoutALastNewlineAndWithCarriageReturns) {
  EXPECT_EQ(definitions("go", "package p\r\n\r\n// F.\r\nfunc F() {\r\n}"),
            R"({"definitions":[["package","p",1,1,1,-1],["function","F",4,3,5,-1]]})");
}

}  // namespace
}  // namespace quarry::symbols_tree_sitter::testing
