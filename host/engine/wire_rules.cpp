#include "engine/wire_rules.h"

#include "base/json.h"
#include "base/schema.h"

#include <algorithm>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace quarry::engine {
namespace {

constexpr std::string_view kSelectModel = "models.select";
constexpr const char* kOptions = "providerOptions";

/// Options of a provider have no tables other than references to secrets, at any depth.
bool holds_a_table(const Json& value) {
  if (value.is_object()) return true;
  return value.is_array() && std::ranges::any_of(value, holds_a_table);
}

bool holds_an_address(const Json& value) {
  if (value.is_array()) return std::ranges::any_of(value, holds_an_address);
  return value.is_string() && value.get_ref<const std::string&>().find("://") != std::string::npos;
}

}  // namespace

Status check_from_wire(std::string_view method, std::string_view params) {
  if (method != kSelectModel) return {};
  const auto value = parse_json(params);
  if (!value || !value->is_object()) return {};
  const auto options = value->find(kOptions);
  if (options == value->end() || !options->is_object()) return {};
  std::vector<FieldError> refused;
  for (const auto& [key, member] : options->items()) {
    const std::string field = child_pointer(std::string("/") + kOptions, key);
    if (holds_a_table(member)) refused.push_back({field, "names a secret"});
    if (holds_an_address(member)) refused.push_back({field, "names an address"});
  }
  if (refused.empty()) return {};
  Error error{Code::kPermissionDenied, "these options are not accepted over the network",
              "Set them in quarry.toml, or on the server's machine: quarry models use PROVIDER "
              "--option NAME=VALUE."};
  error.details = std::move(refused);
  return std::move(error).tagged("ProviderOptionsError");
}

}  // namespace quarry::engine
