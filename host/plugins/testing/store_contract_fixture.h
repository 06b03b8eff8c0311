#pragma once

#include "plugins/store.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

namespace quarry::plugins {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

/// An empty database shared by hosts, deleted on destruction.
class StoreDatabase {
 public:
  virtual ~StoreDatabase() = default;
  /// Another host's store on it, not opened. [any thread]
  virtual std::shared_ptr<Store> connect() = 0;
};

struct StoreMaker {
  std::string name;
  std::function<std::unique_ptr<StoreDatabase>()> make;
};

inline void PrintTo(const StoreMaker& maker, std::ostream* out) {
  *out << maker.name;
}

/// Fixture of the contract tests.
class StoreContract : public ::testing::TestWithParam<StoreMaker> {
 protected:
  StoreContract() {
    EXPECT_TRUE(store_->open({}));
    EXPECT_TRUE(other_->open({}));
  }

  static Clock::Wall at(std::int64_t milliseconds) {
    return Clock::Wall(std::chrono::milliseconds(milliseconds));
  }
  static std::string hash(int number) {
    std::string digits = std::to_string(number);
    return std::string(64 - digits.size(), '0') + digits;
  }
  static TokenRecord token(std::string id, std::vector<std::string> projects,
                           std::int64_t created = 1000) {
    return {.id = std::move(id),
            .projects = std::move(projects),
            .rights = {"ask", "list"},
            .label = "",
            .created = at(created),
            .expires = {},
            .revoked = {},
            .limits = {}};
  }
  static Reservation reservation(std::string id, std::int64_t nanos) {
    return {.id = std::move(id),
            .token = "t",
            .project = "docs",
            .day = 20'000,
            .amount = {nanos},
            .token_limit = {},
            .project_limit = {},
            .at = at(1000),
            .expires = at(2000)};
  }
  static AuditEntry entry(std::int64_t when, std::string request, std::string project = "docs") {
    AuditEntry entry;
    entry.at = at(when);
    entry.request = std::move(request);
    entry.project = std::move(project);
    entry.status = 200;
    return entry;
  }
  static HostActivity activity(std::string host, std::int64_t when) {
    return {.host = std::move(host),
            .at = at(when),
            .window = when / 60'000,
            .requests = {},
            .streams = {}};
  }

  void make_projects(std::initializer_list<std::string> names) {
    for (const auto& name : names) ASSERT_TRUE(*store_->create_project({}, {name, at(1), {}}));
  }
  std::vector<std::string> resource_names(std::string_view project) {
    std::vector<std::string> names;
    const auto found = store_->resources({}, project);
    if (!found || !*found) return {"no project"};
    for (const Json& resource : **found) names.push_back(resource["name"]);
    return names;
  }
  std::vector<std::string> token_ids(std::string_view project) {
    std::vector<std::string> ids;
    const auto all = store_->tokens({}, project).value();
    for (const auto& found : all) ids.push_back(found.id);
    return ids;
  }
  std::vector<std::string> requests_of(const AuditWanted& wanted) {
    std::vector<std::string> requests;
    const auto all = store_->audit({}, wanted).value();
    for (const auto& found : all) requests.push_back(found.request);
    return requests;
  }
  std::int64_t revision() { return store_->exchange({}, activity("h", 1))->revision; }
  Reserved::Outcome reserve(const Reservation& wanted) {
    return store_->reserve({}, wanted).value().outcome;
  }

  /// Runs `work(store, number)` in several threads of two hosts at once.
  template <class Work>
  void everywhere(const Work& work) {
    std::vector<std::jthread> threads;
    for (int number = 0; number < 6; ++number) {
      threads.emplace_back([&, number] { work(number % 2 == 0 ? *store_ : *other_, number); });
    }
  }

  std::unique_ptr<StoreDatabase> database_ = GetParam().make();
  std::shared_ptr<Store> store_ = database_->connect();
  std::shared_ptr<Store> other_ = database_->connect();
};

}  // namespace quarry::plugins
