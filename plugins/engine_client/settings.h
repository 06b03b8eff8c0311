#pragma once

#include "failure.h"
#include "http_server/address.h"
#include "http_server/options.h"
#include "http_server/policy.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::engine_client {

/// What every transport with an HTTP server can be told about it.
struct ServerSettings {
  std::vector<http_server::Address> listen;
  unsigned threads = 1;
  http_server::AccessPolicy policy;
  http_server::Limits limits;
  bool insecure = false;  // may listen wider than loopback without what guards it

  /// Whether some address can be reached from other machines.
  [[nodiscard]] bool is_exposed() const;
};

/// The configuration of a transport, a JSON object: reads member by member and remembers the first
/// mistake. What is not there leaves the value as it is.
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
  /// A list of texts; where `one` is allowed, a text alone counts as a list of one.
  void strings(const char* name, std::vector<std::string>& value, bool one = false);
  /// Reads the members of the object `name`, and expects none but those.
  void table(const char* name, const std::vector<std::pair<const char*, std::string*>>& members);

  /// Every member of a ServerSettings; without a "listen" it listens on `address`.
  void server(ServerSettings& server, std::string_view address);

  void fail(std::string_view field, std::string message, std::string hint = {});
  /// The first mistake, an unknown member included.
  [[nodiscard]] std::optional<Failure> finish();

 private:
  struct Object;
  /// "listen": one address with its port, or a list of them.
  std::vector<http_server::Address> listen(std::string_view otherwise);
  /// "max_body_bytes", "idle_timeout_ms" and the like.
  void limits(http_server::Limits& limits);

  std::unique_ptr<Object> object_;
  std::optional<Failure> failure_;
};

/// What is wrong with a member of the configuration.
[[nodiscard]] Failure setting_failure(std::string_view field, std::string message,
                                      std::string hint = {});

}  // namespace quarry::engine_client
