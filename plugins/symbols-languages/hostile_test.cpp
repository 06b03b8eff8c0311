// Texts that nobody wrote as programs: every language answers, in bounded time and memory.

#include "symbols-languages/testing/analyse.h"

#include <quarry/testing_host.hpp>

#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::symbols_tree_sitter::testing {
namespace {

using ::testing::HasSubstr;

class Hostile : public ::testing::TestWithParam<std::string> {};

/// PHP is a text for people before this.
std::string code(std::string_view language, std::string_view text) {
  return (language == "php" ? "<?php " : "") + std::string(text);
}

/// Reads definitions and references; only the limit of time may end either.
void read(std::string_view language, std::string_view given) {
  const std::string text = code(language, given);
  const quarry_call endless = endless_call();
  const Call call(&endless);
  for (const auto& answer : {analyser(language).definitions(call, text),
                             analyser(language).references(call, text, "a")}) {
    EXPECT_TRUE(answer || answer.failure().status == QUARRY_RESOURCE_EXHAUSTED);
  }
}

std::string repeated(std::string_view part, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += part;
  return out;
}

TEST_P(Hostile, AnEmptyTextDefinesNothing) {
  EXPECT_EQ(definitions(GetParam(), ""), R"({"definitions":[]})");
  EXPECT_EQ(references(GetParam(), "", "a"), R"({"lines":[]})");
  EXPECT_EQ(references(GetParam(), "a", ""), R"({"lines":[]})");
}

TEST_P(Hostile, RandomBytesAreReadTwiceTheSame) {
  std::mt19937 random(7);
  for (const int size : {1, 100, 3'000}) {
    std::string text;
    for (int i = 0; i < size; ++i) text += static_cast<char>(1 + random() % 255);
    EXPECT_EQ(definitions(GetParam(), text), definitions(GetParam(), text));
    read(GetParam(), text);
  }
}

TEST_P(Hostile, PunctuationIsRead) {
  std::mt19937 random(11);
  constexpr std::string_view kMarks = "(){}[]<>;:,.\"'`#/*-+=&|!?@$%^~\\ \n\tab01";
  std::string text;
  for (int i = 0; i < 5'000; ++i) text += kMarks[random() % kMarks.size()];
  read(GetParam(), text);
}

TEST_P(Hostile, ALineOfAMegabyteIsRead) {
  read(GetParam(), repeated("f(a, 1); ", 116'000));
  read(GetParam(), std::string(1'000'000, 'a'));
}

TEST_P(Hostile, DeepNestingIsRead) {
  for (const std::string_view open : {"(", "{", "f[", "<a "}) {
    read(GetParam(), repeated(open, 100'000));
  }
  read(GetParam(), repeated("(", 100'000) + "a" + repeated(")", 100'000));
  read(GetParam(), "a = " + repeated("[", 100'000) + "a" + repeated("]", 100'000));
}

TEST_P(Hostile, ACancelledCallEnds) {
  const std::string text = code(GetParam(), repeated("f(a, 1);\n", 10'000));
  quarry::testing::FakeCall call;
  call.cancel_after(3);
  const auto answer = patient_analyser(GetParam()).definitions(Call(call.get()), text);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.failure().status, QUARRY_CANCELLED);
}

TEST_P(Hostile, ATextBeyondTheLimitIsRefused) {
  const quarry_call call = endless_call();
  const auto answer =
      patient_analyser(GetParam()).definitions(Call(&call), std::string(Limits{}.text + 1, ' '));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.failure().status, QUARRY_RESOURCE_EXHAUSTED);
  EXPECT_THAT(answer.failure().message, HasSubstr("4194305 bytes"));
}

TEST(HostileText, EndsWithTheMemoryAndTheNextOneIsRead) {
  const quarry_call call = endless_call();
  const auto small =
      make_analyser("c_sharp", {.time = std::chrono::hours(1), .memory = std::size_t{64} << 20U});
  const auto answer = small->definitions(Call(&call), repeated("<a ", 100'000));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.failure().status, QUARRY_RESOURCE_EXHAUSTED);
  EXPECT_THAT(answer.failure().message, HasSubstr("bytes of memory"));
  const auto next = small->definitions(Call(&call), "class A {}");
  ASSERT_TRUE(next);
  EXPECT_THAT(*next, HasSubstr("\"A\""));
}

// Each definition once walked over every comment above its line.
TEST(HostileText, OfManyDefinitionsOnOneLineBelowManyCommentsIsRead) {
  const std::string text = repeated("// a\n", 30'000) + repeated("int a;", 30'000);
  EXPECT_THAT(definitions("c", text), HasSubstr(R"(["variable","a",30001,1,30001,-1]]})"));
}

// Each name once counted all children of the declaration again, from the first one for each child.
TEST(HostileText, OfThousandsOfNamesInOneDeclarationIsRead) {
  std::string text = "int a0";
  for (int i = 1; i < 3'000; ++i) text += ",\na" + std::to_string(i);
  EXPECT_THAT(definitions("c", text + ";"), HasSubstr(R"(["variable","a2999",3000,1,3000,-1]]})"));
  EXPECT_THAT(definitions("c", "extern " + text + ";"),
              HasSubstr(R"(["declaration","a2999",3000,1,3000,-1]]})"));
}

TEST(HostileText, OfManyCommentsInOneDeclarationIsRead) {
  const std::string comments = repeated("/**/", 50'000);
  EXPECT_EQ(definitions("c", "int " + comments + "a;"),
            R"({"definitions":[["variable","a",1,1,1,-1]]})");
  EXPECT_EQ(definitions("c", "int (" + comments + "*a" + comments + ")(int);"),
            R"({"definitions":[["variable","a",1,1,1,-1]]})");
}

// Each use once read the body of the macro again from its begin.
TEST(HostileText, OfAMacroThatUsesANameManyTimesIsRead) {
  std::string lines;
  for (int line = 2; line <= 20'000; ++line) lines += ',' + std::to_string(line);
  EXPECT_EQ(references("c", "#define m f \\\n" + repeated("a 'a' \\\n", 19'999) + "f\n", "a"),
            R"({"lines":[)" + lines.substr(1) + "]}");
}

INSTANTIATE_TEST_SUITE_P(Languages, Hostile, ::testing::ValuesIn(all_languages()),
                         [](const auto& test) { return test.param; });

struct Nested {
  const char* language;
  const char* open;
  const char* close;
};

class DeepDefinitions : public ::testing::TestWithParam<Nested> {};

/// Each opens a definition inside the one before.
TEST_P(DeepDefinitions, AreRead) {
  const auto& [language, open, close] = GetParam();
  read(language, repeated(open, 100'000));
  read(language, repeated(open, 20'000) + repeated(close, 20'000));
}

INSTANTIATE_TEST_SUITE_P(
    Languages, DeepDefinitions,
    ::testing::Values(
        Nested{"c", "struct a {", "};"}, Nested{"c", "int f(", ");"},
        Nested{"c", "#if A\n(", "#endif\n"}, Nested{"c", "#if A\n(\n#else\n{", "#endif\n"},
        Nested{"c", "#if 0\n#endif\n(", "int x;"}, Nested{"c", "{ if (a) ", "}"},
        Nested{"cpp", "namespace a { ", "}"}, Nested{"cpp", "class a { void f() { ", "}};"},
        Nested{"cpp", "a<b<", ">>"}, Nested{"c_sharp", "class A { ", "}"},
        Nested{"go", "type T struct { a ", "}\n"}, Nested{"java", "class A { void f() { ", "}}"},
        Nested{"javascript", "function f() { ", "}"}, Nested{"javascript", "var a = { b: ", "};"},
        Nested{"javascript", "() => {", "}"}, Nested{"typescript", "namespace A { ", "}"},
        Nested{"typescript", "type A = { b: ", "}"}, Nested{"tsx", "<a>{", "}</a>"},
        Nested{"kotlin", "class A { fun f() { ", "}}"}, Nested{"lua", "function f() ", " end"},
        Nested{"php", "<?php function f() { ", "}"}, Nested{"python", "lambda: ", ""},
        Nested{"ruby", "class A; def f; ", "end; end;"}, Nested{"rust", "mod a { ", "}"},
        Nested{"rust", "fn f() { || {", "}}"}, Nested{"scala", "class A { def f() = { ", "}}"},
        Nested{"swift", "class A { func f() { ", "}}"}),
    [](const auto& test) { return std::string(test.param.language) + std::to_string(test.index); });

TEST(DeepDefinitions, OfPythonAreRead) {
  std::string text;
  for (int depth = 0; depth < 1'000; ++depth) text += std::string(depth, ' ') + "def f():\n";
  EXPECT_THAT(definitions("python", text), HasSubstr(R"("f")"));
}

}  // namespace
}  // namespace quarry::symbols_tree_sitter::testing
