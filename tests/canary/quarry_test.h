#pragma once

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace quarry {

/// The key in the environment of every unit test, which it may neither print nor leave in a file;
/// for every use of a key that comes from no file.
inline std::string test_key() {
  return std::getenv("QUARRY_TEST_KEY");
}

/// A new directory for one test; the main program of the tests searches and removes it.
inline std::filesystem::path test_directory() {
  std::string name = (std::filesystem::temp_directory_path() / "quarry-tests-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) std::abort();
  return name;
}

/// A limit that only a test which hangs reaches: `usual`, as many times as $QUARRY_TEST_PATIENCE
/// says, once without it. A machine on which every core is busy needs it; a healthy test never
/// waits for it.
template <class Rep, class Period>
std::chrono::duration<Rep, Period> patience(std::chrono::duration<Rep, Period> usual) {
  const char* const factor = std::getenv("QUARRY_TEST_PATIENCE");
  return usual * (factor == nullptr ? 1 : std::max(1, std::atoi(factor)));
}

}  // namespace quarry
