#pragma once

#include "base/error.h"
#include "base/json.h"
#include "config/config.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::config {

/// True for { env = … }, { file = … } and { command = […] }.
bool is_secret_reference(const Json& value);

/// True for the name of a secret member: api_key, token, password, auth_token.
bool names_a_secret(std::string_view name);

/// Replaces every secret reference inside `value` by its name, "<prefix>.<member>…", and records
/// it. An item of a list has its place as its name: "<prefix>.tokens.0". A secret member
/// (names_a_secret) with plain text is a mistake: {JSON pointer, sentence}.
void take_secrets(Json& value, const std::string& prefix,
                  std::map<std::string, SecretReference>& secrets,
                  std::vector<FieldError>& mistakes);

/// `value` of the member `name`, to be shown: secrets in plain text, which a file must not have,
/// are left out.
Json without_secrets(Json value, const std::string& name);

}  // namespace quarry::config
