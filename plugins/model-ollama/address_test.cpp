#include "model-ollama/address.h"

#include <gtest/gtest.h>

namespace quarry::ollama {
namespace {

TEST(Address, IsThisMachineByDefault) {
  EXPECT_EQ(base_url_of(""), "http://127.0.0.1:11434");
  EXPECT_EQ(base_url_of("  "), "http://127.0.0.1:11434");
  EXPECT_EQ(base_url_of(":8080"), "http://127.0.0.1:8080");
}

TEST(Address, IsWhatOllamaHostMeansToItsOwnClients) {
  EXPECT_EQ(base_url_of("gpu"), "http://gpu:11434");
  EXPECT_EQ(base_url_of("gpu:80"), "http://gpu:80");
  EXPECT_EQ(base_url_of(" \"gpu.example\" "), "http://gpu.example:11434");
  EXPECT_EQ(base_url_of("gpu/ollama"), "http://gpu:11434/ollama");
  EXPECT_EQ(base_url_of("https://gpu.example"), "https://gpu.example");
  EXPECT_EQ(base_url_of("http://gpu:1/ollama/"), "http://gpu:1/ollama/");
  EXPECT_EQ(base_url_of("[fd00::1]:99"), "http://[fd00::1]:99");
  EXPECT_EQ(base_url_of("fd00::1"), "http://[fd00::1]:11434");
}

TEST(Address, OfAServerThatListensEverywhereIsTheLoopbackOne) {
  EXPECT_EQ(base_url_of("0.0.0.0"), "http://127.0.0.1:11434");
  EXPECT_EQ(base_url_of("http://0.0.0.0:11434"), "http://127.0.0.1:11434");
  EXPECT_EQ(base_url_of("::"), "http://[::1]:11434");
  EXPECT_EQ(base_url_of("[::]:5"), "http://[::1]:5");
}

}  // namespace
}  // namespace quarry::ollama
