#include "configuration.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include <nlohmann/json.hpp>

namespace quarry::rest {
namespace {

using nlohmann::json;

constexpr std::string_view kDefaultListen = "127.0.0.1:8080";

Failure wrong(std::string_view field, std::string message, std::string hint = {}) {
  json fields = json::array({{{"field", "/" + std::string(field)}, {"message", message}}});
  return {QUARRY_INVALID_ARGUMENT, "ConfigError", std::string(field) + ": " + message,
          std::move(hint), fields.dump()};
}

/// Reads members of one object; remembers the first mistake.
class Reader {
 public:
  explicit Reader(const json& object) : object_(object) {}

  template <class Number>
  void number(const char* name, Number& value, std::int64_t least, std::int64_t most) {
    const json* const found = find(name);
    if (found == nullptr) return;
    if (!found->is_number_integer() || *found < least || *found > most) {
      return fail(wrong(name, "must be a whole number from " + std::to_string(least) + " to " +
                                  std::to_string(most)));
    }
    value = static_cast<Number>(found->get<std::int64_t>());
  }

  void milliseconds(const char* name, std::chrono::milliseconds& value) {
    std::int64_t count = value.count();
    number(name, count, 1, 3'600'000);
    value = std::chrono::milliseconds(count);
  }

  void flag(const char* name, bool& value) {
    const json* const found = find(name);
    if (found == nullptr) return;
    if (!found->is_boolean()) return fail(wrong(name, "must be true or false"));
    value = found->get<bool>();
  }

  void string(const char* name, std::string& value) {
    const json* const found = find(name);
    if (found == nullptr) return;
    if (!found->is_string()) return fail(wrong(name, "must be a text"));
    value = found->get<std::string>();
  }

  /// A list of texts; where `one` is allowed, a text alone counts as a list of one.
  void strings(const char* name, std::vector<std::string>& value, bool one = false) {
    const json* const found = find(name);
    if (found == nullptr) return;
    if (one && found->is_string()) {
      value = {found->get<std::string>()};
      return;
    }
    const bool sound = found->is_array() && std::ranges::all_of(*found, [](const json& item) {
                         return item.is_string();
                       });
    if (!sound) return fail(wrong(name, "must be a list of texts"));
    value = found->get<std::vector<std::string>>();
  }

  void fail(Failure failure) {
    if (!failure_) failure_ = std::move(failure);
  }
  /// The first mistake, an unknown member included.
  std::optional<Failure> finish() {
    for (const auto& [name, unused] : object_.items()) {
      if (std::ranges::find(known_, name) == known_.end()) {
        fail(wrong(name, "is not a setting of this transport"));
      }
    }
    return failure_;
  }

 private:
  const json* find(const char* name) {
    known_.emplace_back(name);
    const auto found = object_.find(name);
    return found == object_.end() ? nullptr : &*found;
  }

  const json& object_;
  std::vector<std::string> known_{"enabled"};  // the host's own
  std::optional<Failure> failure_;
};

void read_listen(Reader& reader, Configuration& configuration) {
  std::vector<std::string> listen{std::string(kDefaultListen)};
  reader.strings("listen", listen, true);
  if (listen.empty()) reader.fail(wrong("listen", "must name at least one address"));
  for (const std::string& one : listen) {
    const auto addresses = http_server::parse_listen(one);
    if (addresses.empty()) {
      reader.fail(wrong("listen", "\"" + one + "\" is not an address and a port",
                        "Write \"127.0.0.1:8080\", \"[::1]:8080\" or \"localhost:8080\"."));
    }
    configuration.listen.insert(configuration.listen.end(), addresses.begin(), addresses.end());
  }
}

void read_limits(Reader& reader, http_server::Limits& limits) {
  reader.number("max_header_bytes", limits.header_bytes, 1024, 1 << 20);
  reader.number("max_body_bytes", limits.body_bytes, 1, 1 << 30);
  reader.number("max_connections", limits.connections, 1, 1'000'000);
  reader.milliseconds("header_timeout_ms", limits.header_time);
  reader.milliseconds("body_timeout_ms", limits.body_time);
  reader.milliseconds("idle_timeout_ms", limits.idle_time);
  reader.milliseconds("write_timeout_ms", limits.write_time);
}

}  // namespace

bool Configuration::is_exposed() const {
  return !std::ranges::all_of(listen, &http_server::Address::is_loopback);
}

std::expected<Configuration, Failure> read_configuration(std::string_view text) {
  const json object = text.empty() ? json::object() : json::parse(text, nullptr, false);
  if (!object.is_object()) {
    return std::unexpected(Failure{QUARRY_INVALID_ARGUMENT,
                                   "ConfigError",
                                   "the transport's configuration is not a JSON object",
                                   {},
                                   {}});
  }
  Configuration configuration;
  Reader reader(object);
  read_listen(reader, configuration);
  read_limits(reader, configuration.limits);
  reader.number("threads", configuration.threads, 1, 64);
  reader.strings("allowed_hosts", configuration.policy.allowed_hosts);
  reader.strings("allowed_origins", configuration.policy.allowed_origins);
  reader.string("auth_token", configuration.auth_token);
  reader.flag("insecure", configuration.insecure);
  if (configuration.is_exposed() && configuration.auth_token.empty() && !configuration.insecure) {
    reader.fail(wrong("listen", "an address that other machines can reach needs a token",
                      "Listen on 127.0.0.1, or set auth_token to the name of a secret, or, where "
                      "something else guards the port, insecure = true."));
  }
  if (auto failure = reader.finish()) return std::unexpected(std::move(*failure));
  return configuration;
}

}  // namespace quarry::rest
