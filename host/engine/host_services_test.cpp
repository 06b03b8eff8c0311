#include "base/testing/fake_clock.h"
#include "engine/load_plugins.h"
#include "plugins/call_rights.h"

#include <quarry/http.h>
#include <quarry/outcome.hpp>
#include <quarry/secrets.h>

#include <algorithm>
#include <optional>
#include <quarry_places.h>
#include <quarry_test.h>
#include <thread>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::engine {
namespace {

namespace fs = std::filesystem;

/// The plugins of this build, and a secret in every field that may name one.
class SecretsOfPlugins : public ::testing::Test {
 protected:
  SecretsOfPlugins() {
    for (auto& manifest : found_.manifests) {
      Json configuration = Json::object();
      auto& own = names_[manifest.id];
      own = manifest.permissions.secrets;
      for (const std::string& field : manifest.permissions.secret_fields) {
        own.push_back(manifest.id + field);
        configuration[Json::json_pointer(field)] = own.back();
      }
      rights_[manifest.id] = plugins::rights_in(manifest.permissions, configuration);
      for (const std::string& name : own) sources_[name] = {kFrom, {name}};
    }
    secrets_.update(sources_);
  }

  ~SecretsOfPlugins() override {
    io_.stop();
    loop_.join();
  }

  [[nodiscard]] services::ServiceTables tables_of(const plugins::Manifest& reader) {
    return {
        reader.id, permissions_of(reader),
        services::Services{clock_, log_, metrics_, paths_, processes_, secrets_, workers_, &http_}};
  }
  quarry_status read(const plugins::Manifest& reader, const std::string& name,
                     const services::CallRights& rights) {
    const auto tables = tables_of(reader);
    const auto* table = static_cast<const quarry_secrets_v1*>(tables.find(QUARRY_SECRETS));
    const services::Call wanted;
    const services::CallTable call(wanted, rights);
    const detail::Heard heard;
    table->get(table, call.get(), as_text(name), heard.reply());
    return heard.outcome() ? QUARRY_OK : heard.outcome().failure().status;
  }
  /// True unless a request with the secret in a header is refused for the secret; nothing for a
  /// plugin that may send none. All requests are refused, for their private address at last.
  std::optional<bool> may_send(const plugins::Manifest& reader, const std::string& name,
                               const services::CallRights& rights) {
    const auto tables = tables_of(reader);
    const auto* table = static_cast<const quarry_http_v1*>(tables.find(QUARRY_HTTP));
    if (table == nullptr) return std::nullopt;
    const services::Call wanted;
    const services::CallTable call(wanted, rights);
    const quarry_header header{sizeof header, as_text("X-Key"), {}, as_text(name)};
    const quarry_header* const headers[] = {&header};
    const quarry_http_request request{
        sizeof request, 1, as_text("GET"), as_text("http://127.0.0.1:1/"), headers, {}, 0, 0, 0};
    const detail::Heard heard;
    table->send(table, call.get(), &request, nullptr, heard.reply());
    EXPECT_FALSE(heard.outcome());
    return !heard.outcome().failure().message.contains("does not list the secret");
  }

  static constexpr auto kFrom = services::SecretSource::From::kEnvironment;
  const fs::path root_ = test_directory();
  const std::string key_ = test_key();
  FakeClock clock_;
  services::Redactor redactor_;
  services::Log log_{{services::Level::kError, services::LogFormat::kText, [](std::string_view) {}},
                     redactor_};
  services::Metrics metrics_;
  services::Paths paths_{{root_ / "c", root_ / "d", root_ / "s"}};
  services::ProcessRunner processes_{"/usr/bin:/bin", "/"};
  services::SecretStore secrets_{
      {}, [this](const char*) { return key_.c_str(); }, processes_, redactor_};
  services::WorkerPool workers_{1};
  boost::asio::io_context io_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{
      io_.get_executor()};
  services::EgressPolicy egress_ = services::EgressPolicy::make({}).value();
  services::HttpClient http_{{io_, workers_, egress_, secrets_, redactor_},
                             [](const char*) { return nullptr; }};
  std::thread loop_{[this] { io_.run(); }};
  plugins::Found found_ =
      plugins::find_plugins({fs::path(QUARRY_BUILD_DIR) / "lib/quarry/plugins"});
  std::map<std::string, services::SecretSource> sources_;
  std::map<std::string, std::vector<std::string>> names_;  // by plugin id
  std::map<std::string, services::CallRights> rights_;
};

TEST_F(SecretsOfPlugins, AreReadByTheirPluginAndByNoOther) {
  ASSERT_GE(found_.manifests.size(), 10u);
  int read_by_owner = 0;
  for (const auto& reader : found_.manifests) {
    for (const auto& [owner, names] : names_) {
      for (const std::string& name : names) {
        const bool own = std::ranges::find(names_[reader.id], name) != names_[reader.id].end();
        EXPECT_EQ(read(reader, name, rights_[reader.id]),
                  own ? QUARRY_OK : QUARRY_PERMISSION_DENIED)
            << reader.id << " reads " << name << " of " << owner;
        EXPECT_EQ(may_send(reader, name, rights_[reader.id]).value_or(own), own)
            << reader.id << " sends " << name << " of " << owner;
        read_by_owner += own;
      }
    }
  }
  EXPECT_GE(read_by_owner, 15);
}

TEST_F(SecretsOfPlugins, AreNoneForAPluginWithoutAny) {
  for (const auto& reader : found_.manifests) {
    const auto& permissions = reader.permissions;
    if (!permissions.secrets.empty() || !permissions.secret_fields.empty()) continue;
    const Json everything{{"token", "io.quarry.resource-git/token"}};
    EXPECT_THAT(plugins::rights_in(permissions, everything).secrets, ::testing::IsEmpty());
    for (const auto& [name, source] : sources_) {
      EXPECT_EQ(read(reader, name, {}), QUARRY_PERMISSION_DENIED) << reader.id << " " << name;
      EXPECT_FALSE(may_send(reader, name, {}).value_or(false)) << reader.id << " " << name;
    }
  }
}

TEST(HostsOfPlugins, AreNamedByTheManifestAndItsFields) {
  const auto found = plugins::find_plugins({fs::path(QUARRY_BUILD_DIR) / "lib/quarry/plugins"});
  ASSERT_GE(found.manifests.size(), 10u);
  for (const auto& manifest : found.manifests) {
    EXPECT_THAT(manifest.permissions.hosts, ::testing::Not(::testing::Contains("*")))
        << manifest.id;
  }
}

}  // namespace
}  // namespace quarry::engine
