#include "model_http/ollama_address.h"

#include <gtest/gtest.h>

namespace quarry::model_http {
namespace {

TEST(OllamaAddress, IsThisMachineByDefault) {
  EXPECT_EQ(ollama_base_url(""), "http://127.0.0.1:11434");
  EXPECT_EQ(ollama_base_url("  "), "http://127.0.0.1:11434");
  EXPECT_EQ(ollama_base_url(":8080"), "http://127.0.0.1:8080");
}

TEST(OllamaAddress, IsWhatOllamaHostMeansToItsOwnClients) {
  EXPECT_EQ(ollama_base_url("gpu"), "http://gpu:11434");
  EXPECT_EQ(ollama_base_url("gpu:80"), "http://gpu:80");
  EXPECT_EQ(ollama_base_url(" \"gpu.example\" "), "http://gpu.example:11434");
  EXPECT_EQ(ollama_base_url("gpu/ollama"), "http://gpu:11434/ollama");
  EXPECT_EQ(ollama_base_url("https://gpu.example"), "https://gpu.example");
  EXPECT_EQ(ollama_base_url("http://gpu:1/ollama/"), "http://gpu:1/ollama/");
  EXPECT_EQ(ollama_base_url("[fd00::1]:99"), "http://[fd00::1]:99");
  EXPECT_EQ(ollama_base_url("fd00::1"), "http://[fd00::1]:11434");
}

TEST(OllamaAddress, OfAServerThatListensEverywhereIsTheLoopbackOne) {
  EXPECT_EQ(ollama_base_url("0.0.0.0"), "http://127.0.0.1:11434");
  EXPECT_EQ(ollama_base_url("http://0.0.0.0:11434"), "http://127.0.0.1:11434");
  EXPECT_EQ(ollama_base_url("::"), "http://[::1]:11434");
  EXPECT_EQ(ollama_base_url("[::]:5"), "http://[::1]:5");
}

}  // namespace
}  // namespace quarry::model_http
