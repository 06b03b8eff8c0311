#include "model_http/object_scanner.h"

#include <string>

#include <gtest/gtest.h>

namespace quarry::model_http {
namespace {

bool is_whole(std::string_view text, std::size_t piece) {
  ObjectScanner scanner;
  for (std::size_t at = 0; at < text.size(); at += piece) scanner.add(text.substr(at, piece));
  EXPECT_EQ(scanner.size(), text.size());
  return scanner.is_whole();
}

TEST(ObjectScanner, FindsTheEndOfAnObjectHoweverItIsCut) {
  for (const std::string_view text :
       {"{}", " \r\n{ }\t", R"({"a":{"b":[1,{}]},"c":null})", R"({"}":"\"}{[","\\":"\\"})"}) {
    for (std::size_t piece = 1; piece <= text.size(); ++piece) {
      EXPECT_TRUE(is_whole(text, piece)) << text;
    }
    const std::size_t end = text.rfind('}');
    EXPECT_FALSE(is_whole(text.substr(0, end), 1)) << text << " without its end";
    EXPECT_FALSE(is_whole(std::string(text) + ",", 1)) << text << " and more";
    EXPECT_FALSE(is_whole(std::string(text) + "{}", 1)) << text << " and another";
  }
}

TEST(ObjectScanner, TakesNothingElseForAnObject) {
  for (const std::string_view text : {"", " ", "7", "[{}]", "\"{}\"", "x{}", "null", "}", "{\"a"}) {
    EXPECT_FALSE(is_whole(text, 1)) << text;
  }
}

}  // namespace
}  // namespace quarry::model_http
