#include "package_source/answer.h"

#include <gtest/gtest.h>

namespace quarry::package_source {
namespace {

TEST(Answers, HaveWordsForAReader) {
  EXPECT_EQ(words_of_answer(R"({"error":"no such package"})"), "no such package");
  EXPECT_EQ(words_of_answer(R"({"message":"a\nb","reason":"c"})"), "a b");
  // Artifactory sends a list, others an object.
  EXPECT_EQ(words_of_answer(R"({"errors":[{"status":404,"message":"Not here"}]})"), "Not here");
  EXPECT_EQ(words_of_answer(R"({"error":{"code":401,"message":"Bad token"}})"), "Bad token");
  EXPECT_EQ(words_of_answer("slow down\n"), "slow down");
  EXPECT_EQ(words_of_answer("<!DOCTYPE html><html><title>Sign in\n to Corp</title>"),
            "Sign in to Corp");
  for (const char* none : {"", "{}", "[1]", "<xml/>", "\x1f\x8b\x08", R"({"error":7})"}) {
    EXPECT_EQ(words_of_answer(none), "") << none;
  }
  EXPECT_EQ(words_of_answer(std::string(299, 'x') + "é").size(), 299u);
  EXPECT_EQ(answered(503, "down"), "HTTP 503, \"down\"");
  EXPECT_EQ(answered(503, ""), "HTTP 503");
}

TEST(Answers, AreNotSearchedHoweverDeepTheyAre) {
  std::string deep;
  for (int i = 0; i < 7000; ++i) deep += R"({"error":)";
  EXPECT_EQ(words_of_answer(deep + R"({"message":"far away"})" + std::string(7000, '}')), "");
}

TEST(Answers, MayBeWebPages) {
  for (const char* page : {"<html>", "\n <!doctype HTML>", "\xEF\xBB\xBF<!DOCTYPE html>",
                           "<?xml version=\"1.0\"?><!DOCTYPE html PUBLIC \"x\"><html>"}) {
    EXPECT_TRUE(is_web_page(page)) << page;
  }
  for (const char* other : {"", "{}", "html", "<svg/>", "-----BEGIN PGP SIGNED MESSAGE-----"}) {
    EXPECT_FALSE(is_web_page(other)) << other;
  }
}

TEST(Answers, TellWhenToAskAgain) {
  EXPECT_EQ(when_to_ask_again(""), "Try again later.");
  EXPECT_EQ(when_to_ask_again("30"), "Try again in 30 seconds.");
  EXPECT_EQ(when_to_ask_again("Sat, 28 Nov 2026 12:00:00 GMT"),
            "Try again after Sat, 28 Nov 2026 12:00:00 GMT.");
}

}  // namespace
}  // namespace quarry::package_source
