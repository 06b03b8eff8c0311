#pragma once

#include "store-sqlite/database.h"
#include "store_sql/store.h"

#include <quarry/draft/store.hpp>
#include <quarry/testing.hpp>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <quarry_test.h>
#include <string>
#include <unistd.h>

#include <gmock/gmock.h>
#include <sys/wait.h>

namespace quarry::store_sqlite {

using store_sql::SqlStore;

/// A directory with a store, new for every test.
class InDirectory : public ::testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path file() const { return root_ / "store.db"; }
  [[nodiscard]] std::unique_ptr<SqlStore> make_store() const { return make_store(file()); }
  static std::unique_ptr<SqlStore> make_store(const std::filesystem::path& path) {
    return std::make_unique<SqlStore>(std::make_unique<SqliteDatabase>(path), 4);
  }

  const std::filesystem::path root_ = test_directory();
};

/// The answer of a store, or "<status>: <message> <hint>" of its failure.
inline std::string answer_text(const SqlStore::Answer& answer) {
  if (answer) return *answer;
  return std::to_string(answer.failure().status) + ": " + answer.failure().message + " " +
         answer.failure().hint;
}

inline std::string project(const std::string& name) {
  return R"({"project":{"name":")" + name + R"(","created":1,"limits":{}}})";
}

/// Runs `work` in a child process and returns its result; `work` may damage that process.
inline std::string in_child(const std::function<std::string()>& work) {
  int ends[2];
  if (::pipe(ends) != 0) return "no pipe";
  const pid_t child = ::fork();
  if (child == 0) {
    const std::string said = work();
    const bool written = ::write(ends[1], said.data(), said.size()) >= 0;
    ::_exit(written ? 0 : 1);
  }
  ::close(ends[1]);
  std::string said;
  char bytes[4096];
  for (ssize_t size = 0; (size = ::read(ends[0], bytes, sizeof bytes)) > 0;) {
    said.append(bytes, static_cast<std::size_t>(size));
  }
  ::close(ends[0]);
  ::waitpid(child, nullptr, 0);
  return said;
}

}  // namespace quarry::store_sqlite
