// Tests that print their key or leave it in a file, for canary_test.cpp.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <quarry_test.h>

#include <gtest/gtest.h>

namespace {

using quarry::test_key;

std::filesystem::path directory() {
  return std::filesystem::temp_directory_path();
}

TEST(Leak, OnOutput) {
  std::cout << "key=" << test_key();
}

TEST(Leak, OnError) {
  std::cerr << test_key().substr(0, 9) << test_key().substr(9);
}

TEST(Leak, OfAChild) {
  ASSERT_EQ(std::system("printenv QUARRY_TEST_KEY"), 0);
}

TEST(Leak, InAFile) {
  std::filesystem::create_directories(directory() / "a/b");
  std::ofstream(directory() / "a/b/c") << std::string(100'000, '\0') << test_key();
}

TEST(NoLeak, ButAFailure) {
  ADD_FAILURE() << directory();
}

TEST(NoLeak, ButACrash) {
  std::cout << directory() << std::endl;
  std::abort();
}

TEST(NoLeak, ByWhatIsNotTheKey) {
  std::ofstream(directory() / "kept") << "sk-canary-0";
  std::cout << directory() << '\n';
}

}  // namespace
