#include "ask/function_calls.h"

#include <gtest/gtest.h>

namespace quarry::ask {
namespace {

std::string read(std::string_view text) {
  const auto calls = read_function_calls(text);
  if (!calls) return "none";
  std::string out;
  for (const auto& [name, arguments] : *calls) {
    out.append(out.empty() ? "" : "; ").append(name).append(arguments);
  }
  return out;
}

TEST(FunctionCalls, HaveLiteralsOfPythonOrJson) {
  EXPECT_EQ(read(R"(f(a=1, b=-2.5, c=True, d=false, e=None, g=null))"),
            R"(f{"a":1,"b":-2.5,"c":true,"d":false,"e":null,"g":null})");
  EXPECT_EQ(read(R"(f(a='it\'s', b="two\nlines \d", c='"'))"),
            R"(f{"a":"it's","b":"two\nlines \\d","c":"\""})");
  EXPECT_EQ(read(R"(f(a=[1, ['b']], c={"d": {'e': 1}}))"), R"(f{"a":[1,["b"]],"c":{"d":{"e":1}}})");
  EXPECT_EQ(read(R"(call:f{a:<|"|>b "c"<|"|>,d:[<|"|>e<|"|>]})"), R"(f{"a":"b \"c\"","d":["e"]})");
}

TEST(FunctionCalls, MayBeSeveral) {
  EXPECT_EQ(read("[a(b=1), c()]"), "a{\"b\":1}; c{}");
  EXPECT_EQ(read("a(b=1)\nc()"), "a{\"b\":1}; c{}");
  EXPECT_EQ(read("print(m.a(b=1))"), "m.a{\"b\":1}");
  EXPECT_EQ(read("call:a:a{b: \"c\"}"), "a{\"b\":\"c\"}") << "DenisovAV/flutter_gemma#228";
}

/// The arguments of a call as JSON, or "none".
std::string arguments(std::string_view text) {
  const auto read = parse_call_arguments(text);
  return read ? to_text(*read) : "none";
}

// NousResearch/atropos#478, and what models write around the object
TEST(CallArguments, AreReadAsModelsWriteThem) {
  for (const char* text :
       {R"({"a":1})", R"({"a":1,})", "{'a': 1}", "{a: 1}", "```json\n{\"a\":1}\n```", "{}{\"a\":1}",
        R"({"a":1}{"a":1})", R"({"a":1}})", R"({"a":1}<|im_end|>)", R"({"a":1}</tool_call>)",
        R"("{'a': 1}")"}) {
    EXPECT_EQ(arguments(text), R"({"a":1})") << text;
  }
  EXPECT_EQ(arguments("{'a': 'it\\'s', 'b': [None, True]}"), R"({"a":"it's","b":[null,true]})");
  EXPECT_EQ(arguments(R"({"a":"what's"})"), R"({"a":"what's"})");
}

TEST(CallArguments, AreNothingElse) {
  for (const char* text : {"{", R"({"a":1)", R"({"a":1}{"a":2})", R"({"a":1} and more)", "a", "```",
                           R"({"a":b})", "'a'}"}) {
    EXPECT_EQ(arguments(text), "none") << text;
  }
}

TEST(FunctionCalls, AreNothingElse) {
  for (const char* text :
       {"", "[]", "f", "f(", "f(1)", "f(a)", "f(a=b)", "f(a=1", "[f(a=1)", "f(a=1) and more",
        "See f(a=1)", "f(a='b)", "f(a=[1)", "f(a=1 b=2)", "f(a=--1)", "f(a={1: 2})"}) {
    EXPECT_EQ(read(text), "none") << text;
  }
  EXPECT_EQ(read("f(a=" + std::string(100, '[') + std::string(100, ']') + ")"), "none");
}

}  // namespace
}  // namespace quarry::ask
