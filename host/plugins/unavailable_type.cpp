#include "plugins/unavailable_type.h"

#include "plugins/component_schema.h"
#include "plugins/compose.h"

#include <utility>

namespace quarry::plugins {
namespace {

class UnavailableType final : public ResourceType {
 public:
  UnavailableType(ResourceDescription description, Error why)
      : description_(std::move(description)), why_(std::move(why)) {}

  [[nodiscard]] const ResourceDescription& describe() const override { return description_; }
  [[nodiscard]] const Error* unusable() const override { return &why_; }
  Result<Json> normalise(const services::Call&, const Json&) override { return why_; }
  Result<ResourceVersion> resolve(const services::Call&, const Json&,
                                  const LastSnapshot&) override {
    return why_;
  }
  Result<ResourceMetadata> fetch(const services::Call&, const Json&, const ResourceVersion&,
                                 const LastSnapshot&, Tree&) override {
    return why_;
  }
  Result<std::optional<Recognised>> parse_reference(const services::Call&,
                                                    std::string_view) override {
    return why_;
  }

 private:
  const ResourceDescription description_;
  const Error why_;
};

constexpr const char* kAnyFields = R"({"type": "object", "additionalProperties": {}})";

std::string schema_in(const Manifest& manifest, const ManifestComponent& component) {
  const auto schema = read_schema(manifest, component.schema_file);
  const bool usable = schema && schema->is_object() && check_fields_schema(*schema);
  return usable ? to_text(*schema) : kAnyFields;
}

}  // namespace

Error unavailable_plugin(const std::string& id, Error why) {
  if (!why.message.contains(id)) why = std::move(why).in(compose("plugin {}", id));
  if (why.hint.empty()) why.hint = "\"quarry plugins validate\" shows what is wrong with it";
  why.hint += "; a start, or \"quarry plugins reload\" for a running server, tries it again";
  why.code = Code::kUnavailable;
  why.details.clear();
  return why;
}

std::optional<Error> why_unusable(std::span<const UnusablePlugin> plugins, std::string_view kind,
                                  std::string_view name) {
  for (const auto& [manifest, why] : plugins) {
    if (find_component(manifest, kind, name) == nullptr) continue;
    return unavailable_plugin(manifest.id, why);
  }
  return {};
}

std::shared_ptr<ResourceType> unavailable_type(const Manifest& manifest,
                                               const ManifestComponent& component, Error why) {
  return std::make_shared<UnavailableType>(
      ResourceDescription{.type = component.name,
                          .title = component.name,
                          .schema = schema_in(manifest, component),
                          .examples = {},
                          .plugin = manifest.id},
      unavailable_plugin(manifest.id, std::move(why)));
}

std::shared_ptr<ResourceType> missing_type(const std::string& name, Error why) {
  return std::make_shared<UnavailableType>(
      ResourceDescription{.type = name, .title = name, .schema = kAnyFields, .examples = {}},
      std::move(why));
}

}  // namespace quarry::plugins
