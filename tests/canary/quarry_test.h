#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace quarry {

/// The key that every unit test has in its environment and may neither say nor leave behind; for
/// whatever needs a key that comes from no file.
inline std::string test_key() {
  return std::getenv("QUARRY_TEST_KEY");
}

/// A new directory of a test's own; the main program of the tests searches and removes it.
inline std::filesystem::path test_directory() {
  std::string name = (std::filesystem::temp_directory_path() / "quarry-tests-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) std::abort();
  return name;
}

}  // namespace quarry
