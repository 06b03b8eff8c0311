#include "store_sql/request.h"

#include "store_sql/money.h"

namespace quarry::store_sql {
namespace {

constexpr std::size_t kMostBytes = 4096;

}  // namespace

void Members::blame(const std::string& path, std::string_view must) const {
  if (!fault_) fault_ = field_failure(path, must);
}

const Json& Members::member(const char* key) const {
  static const Json kNothing;
  const auto found = object_.find(key);
  return found == object_.end() ? kNothing : *found;
}

std::int64_t Members::number(const char* key, std::int64_t most) const {
  const Json& value = member(key);
  // The parser stores every non-negative integer as unsigned.
  if (value.is_number_unsigned() && value.get<std::uint64_t>() <= std::uint64_t(most)) {
    return value.get<std::int64_t>();
  }
  blame(path_ + '/' + key, "must be a whole number from 0 to " + std::to_string(most));
  return 0;
}

std::int64_t Members::nanos(const char* key) const {
  const Json& value = member(key);
  const auto nanos = value.is_string() ? nanos_of(value.get_ref<const std::string&>())
                                       : std::optional<std::int64_t>();
  if (nanos) return *nanos;
  blame(path_ + '/' + key, "must be dollars from 0 to 1000000 with up to 9 decimals, as a string");
  return 0;
}

std::string Members::checked(const Json& value, const std::string& path) const {
  if (value.is_string()) {
    auto text = value.get<std::string>();
    // PostgreSQL cannot store a text with NUL.
    if (text.size() <= kMostBytes && text.find('\0') == text.npos) return text;
  }
  blame(path, "must be a string of at most 4096 bytes, without NUL");
  return {};
}

std::string Members::label(const char* key) const {
  return checked(member(key), path_ + '/' + key);
}

std::string Members::text(const char* key) const {
  std::string text = label(key);
  if (text.empty()) blame(path_ + '/' + key, "must not be empty");
  return text;
}

std::string Members::hash(const char* key) const {
  std::string text = label(key);
  if (text.size() == 64 && text.find_first_not_of("0123456789abcdef") == text.npos) return text;
  blame(path_ + '/' + key, "must be 64 hexadecimal digits");
  return {};
}

bool Members::flag(const char* key) const {
  const Json& value = member(key);
  if (value.is_boolean()) return value.get<bool>();
  if (!value.is_null()) blame(path_ + '/' + key, "must be true or false");
  return false;
}

std::optional<std::int64_t> Members::maybe_number(const char* key) const {
  return has(key) ? std::optional(number(key)) : std::nullopt;
}
std::optional<std::int64_t> Members::maybe_nanos(const char* key) const {
  return has(key) ? std::optional(nanos(key)) : std::nullopt;
}
std::optional<std::string> Members::maybe_text(const char* key) const {
  return has(key) ? std::optional(text(key)) : std::nullopt;
}

const Json& Members::array(const char* key) const {
  static const Json kEmpty = Json::array();
  const Json& value = member(key);
  if (value.is_array()) return value;
  blame(path_ + '/' + key, "must be an array");
  return kEmpty;
}

std::vector<std::string> Members::texts(const char* key, std::size_t least) const {
  std::vector<std::string> out;
  for (const Json& item : array(key)) {
    out.push_back(checked(item, path_ + '/' + key + '/' + std::to_string(out.size())));
  }
  if (out.size() < least) blame(path_ + '/' + key, "must not be empty");
  return out;
}

Members Members::object(const char* key) const {
  static const Json kEmpty = Json::object();
  const Json& value = member(key);
  std::string path = path_ + '/' + key;
  if (value.is_object()) return {value, std::move(path), fault_};
  blame(path, "must be an object");
  return {kEmpty, std::move(path), fault_};
}

std::vector<Members> Members::objects(const char* key) const {
  std::vector<Members> out;
  for (const Json& item : array(key)) {
    std::string path = path_ + '/' + key + '/' + std::to_string(out.size());
    if (!item.is_object()) {
      blame(path, "must be an object");
      break;
    }
    out.emplace_back(item, std::move(path), fault_);
  }
  return out;
}

Request::Request(std::string_view text) : root_(parsed(text)) {
  if (root_.is_object()) return;
  fault_ = Failure{QUARRY_INVALID_ARGUMENT, "a request to a store must be a JSON object", {}, {}};
  root_ = Json::object();
}

std::string folded(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
  }
  return out;
}

std::string to_text(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json parsed(std::string_view text) {
  return Json::parse(text, nullptr, false);
}

}  // namespace quarry::store_sql
