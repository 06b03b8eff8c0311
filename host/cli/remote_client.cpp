#include "cli/remote_client.h"

#include "services/process.h"
#include "services/workers.h"

#include <cstdlib>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

namespace quarry::cli {
namespace {

const char* variable(const char* name) {
  return std::getenv(name);
}

services::EgressPolicy any_host() {
  const std::string all[] = {"*"};
  return *services::EgressPolicy::make(all);
}

}  // namespace

struct RemoteClient::Parts {
  ~Parts() { io.stop(); }

  boost::asio::io_context io{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work{io.get_executor()};
  InlineExecutor inline_executor;
  services::EgressPolicy policy = any_host();
  services::Redactor redactor;
  services::ProcessRunner processes{"", ""};
  services::SecretStore secrets{{}, variable, processes, redactor};
  // The loop ends before the client is destroyed.
  std::unique_ptr<services::HttpClient> client = std::make_unique<services::HttpClient>(
      services::HttpClient::Parts{io, inline_executor, policy, secrets, redactor}, variable);
  services::NamedLoop loop{"quarry-http", [this] { io.run(); }};
};

RemoteClient::RemoteClient() : parts_(std::make_unique<Parts>()) {}
RemoteClient::~RemoteClient() = default;

services::HttpClient& RemoteClient::get() {
  return *parts_->client;
}

std::string token_for_servers() {
  const char* const token = variable("QUARRY_TOKEN");
  return token == nullptr ? std::string() : token;
}

}  // namespace quarry::cli
