#pragma once

#include "base/json.h"
#include "plugins/store.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::plugins {

// What a store is told, as quarry/store.h says it.
[[nodiscard]] std::int64_t to_json(Clock::Wall time);
[[nodiscard]] Json to_json(const ProjectRecord& project);
[[nodiscard]] Json to_json(const TokenRecord& token);
[[nodiscard]] Json to_json(const SecretRecord& secret);
[[nodiscard]] Json to_json(const HostActivity& activity);
[[nodiscard]] Json to_json(const Reservation& reservation);
[[nodiscard]] Json to_json(const AuditEntry& entry);

/// An object a store answered, which is taken apart member by member. What is missing or of another
/// kind is the default, and its name is kept as the fault. Refers to both.
class Answer {
 public:
  Answer(const Json& object, std::string& fault) : object_(object), fault_(fault) {}

  [[nodiscard]] bool has(const char* key) const { return object_.contains(key); }
  [[nodiscard]] bool flag(const char* key) const;
  /// `least` to `most`.
  [[nodiscard]] std::int64_t number(const char* key, std::int64_t least, std::int64_t most) const;
  [[nodiscard]] std::string text(const char* key) const;
  [[nodiscard]] Money money(const char* key) const;
  [[nodiscard]] Clock::Wall time(const char* key) const;
  [[nodiscard]] const Json& object(const char* key) const;
  [[nodiscard]] std::vector<std::string> texts(const char* key) const;
  /// `read` of each object of an array.
  template <class T>
  [[nodiscard]] std::vector<T> list(const char* key, T (*read)(const Answer&)) const {
    std::vector<T> out;
    for (const Json& item : array(key)) {
      if (!item.is_object()) return (void)blame(key), out;
      out.push_back(read(Answer(item, fault_)));
    }
    return out;
  }
  /// The member as `get` reads it; nothing when there is none.
  template <class T, class... Bounds>
  [[nodiscard]] std::optional<T> optional(T (Answer::*get)(const char*, Bounds...) const,
                                          const char* key, Bounds... bounds) const {
    if (!has(key)) return std::nullopt;
    return (this->*get)(key, bounds...);
  }
  /// The object under `key`, whose faults are this one's.
  [[nodiscard]] Answer inner(const char* key) const { return {object(key), fault_}; }
  [[nodiscard]] const Json& json() const { return object_; }

 private:
  [[nodiscard]] const Json& array(const char* key) const;
  /// Null when it is missing.
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
