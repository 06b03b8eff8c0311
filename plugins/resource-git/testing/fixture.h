#pragma once

#include "resource-git/source.h"
#include "resource-git/testing/git_server.h"
#include "resource-git/testing/host.h"

#include <cstdlib>
#include <fstream>
#include <quarry_test.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace quarry::resource_git::testing {

/// A repository served over HTTP on loopback, and the resource type that reads it.
class GitFixture : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = std::filesystem::canonical(test_directory());
    std::filesystem::create_directories(root_ / "cache");
    std::filesystem::create_directories(root_ / "srv");
    sh("git init -q -b main work && git init -q --bare -b main srv/repo.git && "
       "rm -r srv/repo.git/objects && ln -s ../../work/.git/objects srv/repo.git/objects");
    host_.emplace(root_ / "cache");
    host_->offer_to(fake_);
    server_.emplace(root_ / "srv");
    restart();
  }
  void TearDown() override {
    server_.reset();
    std::filesystem::remove_all(root_);
  }

  /// Runs a script in the directory with work/ and the served srv/repo.git, which has the objects
  /// of work/.
  std::string sh(const std::string& script) const {
    const std::string out = (root_ / "out").string();
    const std::string command =
        "cd '" + root_.string() +
        "' && export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=a "
        "GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b GIT_CONFIG_COUNT=1 "
        "GIT_CONFIG_KEY_0=maintenance.auto GIT_CONFIG_VALUE_0=false && { " +
        script + "\n} >'" + out + "' 2>&1";
    EXPECT_EQ(std::system(command.c_str()), 0) << script << read(out);
    std::string text = read(out);
    while (text.ends_with('\n')) text.pop_back();
    return text;
  }
  static std::string read(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  /// Writes files into the repository and commits them to `reference` of the served one; returns
  /// the commit.
  std::string commit(const std::map<std::string, std::string>& files,
                     const std::string& reference = "refs/heads/main") const {
    for (const auto& [path, text] : files) {
      std::filesystem::create_directories((root_ / "work" / path).parent_path());
      std::ofstream(root_ / "work" / path, std::ios::binary) << text;
    }
    return sh(
        "cd work && git add -A -f && git commit -q --allow-empty -m c && id=$(git rev-parse HEAD) "
        "&& git --git-dir=../srv/repo.git update-ref " +
        reference + " $id && echo $id");
  }
  /// A new instance, as after a restart of the host.
  void restart(Settings settings = {}) { source_.emplace(Host(fake_.get()), std::move(settings)); }

  [[nodiscard]] nlohmann::json resource(nlohmann::json members = nlohmann::json::object()) const {
    members["type"] = "git";
    if (!members.contains("url")) members["url"] = server_->url("repo.git");
    return members;
  }
  Outcome<std::string> resolve(const nlohmann::json& members = nlohmann::json::object()) {
    return source_->resolve(Call(call_.get()), resource(members).dump());
  }
  nlohmann::json resolved(const nlohmann::json& members = nlohmann::json::object()) {
    const auto version = resolve(members);
    EXPECT_TRUE(version) << version.failure().message;
    return version ? nlohmann::json::parse(*version) : nlohmann::json();
  }
  Failure refused(const nlohmann::json& members = nlohmann::json::object()) {
    const auto version = resolve(members);
    EXPECT_FALSE(version) << *version;
    return version.failure();
  }
  Outcome<std::string> fetch(const nlohmann::json& members, const std::string& id,
                             quarry::testing::Tree& into) {
    Tree tree(into.get());
    return source_->fetch(Call(call_.get()), resource(members).dump(),
                          nlohmann::json{{"id", id}}.dump(), tree);
  }
  /// The files of the resource's current version.
  std::map<std::string, std::string> files(
      const nlohmann::json& members = nlohmann::json::object()) {
    const nlohmann::json version = resolved(members);
    quarry::testing::Tree tree;
    const auto fetched = fetch(members, version.value("id", ""), tree);
    EXPECT_TRUE(fetched) << fetched.failure().message;
    metadata_ = fetched ? nlohmann::json::parse(*fetched) : nlohmann::json();
    links_ = tree.links;
    large_ = tree.large;
    return tree.files;
  }
  [[nodiscard]] std::vector<std::filesystem::path> entries() const {
    std::vector<std::filesystem::path> out;
    for (const auto& entry : std::filesystem::directory_iterator(root_ / "cache"))
      out.push_back(entry.path());
    return out;
  }

  std::filesystem::path root_;
  std::optional<RealHost> host_;
  quarry::testing::FakeHost fake_;
  std::optional<GitServer> server_;
  std::optional<Source> source_;
  quarry::testing::FakeCall call_;
  nlohmann::json metadata_;
  std::vector<std::string> links_;
  std::map<std::string, std::uint64_t> large_;
};

}  // namespace quarry::resource_git::testing
