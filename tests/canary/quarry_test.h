#pragma once

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

}  // namespace quarry
