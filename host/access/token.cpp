#include "access/token.h"

#include "base/hash.h"
#include "base/random.h"

namespace quarry::access {

FreshToken make_token() {
  const std::string text = "qry_" + random_hex(32);
  return {"tok_" + random_hex(6), text, hash_of(text)};
}

std::string hash_of(std::string_view text) {
  return sha256_hex(text);
}

}  // namespace quarry::access
