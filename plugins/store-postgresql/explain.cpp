#include "store-postgresql/explain.h"

#include <algorithm>

namespace quarry::store_postgresql {
namespace {

/// The message of libpq in one line, without its level.
std::string sentence(std::string_view message) {
  while (!message.empty() && (message.back() == '\n' || message.back() == ' ')) {
    message.remove_suffix(1);
  }
  std::string out;
  for (const char c : message) {
    if (c == '\n') {
      out += "; ";
    } else if (c != '\t' && !(c == ' ' && out.ends_with(' '))) {
      out += c;
    }
  }
  return out;
}

}  // namespace

bool is_conflict(std::string_view sqlstate) {
  return sqlstate == "40001" || sqlstate == "40P01";
}

bool is_connection_lost(std::string_view sqlstate) {
  // The server shuts down, has crashed, is starting, or has become read-only.
  return sqlstate.starts_with("08") || sqlstate == "57P01" || sqlstate == "57P02" ||
         sqlstate == "57P03" || sqlstate == "25006";
}

Failure explained(std::string_view sqlstate, std::string_view message) {
  const std::string said = "PostgreSQL: " + sentence(message);
  if (is_connection_lost(sqlstate) || is_conflict(sqlstate))
    return {QUARRY_UNAVAILABLE, said, {}, {}};
  if (sqlstate == "42501") {
    return {QUARRY_PERMISSION_DENIED,
            said,
            "Let the user of the URL create and change tables in its database.",
            {}};
  }
  if (sqlstate == "53100") {
    return {QUARRY_RESOURCE_EXHAUSTED, said, "Free space on the disk of the database.", {}};
  }
  if (sqlstate.starts_with("53")) return {QUARRY_RESOURCE_EXHAUSTED, said, {}, {}};
  return {QUARRY_INTERNAL, said + " (SQLSTATE " + std::string(sqlstate) + ")", {}, {}};
}

Failure not_connected(std::string_view message) {
  const std::string said = "PostgreSQL: " + sentence(message);
  const auto says = [&](std::string_view words) { return said.find(words) != std::string::npos; };
  if (says("authentication failed") || says("no password supplied")) {
    return {QUARRY_UNAUTHENTICATED, said, "Check the user and the password in url of [store].", {}};
  }
  if (says("database \"") && says("does not exist")) {
    return {QUARRY_NOT_FOUND, said, "Create it with createdb, or correct url of [store].", {}};
  }
  return {QUARRY_UNAVAILABLE,
          said,
          "Check that PostgreSQL runs there, and url of [store]; then try again.",
          {}};
}

}  // namespace quarry::store_postgresql
