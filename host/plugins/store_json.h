#pragma once

#include "base/json.h"
#include "plugins/store.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::plugins {

/// Upper bound of a number that has no other.
inline constexpr std::int64_t kMostNumber = std::numeric_limits<std::int64_t>::max();

// JSON of requests to a store, as defined by quarry/draft/store.h.
[[nodiscard]] std::int64_t to_json(Clock::Wall time);
[[nodiscard]] Json to_json(const ProjectRecord& project);
[[nodiscard]] Json to_json(const TokenRecord& token);
[[nodiscard]] Json to_json(const SecretRecord& secret);
[[nodiscard]] Json to_json(const HostActivity& activity);
[[nodiscard]] Json to_json(const Reservation& reservation);
[[nodiscard]] Json to_json(const AuditEntry& entry);

/// Reads the members of a store's reply. A missing or mistyped member yields the default, and its
/// name is kept as the fault. Refers to both arguments.
class Answer {
 public:
  Answer(const Json& object, std::string& fault) : object_(object), fault_(fault) {}

  [[nodiscard]] bool has(const char* key) const { return object_.contains(key); }
  [[nodiscard]] bool flag(const char* key) const;
  /// An integer from `least` to `most`.
  [[nodiscard]] std::int64_t number(const char* key, std::int64_t least, std::int64_t most) const;
  [[nodiscard]] std::string text(const char* key) const;
  [[nodiscard]] Money money(const char* key) const;
  [[nodiscard]] Clock::Wall time(const char* key) const;
  [[nodiscard]] const Json& object(const char* key) const;
  [[nodiscard]] std::vector<std::string> texts(const char* key) const;
  /// Applies `read` to each object of an array.
  template <class T>
  [[nodiscard]] std::vector<T> list(const char* key, T (*read)(const Answer&)) const {
    std::vector<T> out;
    for (const Json& item : array(key)) {
      if (!item.is_object()) {
        blame(key);
        return out;
      }
      out.push_back(read(Answer(item, fault_)));
    }
    return out;
  }
  /// The member as read by `get`; empty if missing.
  template <class T, class... Bounds>
  [[nodiscard]] std::optional<T> optional(T (Answer::*get)(const char*, Bounds...) const,
                                          const char* key, Bounds... bounds) const {
    if (!has(key)) return std::nullopt;
    return (this->*get)(key, bounds...);
  }
  /// The object at `key`; its faults are reported here.
  [[nodiscard]] Answer inner(const char* key) const { return {object(key), fault_}; }
  [[nodiscard]] const Json& json() const { return object_; }

 private:
  [[nodiscard]] const Json& array(const char* key) const;
  /// JSON null if missing.
  [[nodiscard]] const Json& member(const char* key) const;
  void blame(const char* key) const;

  const Json& object_;
  std::string& fault_;
};

ProjectRecord read_project(const Answer& said);
TokenRecord read_token(const Answer& said);
/// A resource is any object with a name.
Json read_resource(const Answer& said);
SecretRecord read_secret(const Answer& said);
TokenCount read_requests(const Answer& said);
TokenCount read_streams(const Answer& said);
AuditEntry read_audit(const Answer& said);

}  // namespace quarry::plugins
