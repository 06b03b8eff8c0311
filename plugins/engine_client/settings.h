#pragma once

#include "failure.h"
#include "http_server/address.h"
#include "http_server/options.h"
#include "http_server/policy.h"
#include "http_server/tls.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::engine_client {

/// Settings of every transport with an HTTP server.
struct ServerSettings {
  std::vector<http_server::Address> listen;
  unsigned threads = 1;
  http_server::AccessPolicy policy;
  http_server::Limits limits;
  http_server::TlsFiles tls;  // both empty = plain HTTP
  bool insecure = false;      // may listen beyond loopback without protection

  /// True if an address can be reached from other machines.
  [[nodiscard]] bool is_exposed() const;
  [[nodiscard]] bool has_tls() const { return !tls.certificate.empty(); }
};

/// Reads the configuration of a transport, a JSON object, member by member, and keeps the first
/// error. A missing member leaves the value unchanged.
class Settings {
 public:
  /// An empty text counts as no settings.
  explicit Settings(std::string_view json);
  ~Settings();
  Settings(const Settings&) = delete;
  Settings& operator=(const Settings&) = delete;

  void number(const char* name, std::int64_t& value, std::int64_t least, std::int64_t most);
  template <class Number>
  void number(const char* name, Number& value, std::int64_t least, std::int64_t most) {
    auto read = static_cast<std::int64_t>(value);
    number(name, read, least, most);
    value = static_cast<Number>(read);
  }
  void milliseconds(const char* name, std::chrono::milliseconds& value);
  void flag(const char* name, bool& value);
  void string(const char* name, std::string& value);
  /// A list of strings; with `one`, a single string is also accepted.
  void strings(const char* name, std::vector<std::string>& value, bool one = false);
  /// Reads the members of the object `name`; others are an error.
  void table(const char* name, const std::vector<std::pair<const char*, std::string*>>& members);

  /// All members of a ServerSettings; the default of "listen" is `address`.
  void server(ServerSettings& server, const char* transport, std::string_view address);

  void fail(std::string_view field, std::string message, std::string hint = {});
  /// The first error, including unknown members.
  [[nodiscard]] std::optional<Failure> finish();

 private:
  struct Object;
  /// "listen": one address with its port, or a list.
  std::vector<http_server::Address> listen(std::string_view otherwise);
  /// "max_body_bytes", "idle_timeout_ms" and the like.
  void limits(http_server::Limits& limits);

  std::unique_ptr<Object> object_;
  std::optional<Failure> failure_;
};

/// The failure for an invalid member of the configuration.
[[nodiscard]] Failure setting_failure(std::string_view field, std::string message,
                                      std::string hint = {});

}  // namespace quarry::engine_client
