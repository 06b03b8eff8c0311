#include "resource-git/credentials.h"

#include "resource-git/forge.h"
#include "resource-git/program.h"

#include <quarry/base64.hpp>
#include <quarry/secrets.hpp>

#include <algorithm>

namespace quarry::resource_git {
namespace {

Credentials hidden(const Host& host, const std::string& user_and_password) {
  Credentials credentials{basic_authorization(user_and_password),
                          user_and_password.substr(user_and_password.find(':') + 1)};
  hide(host, credentials.password);
  hide(host, credentials.authorization.substr(credentials.authorization.find(' ') + 1));
  return credentials;
}

/// The value of "name=" in the output of git credential.
std::string answered(std::string_view text, std::string_view name) {
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    const auto line = text.substr(0, end);
    if (line.starts_with(name) && line.substr(name.size()).starts_with('=')) {
      return std::string(line.substr(name.size() + 1));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return "";
}

}  // namespace

std::string basic_authorization(std::string_view user_and_password) {
  return "Basic " + to_base64(user_and_password);
}

Outcome<Credentials> credentials_of_token(const Host& host, const Call& call,
                                          const Fields& fields) {
  if (fields.token.empty() || fields.location.scheme == "ssh") return Credentials{};
  const auto token = secret(host, call, fields.token);
  if (!token) return token.failure();
  if (std::ranges::any_of(*token, [](unsigned char c) { return c < ' ' || c == 0x7f; })) {
    return field_failure("/token", "is a secret that contains a control character");
  }
  if (token->find(':') != token->npos) return hidden(host, *token);
  const bool bitbucket = forge_of(fields.location.host) == Forge::kBitbucket;
  return hidden(host, (bitbucket ? "x-token-auth:" : "x-access-token:") + *token);
}

Outcome<Credentials> credentials_of_helpers(const Host& host, const Call& call,
                                            const Location& location) {
  const std::string asked = "protocol=" + location.scheme + "\nhost=" + authority(location) +
                            "\npath=" + location.path.substr(1) + "\n\n";
  const Command command{
      .arguments = {"credential", "fill"}, .input = asked, .reads_user_configuration = true};
  std::string text;
  const auto end = run_git(host, call, command, [&](std::string_view bytes) {
    text += bytes;
    return text.size() < (1u << 16);
  });
  if (!end) return end.failure();
  const std::string password = answered(text, "password");
  if (!end->ok() || password.empty()) return Credentials{};
  return hidden(host, answered(text, "username") + ":" + password);
}

}  // namespace quarry::resource_git
