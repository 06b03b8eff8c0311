/// Secrets through the host.
#ifndef QUARRY_SECRETS_HPP
#define QUARRY_SECRETS_HPP

#include <quarry/host.hpp>
#include <quarry/json.hpp>
#include <quarry/secrets.h>

#include <string>
#include <string_view>

namespace quarry {

/// The value of the secret `name`. [worker]
inline Outcome<std::string> secret(const Host& host, const Call& call, std::string_view name) {
  const auto* secrets = host.service<quarry_secrets_v1>(QUARRY_SECRETS);
  if (secrets == nullptr) return Failure{QUARRY_UNSUPPORTED, "this host has no secrets", {}, {}};
  const detail::Heard heard;
  secrets->get(secrets, call.get(), as_text(name), heard.reply());
  if (!heard.outcome()) return heard.outcome().failure();
  return json::as_string(*heard.outcome()).value_or("");
}

/// From now on the host removes `value` from everything it prints or sends. [any]
inline void hide(const Host& host, std::string_view value) {
  const auto* secrets = host.service<quarry_secrets_v1>(QUARRY_SECRETS);
  if (secrets != nullptr && QUARRY_HAS(secrets, hide)) secrets->hide(secrets, as_text(value));
}

}  // namespace quarry

#endif
