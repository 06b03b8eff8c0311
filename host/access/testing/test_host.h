#pragma once

#include "access/access.h"
#include "access/token.h"
#include "base/testing/fake_clock.h"
#include "plugins/testing/fake_store.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace quarry::access {

/// One host of the cloud interface, on a store that it may share.
struct TestHost {
  explicit TestHost(
      std::shared_ptr<plugins::FakeStore> shared = std::make_shared<plugins::FakeStore>(),
      const Clock* shared_clock = nullptr, config::Access rules = {})
      : store(std::move(shared)), clock(shared_clock == nullptr ? own_clock : *shared_clock) {
    access = Access::open({store, clock, std::move(rules),
                           [this](const Error& error) { warnings.push_back(error.message); },
                           [this](const std::string& token) { withdrawn.push_back(token); }})
                 .value();
  }
  /// Creates a token and its projects.
  FreshToken make(plugins::TokenRecord record = {}) {
    FreshToken token = make_token();
    record.id = token.id;
    if (record.projects.empty()) record.projects = {"docs"};
    if (record.rights.empty()) record.rights = {"add", "ask", "list"};
    record.created = clock.now();
    for (const auto& project : record.projects) {
      static_cast<void>(store->create_project({}, {project, clock.now(), {}}));
    }
    EXPECT_TRUE(store->create_token({}, record, token.hash).value());
    return token;
  }
  Principal admit(const FreshToken& token) const {
    EXPECT_TRUE(access->admit(token.text, false));
    return access->principal(token.id, "", "list").value();
  }

  std::shared_ptr<plugins::FakeStore> store;
  FakeClock own_clock;
  const Clock& clock;
  std::vector<std::string> warnings;
  std::vector<std::string> withdrawn;
  std::unique_ptr<Access> access;
};

}  // namespace quarry::access
