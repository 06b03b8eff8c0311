#include "store_sql/keys.h"

#include "store_sql/statements.h"

#include <array>
#include <cstddef>

#include <sys/random.h>

namespace quarry::store_sql {
namespace {

Outcome<std::string> random_key() {
  std::array<unsigned char, 32> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    return Failure{QUARRY_INTERNAL, "the system provides no random bytes", {}, {}};
  }
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string key;
  for (const unsigned char byte : bytes) key += {kDigits[byte >> 4U], kDigits[byte & 15U]};
  return key;
}

}  // namespace

Outcome<Result> secret_key(Connection& connection, const std::string& name) {
  const auto made = random_key();
  if (!made) return made.failure();
  Statements sql(connection);
  const bool is_new =
      sql.run("INSERT INTO secret_keys (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING",
              {name, *made}) != 0;
  std::string key;
  sql.each("SELECT value FROM secret_keys WHERE name = $1", {name},
           [&](const Row& row) { key = row.text(0); });
  return sql.result({{"key", key}}, is_new);
}

}  // namespace quarry::store_sql
