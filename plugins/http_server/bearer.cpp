#include "bearer.h"

#include "request.h"

namespace quarry::http_server {

std::string_view bearer_token(std::string_view authorization) {
  constexpr std::string_view kScheme = "Bearer ";
  if (!equal_ignoring_case(authorization.substr(0, kScheme.size()), kScheme)) return {};
  return authorization.substr(kScheme.size());
}

bool equal_in_constant_time(std::string_view secret, std::string_view given) {
  if (secret.empty()) return given.empty();
  unsigned char difference = secret.size() == given.size() ? 0 : 1;
  for (std::size_t i = 0; i < given.size(); ++i) {
    difference |= static_cast<unsigned char>(given[i] ^ secret[i % secret.size()]);
  }
  return difference == 0;
}

}  // namespace quarry::http_server
