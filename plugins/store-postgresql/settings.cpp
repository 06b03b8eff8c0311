#include "store-postgresql/settings.h"

#include "store_sql/configuration.h"

#include <memory>

#include <libpq-fe.h>

namespace quarry::store_postgresql {
namespace {

// The host's name for the reference `url = { env = … }` of the table [store].
constexpr std::string_view kSecret = "store.url";
constexpr std::size_t kMostConnections = 1000;
constexpr const char* kExample =
    "Write for example url = { env = \"STORE_URL\" }, and there "
    "postgresql://user:password@host/database.";

struct FreeOptions {
  void operator()(PQconninfoOption* options) const { PQconninfoFree(options); }
};

}  // namespace

bool Settings::is_secret() const {
  return url == kSecret;
}

Outcome<Settings> Settings::read(std::string_view configuration) {
  const auto members = store_sql::read_configuration(configuration, {"url", "connections"});
  if (!members) return members.failure();
  Settings out;
  const auto url = members->find("url");
  if (url != members->end() && url->is_string()) out.url = url->get<std::string>();
  if (out.url.empty()) {
    return field_failure("/url", "must be the URL of a PostgreSQL database", kExample);
  }
  if (!out.is_secret()) {
    const auto password = password_in(out.url);
    if (!password) return password.failure();
    if (!password->empty()) {
      return field_failure("/url", "holds a password, which must not be in the file", kExample);
    }
  }
  if (const auto number = members->find("connections"); number != members->end()) {
    if (!number->is_number_unsigned() || *number < 1U || *number > kMostConnections) {
      return field_failure("/connections", "must be a whole number from 1 to 1000");
    }
    out.connections = number->get<std::size_t>();
  }
  return out;
}

Outcome<std::string> password_in(const std::string& url) {
  // libpq's error message is dropped, since it may quote the URL.
  const std::unique_ptr<PQconninfoOption, FreeOptions> options(
      PQconninfoParse(url.c_str(), nullptr));
  if (options == nullptr || url.find("://") == std::string::npos) {
    return field_failure("/url", "is not a URL of a PostgreSQL database", kExample);
  }
  for (const auto* option = options.get(); option->keyword != nullptr; ++option) {
    if (std::string_view(option->keyword) == "password" && option->val != nullptr) {
      return std::string(option->val);
    }
  }
  return std::string();
}

}  // namespace quarry::store_postgresql
