#include "engine/shared_resources.h"

#include "base/json_writer.h"
#include "base/resource_schema.h"
#include "base/schema.h"
#include "base/text.h"
#include "engine/requests.h"
#include "engine/resource_choice.h"

#include <algorithm>

namespace quarry::engine {
namespace {

constexpr const char* kProjects = "projects";

bool is_for(const SharedResource& shared, std::string_view project) {
  return std::ranges::any_of(shared.projects, [&](const std::string& each) {
    return each == "*" || same_name(each, project);
  });
}

}  // namespace

std::vector<std::string> take_projects(Json& fields, const Json& schema,
                                       std::vector<FieldError>& mistakes) {
  if (!fields.contains(kProjects) || schema["properties"].contains(kProjects)) return {};
  static const Schema rule = compiled_schema(kFileMembers);
  const Json taken{{kProjects, fields[kProjects]}};
  fields.erase(kProjects);
  auto found = rule.check(taken, Schema::Unknown::kRefuse);
  if (found.empty()) return taken[kProjects].get<std::vector<std::string>>();
  std::ranges::move(found, std::back_inserter(mistakes));
  return {};
}

std::vector<const Json*> shared_with(const std::vector<SharedResource>& shared,
                                     std::string_view project, const std::vector<Json>& own) {
  std::vector<const Json*> out;
  for (const SharedResource& each : shared) {
    const auto& name = each.resource["name"].get_ref<const std::string&>();
    if (is_for(each, project) && find_named(own, name) == nullptr) out.push_back(&each.resource);
  }
  return out;
}

std::string shared_form(const Json& resource) {
  return json_object([&](JsonWriter& json) {
    json.member("type", resource["type"].get_ref<const std::string&>());
    json.member("name", resource["name"].get_ref<const std::string&>());
    const auto notes = resource.find("specialNotes");
    json.raw("specialNotes", notes == resource.end() ? "null" : to_text(*notes));
    json.member("shared", true);
  });
}

}  // namespace quarry::engine
