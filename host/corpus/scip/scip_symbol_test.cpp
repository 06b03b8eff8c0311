#include "corpus/scip/scip_symbol.h"

#include <string>

#include <gtest/gtest.h>

namespace quarry::corpus {
namespace {

TEST(ScipSymbols, HaveTheNameOfTheirLastDescriptor) {
  const std::string text = "scip-typescript npm demo 1.0.0 src/`shapes.ts`/Circle#area().";
  const auto symbol = ScipSymbol::parse(text);
  ASSERT_TRUE(symbol);
  EXPECT_EQ(symbol->name, "area");
  EXPECT_EQ(symbol->suffix, ScipSuffix::kMethod);
  EXPECT_EQ(symbol->enclosing, "scip-typescript npm demo 1.0.0 src/`shapes.ts`/Circle#");
  EXPECT_EQ(symbol->encloser, ScipSuffix::kType);
}

TEST(ScipSymbols, HaveDescriptorsOfEveryKind) {
  struct Row {
    const char* descriptors;
    const char* name;
    ScipSuffix suffix;
  };
  for (const Row& row : {Row{"pkg/", "pkg", ScipSuffix::kNamespace},
                         {"Type#", "Type", ScipSuffix::kType},
                         {"term.", "term", ScipSuffix::kTerm},
                         {"f().", "f", ScipSuffix::kMethod},
                         {"f(+2).", "f", ScipSuffix::kMethod},
                         {"m!", "m", ScipSuffix::kMacro},
                         {"meta:", "meta", ScipSuffix::kMeta},
                         {"f().(x)", "x", ScipSuffix::kParameter},
                         {"Type#[T]", "T", ScipSuffix::kTypeParameter},
                         {"`<get>size`().", "<get>size", ScipSuffix::kMethod},
                         {"`a``b`.", "a`b", ScipSuffix::kTerm}}) {
    const auto symbol = ScipSymbol::parse("s m n v " + std::string(row.descriptors));
    ASSERT_TRUE(symbol) << row.descriptors;
    EXPECT_EQ(symbol->name, row.name) << row.descriptors;
    EXPECT_EQ(symbol->suffix, row.suffix) << row.descriptors;
  }
}

TEST(ScipSymbols, OfTheTopHaveNoEncloser) {
  EXPECT_EQ(ScipSymbol::parse("s m n v f().")->encloser, std::nullopt);
  EXPECT_EQ(ScipSymbol::parse("s m n v f().")->enclosing, "s m n v ");
}

TEST(ScipSymbols, MayHaveSpacesBeforeTheDescriptors) {
  const auto symbol = ScipSymbol::parse("s  cheme . . 1.0  beta f().");
  ASSERT_TRUE(symbol) << "two spaces are one of the part";
  EXPECT_EQ(symbol->name, "f");
}

TEST(ScipSymbols, AreNothingElse) {
  for (const char* text :
       {"", "local 3", "s m n v", "s m n v ", "s m n f().", "s m n v f", "s m n v f(",
        "s m n v f()", "s m n v `f", "s m n v (x", "s m n v [T", "s m n v .", "s m n v a b."}) {
    EXPECT_FALSE(ScipSymbol::parse(text)) << text;
  }
}

}  // namespace
}  // namespace quarry::corpus
