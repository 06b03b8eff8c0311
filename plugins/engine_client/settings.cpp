#include "settings.h"

#include "http_server/passed_sockets.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace quarry::engine_client {

using nlohmann::json;

struct Settings::Object {
  json members;
  std::vector<std::string> known{"enabled"};  // read by the host

  const json* find(const char* name) {
    known.emplace_back(name);
    const auto found = members.find(name);
    return found == members.end() ? nullptr : &*found;
  }
};

bool ServerSettings::is_exposed() const {
  return !std::ranges::all_of(listen, &http_server::Address::is_loopback);
}

Failure setting_failure(std::string_view field, std::string message, std::string hint) {
  const json fields = json::array({{{"field", "/" + std::string(field)}, {"message", message}}});
  return {QUARRY_INVALID_ARGUMENT, "ConfigError", std::string(field) + ": " + message,
          std::move(hint), fields.dump()};
}

Settings::Settings(std::string_view text) : object_(std::make_unique<Object>()) {
  object_->members = text.empty() ? json::object() : json::parse(text, nullptr, false);
  if (object_->members.is_object()) return;
  object_->members = json::object();
  failure_ = Failure{QUARRY_INVALID_ARGUMENT,
                     "ConfigError",
                     "the transport's configuration is not a JSON object",
                     {},
                     {}};
}

Settings::~Settings() = default;

void Settings::number(const char* name, std::int64_t& value, std::int64_t least,
                      std::int64_t most) {
  const json* const found = object_->find(name);
  if (found == nullptr) return;
  if (!found->is_number_integer() || *found < least || *found > most) {
    return fail(name, "must be a whole number from " + std::to_string(least) + " to " +
                          std::to_string(most));
  }
  value = found->get<std::int64_t>();
}

void Settings::milliseconds(const char* name, std::chrono::milliseconds& value) {
  std::int64_t count = value.count();
  number(name, count, 1, 3'600'000);
  value = std::chrono::milliseconds(count);
}

void Settings::flag(const char* name, bool& value) {
  const json* const found = object_->find(name);
  if (found == nullptr) return;
  if (!found->is_boolean()) return fail(name, "must be true or false");
  value = found->get<bool>();
}

void Settings::string(const char* name, std::string& value) {
  const json* const found = object_->find(name);
  if (found == nullptr) return;
  if (!found->is_string()) return fail(name, "must be a text");
  value = found->get<std::string>();
}

void Settings::strings(const char* name, std::vector<std::string>& value, bool one) {
  const json* const found = object_->find(name);
  if (found == nullptr) return;
  if (one && found->is_string()) {
    value = {found->get<std::string>()};
    return;
  }
  const bool sound = found->is_array() &&
                     std::ranges::all_of(*found, [](const json& item) { return item.is_string(); });
  if (!sound) return fail(name, "must be a list of texts");
  value = found->get<std::vector<std::string>>();
}

void Settings::table(const char* name,
                     const std::vector<std::pair<const char*, std::string*>>& members) {
  const json* const found = object_->find(name);
  if (found == nullptr) return;
  if (!found->is_object()) return fail(name, "must be a table");
  for (const auto& [key, value] : found->items()) {
    const std::string field = std::string(name) + "/" + key;
    const auto member = std::ranges::find_if(
        members, [wanted = std::string_view(key)](const auto& one) { return one.first == wanted; });
    if (member == members.end()) return fail(field, "is not a setting of this transport");
    if (!value.is_string()) return fail(field, "must be a text");
    *member->second = value.get<std::string>();
  }
}

void Settings::server(ServerSettings& server, const char* transport, std::string_view address) {
  server.listen = listen(address);
  auto passed = http_server::passed_sockets(transport);
  if (!passed)
    fail("listen", passed.error(), "Pass one with ListenStream= of an address and a port.");
  if (passed && !passed->empty()) server.listen = std::move(*passed);
  limits(server.limits);
  number("threads", server.threads, 1, 64);
  strings("allowed_hosts", server.policy.allowed_hosts);
  strings("allowed_origins", server.policy.allowed_origins);
  table("tls", {{"certificate", &server.tls.certificate}, {"key", &server.tls.key}});
  if (server.tls.certificate.empty() != server.tls.key.empty()) {
    fail("tls", "needs both a certificate and a key", "Name two PEM files.");
  }
  flag("insecure", server.insecure);
}

std::vector<http_server::Address> Settings::listen(std::string_view otherwise) {
  std::vector<std::string> texts{std::string(otherwise)};
  strings("listen", texts, true);
  if (texts.empty()) fail("listen", "must name at least one address");
  std::vector<http_server::Address> all;
  for (const std::string& one : texts) {
    const auto addresses = http_server::parse_listen(one);
    if (addresses.empty()) {
      fail("listen", "is \"" + one + "\", which is not an address and a port",
           "Write \"127.0.0.1:8080\", \"[::1]:8080\" or \"localhost:8080\".");
    }
    all.insert(all.end(), addresses.begin(), addresses.end());
  }
  return all;
}

void Settings::limits(http_server::Limits& limits) {
  number("max_header_bytes", limits.header_bytes, 1024, 1 << 20);
  number("max_body_bytes", limits.body_bytes, 1, 1 << 30);
  number("max_connections", limits.connections, 1, 1'000'000);
  milliseconds("header_timeout_ms", limits.header_time);
  milliseconds("body_timeout_ms", limits.body_time);
  milliseconds("idle_timeout_ms", limits.idle_time);
  milliseconds("write_timeout_ms", limits.write_time);
}

void Settings::fail(std::string_view field, std::string message, std::string hint) {
  if (!failure_) failure_ = setting_failure(field, std::move(message), std::move(hint));
}

std::optional<Failure> Settings::finish() {
  for (const auto& [name, unused] : object_->members.items()) {
    if (std::ranges::find(object_->known, name) == object_->known.end()) {
      fail(name, "is not a setting of this transport");
    }
  }
  return std::move(failure_);
}

}  // namespace quarry::engine_client
