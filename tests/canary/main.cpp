// The main program of every unit test. The tests run in a child process with a key in its
// environment and its own temporary directory, which they need not clean up; their output and that
// directory are searched for the key afterwards, and a match is a failure. With QUARRY_TEST_KEY set
// they run without all that, for a debugger.

#include "quarry_test.h"

#include <array>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <string>
#include <unistd.h>

#include <gmock/gmock.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

namespace {

namespace fs = std::filesystem;

constexpr const char* kVariable = "QUARRY_TEST_KEY";

int run_tests(int argc, char** argv) {
  testing::InitGoogleMock(&argc, argv);
  const int failed = RUN_ALL_TESTS();
  const auto& tests = *testing::UnitTest::GetInstance();
  const bool listed = testing::GTEST_FLAG(list_tests);
  if (!listed && tests.test_to_run_count() == 0 && std::getenv("GTEST_TOTAL_SHARDS") == nullptr) {
    std::cerr << "no test matches " << testing::GTEST_FLAG(filter) << '\n';
    return 1;
  }
  return failed;
}

std::string make_key() {
  std::random_device random;
  return "sk-canary-" + std::to_string(random()) + std::to_string(random());
}

std::string make_directory() {
  std::string directory = quarry::test_directory();
  ::chmod(directory.c_str(), 0711);  // a test may start a server that runs as another user
  return directory;
}

/// In the child: redirects all its output to `output`.
void prepare(int output, const std::string& directory, const std::string& key) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(output, STDERR_FILENO);
  ::setenv("TMPDIR", directory.c_str(), 1);
  ::setenv(kVariable, key.c_str(), 1);
}

/// Reads `input` to its end, passing it on as it arrives; returns all of it.
std::string relay(int input) {
  std::string all;
  std::array<char, 1 << 14> bytes;
  for (ssize_t count; (count = ::read(input, bytes.data(), bytes.size())) > 0;) {
    all.append(bytes.data(), static_cast<std::size_t>(count));
    std::cout.write(bytes.data(), count).flush();
  }
  return all;
}

/// The exit status of a child, in a shell's form when a signal ended it.
int status_of(pid_t child) {
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// True if a file below `directory` contains `key`; prints which.
bool stands_below(const fs::path& directory, const std::string& key) {
  bool found = false;
  for (const auto& entry :
       fs::recursive_directory_iterator(directory, fs::directory_options::skip_permission_denied)) {
    if (entry.symlink_status().type() != fs::file_type::regular) continue;
    std::string bytes(entry.file_size(), '\0');
    std::ifstream(entry.path(), std::ios::binary).read(bytes.data(), std::ssize(bytes));
    if (bytes.find(key) == bytes.npos) continue;
    std::cout << "the key of the tests is in " << entry.path().string() << '\n';
    found = true;
  }
  return found;
}

}  // namespace

#if defined(__SANITIZE_THREAD__)
/// The sanitizer sees a thread map the copy of a module for its checks, but not the loader map a
/// module at the same address later: it takes the first for a write to the second.
extern "C" __attribute__((visibility("default"))) const char* __tsan_default_suppressions() {
  return "race:quarry::plugins::copy_module\n";
}
#endif

int main(int argc, char** argv) {
  if (std::getenv(kVariable) != nullptr) return run_tests(argc, argv);
  const std::string key = make_key();
  const std::string directory = make_directory();
  std::array<int, 2> ends;
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) std::abort();
  const pid_t child = ::fork();
  if (child == 0) {
    prepare(ends[1], directory, key);
    return run_tests(argc, argv);
  }
  ::close(ends[1]);
  const bool said = relay(ends[0]).find(key) != std::string::npos;
  if (said) std::cout << "the key of the tests is in their output\n";
  const int status = status_of(child);
  const bool left = stands_below(directory, key);
  std::error_code ignored;
  fs::remove_all(directory, ignored);
  return said || left ? 1 : status;
}
