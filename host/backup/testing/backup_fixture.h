#pragma once

#include "backup/backup.h"
#include "base/file.h"
#include "base/json.h"
#include "history/ledger.h"
#include "history/schema.h"
#include "plugins/testing/fake_store.h"
#include "services/paths.h"

#include <quarry_test.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace quarry::backup {

/// A store whose dump is one text, for tests.
class TextStore final : public plugins::FakeStore {
 public:
  Result<plugins::StoreSchema> schema(const services::Call&) override {
    return plugins::StoreSchema{text.empty() ? 0 : 1, 1};
  }
  Result<std::int64_t> open(const services::Call& call) override {
    if (text.empty()) text = "new";
    return FakeStore::open(call);
  }
  Result<Json> dump(const services::Call&) override { return Json{{"text", text}}; }
  Status load(const services::Call&, const Json& dump) override {
    if (load_failure) return *load_failure;
    text = dump["text"];
    return {};
  }
  /// An entry that is there already is recognised by its request.
  Status record(const services::Call& call, const std::vector<plugins::AuditEntry>& entries,
                bool once) override {
    std::vector<plugins::AuditEntry> added;
    for (const auto& entry : entries) {
      if (!once || recorded.insert(entry.request).second) added.push_back(entry);
    }
    return FakeStore::record(call, added, false);
  }
  using FakeStore::record;

  std::string text = "new";  ///< empty = there is no database yet
  std::optional<Error> load_failure;
  std::set<std::string> recorded;
};

/// Directories of a host, with a configuration, a history and a store.
class BackupTest : public ::testing::Test {
 protected:
  BackupTest() {
    std::filesystem::create_directories(places_.state);
    places_.configuration = {{"user.toml", root_ / "config/quarry.toml"},
                             {"user.lock", root_ / "config/quarry.lock"}};
    write(configuration(), "[server]\n");
    ask("first");
    places_.store = &store_;
    store_.text = "projects";
    write(places_.state / services::kSecretsKeyFile, "the key");
  }

  static void write(const std::filesystem::path& file, const std::string& bytes) {
    ASSERT_TRUE(create_private_directories(file.parent_path()));
    ASSERT_TRUE(write_file_atomically(file, bytes));
  }
  [[nodiscard]] std::filesystem::path configuration() const {
    return places_.configuration[0].path;
  }
  [[nodiscard]] std::filesystem::path history() const {
    return places_.state / services::kHistoryFile;
  }
  /// Adds a question to the history.
  void ask(const std::string& id) const {
    auto database = history::open_history(history());
    ASSERT_TRUE(database) << database.error().message;
    ASSERT_TRUE(history::Ledger(*database).add({.id = id,
                                                .thread = "",
                                                .outcome = "stop",
                                                .started = {},
                                                .duration = {},
                                                .calls = {},
                                                .resources = {}}));
  }
  [[nodiscard]] static std::vector<std::string> asked(const std::filesystem::path& file) {
    std::vector<std::string> ids;
    auto database = history::Database::open(file);
    EXPECT_TRUE(database->each("SELECT id FROM question ORDER BY id", {},
                               [&](const history::Row& row) { ids.push_back(row.text(0)); }));
    return ids;
  }
  [[nodiscard]] Work work(std::set<Part> parts = {std::begin(kParts), std::end(kParts)}) const {
    return {std::move(parts), "1.0", Clock::Wall(std::chrono::seconds(1'800'000'000)),
            [this] { return cancelled_after_ > 0 && --cancelled_after_ == 0; }};
  }
  [[nodiscard]] std::vector<std::string> entries(const std::filesystem::path& directory) const {
    std::vector<std::string> out;
    for (const auto& entry : std::filesystem::directory_iterator(directory)) {
      out.push_back(entry.path().filename());
    }
    return out;
  }

  const std::filesystem::path root_ = test_directory();
  TextStore store_;
  Places places_{root_ / "state", {}, nullptr};
  const std::filesystem::path to_ = root_ / "backups/one";
  mutable int cancelled_after_ = 0;  ///< looks until the work is cancelled; 0 = never
};

}  // namespace quarry::backup
