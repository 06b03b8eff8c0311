#include "plugins/component_schema.h"

#include "base/schema.h"
#include "plugins/compose.h"

#include <algorithm>
#include <span>
#include <string_view>

#include <nlohmann/json.hpp>

namespace quarry::plugins {
namespace {

constexpr std::string_view kOfEveryResource[] = {"type", "name", "refresh", "refreshInBackground"};
constexpr std::string_view kOfRequests[] = {"principal"};
/// Of the names of arguments that hosts add to those of a resource.
constexpr std::string_view kReservedPrefix = "_";
constexpr std::string_view kOfTheHost[] = {"local_roots", "acts_for"};

bool names(const Json& schema, std::string_view member) {
  const auto properties = schema.find("properties");
  if (properties != schema.end() && properties->contains(member)) return true;
  const auto required = schema.find("required");
  const auto is_member = [&](const Json& name) {
    return name.is_string() && name.get_ref<const std::string&>() == member;
  };
  return required != schema.end() && std::ranges::any_of(*required, is_member);
}

Status check_without(const Json& schema, std::span<const std::string_view> reserved,
                     std::string_view owner) {
  if (auto usable = check_usable_schema(schema); !usable) return usable;
  for (const std::string_view member : reserved) {
    if (!names(schema, member)) continue;
    return Error(Code::kInvalidArgument,
                 compose("the schema names \"{}\", which {}", member, owner),
                 "remove it from the schema, or give the field another name");
  }
  return {};
}

}  // namespace

Status check_usable_schema(const Json& schema) {
  const auto compiled = Schema::compile(schema);
  return compiled ? Status() : Status(compiled.error());
}

Status check_fields_schema(const Json& schema) {
  if (auto free = check_without(schema, kOfEveryResource, "every resource has"); !free) return free;
  if (auto free = check_without(schema, kOfRequests, "requests have"); !free) return free;
  const auto properties = schema.find("properties");
  if (properties == schema.end()) return {};
  for (const auto& [name, rule] : properties->items()) {
    if (!name.starts_with(kReservedPrefix)) continue;
    return Error(Code::kInvalidArgument,
                 compose("the schema names \"{}\", and names that begin with \"{}\" are the host's",
                         name, kReservedPrefix),
                 "give the field another name");
  }
  return {};
}

Status check_table_schema(const Json& schema) {
  return check_without(schema, kOfTheHost, "the host adds to the table");
}

}  // namespace quarry::plugins
