#pragma once

#include <quarry/outcome.hpp>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace quarry::store_sql {

using Json = nlohmann::json;

inline constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

/// Reads the members of a JSON object of a request. A member that is missing or violates
/// <quarry/draft/store.h> reads as empty, and the first such member becomes the request's fault.
/// Refers to the request.
class Members {
 public:
  Members(const Json& object, std::string path, std::optional<Failure>& fault)
      : object_(object), path_(std::move(path)), fault_(fault) {}

  [[nodiscard]] std::int64_t number(const char* key, std::int64_t most = kMost) const;  ///< from 0
  [[nodiscard]] std::int64_t nanos(const char* key) const;
  [[nodiscard]] std::string text(const char* key) const;   ///< not empty
  [[nodiscard]] std::string label(const char* key) const;  ///< may be empty
  [[nodiscard]] std::string hash(const char* key) const;   ///< 64 hexadecimal digits
  [[nodiscard]] bool flag(const char* key) const;          ///< false if it is missing
  [[nodiscard]] std::optional<std::int64_t> maybe_number(const char* key) const;
  [[nodiscard]] std::optional<std::int64_t> maybe_nanos(const char* key) const;
  [[nodiscard]] std::optional<std::string> maybe_text(const char* key) const;
  /// At least `least` elements.
  [[nodiscard]] std::vector<std::string> texts(const char* key, std::size_t least = 0) const;
  [[nodiscard]] Members object(const char* key) const;
  [[nodiscard]] std::vector<Members> objects(const char* key) const;
  [[nodiscard]] const Json& json() const { return object_; }

 private:
  [[nodiscard]] bool has(const char* key) const { return object_.contains(key); }
  [[nodiscard]] const Json& member(const char* key) const;
  [[nodiscard]] const Json& array(const char* key) const;
  [[nodiscard]] std::string checked(const Json& value, const std::string& path) const;
  void blame(const std::string& path, std::string_view must) const;

  const Json& object_;
  std::string path_;  ///< as a JSON pointer
  std::optional<Failure>& fault_;
};

/// A request of a host. Not movable, since its members refer to it.
class Request {
 public:
  explicit Request(std::string_view text);
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;

  [[nodiscard]] Members members() { return {root_, "", fault_}; }
  /// The first invalid member, after the members were read.
  [[nodiscard]] const std::optional<Failure>& fault() const { return fault_; }

 private:
  Json root_;
  std::optional<Failure> fault_;
};

/// `text` with ASCII letters in lower case, for comparing names; other bytes stay.
std::string folded(std::string_view text);

/// One line of JSON. Bytes that are not UTF-8 become U+FFFD.
std::string to_text(const Json& json);

/// The value of JSON that the store wrote; discarded (Json::is_discarded) for any other text.
Json parsed(std::string_view text);

}  // namespace quarry::store_sql
