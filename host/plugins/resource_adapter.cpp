#include "base/utf8.h"
#include "plugins/adapters.h"
#include "plugins/json_members.h"
#include "plugins/reply_slot.h"

#include <quarry/resource.h>

namespace quarry::plugins {
namespace {

constexpr std::size_t kMaxName = 1024;
constexpr std::size_t kMaxNotes = 20;
constexpr std::size_t kMaxNote = 300;

/// Tree passed to a plugin. Keeps the first failure as reported by the host.
class TreeSlot {
 public:
  explicit TreeSlot(Tree& tree)
      : tree_(tree),
        table_{.struct_size = sizeof(quarry_tree),
               .context = this,
               .add_file =
                   [](const quarry_tree* self, quarry_text path, quarry_text bytes) {
                     auto& slot = of(self);
                     return slot.note(
                         [&] { return slot.tree_.add_file(as_view(path), as_view(bytes)); });
                   },
               .add_directory =
                   [](const quarry_tree* self, quarry_text path) {
                     auto& slot = of(self);
                     return slot.note([&] { return slot.tree_.add_directory(as_view(path)); });
                   },
               .use_in_place =
                   [](const quarry_tree* self, quarry_text path) {
                     auto& slot = of(self);
                     return slot.note([&] { return slot.tree_.use_in_place(as_view(path)); });
                   },
               .scratch = [](const quarry_tree* self) { return of(self).scratch(); },
               .file_limit = tree.file_limit(),
               .add_large =
                   [](const quarry_tree* self, quarry_text path, std::uint64_t size) {
                     auto& slot = of(self);
                     return slot.note([&] { return slot.tree_.add_large(as_view(path), size); });
                   },
               .add_link =
                   [](const quarry_tree* self, quarry_text path) {
                     auto& slot = of(self);
                     return slot.note([&] { return slot.tree_.add_link(as_view(path)); });
                   }} {}

  [[nodiscard]] const quarry_tree* get() const { return &table_; }
  std::optional<Error>& failure() { return failure_; }

 private:
  static TreeSlot& of(const quarry_tree* self) { return *static_cast<TreeSlot*>(self->context); }

  template <class Add>
  quarry_status note(const Add& add) {
    if (!failure_) {
      if (auto added = add(); !added) failure_ = std::move(added.error());
    }
    return failure_ ? static_cast<quarry_status>(failure_->code) : QUARRY_OK;
  }
  quarry_text scratch() {
    if (failure_) return {nullptr, 0};
    auto directory = tree_.scratch();
    if (directory) return as_text(*directory);
    failure_ = std::move(directory.error());
    return {nullptr, 0};
  }

  Tree& tree_;
  quarry_tree table_;
  std::optional<Error> failure_;
};

std::string version_json(const ResourceVersion& version) {
  Json json{{"id", version.id}, {"immutable", version.immutable}, {"display", version.display}};
  if (!version.integrity.empty()) json["integrity"] = version.integrity;
  return to_text(json);
}

/// Bounds the notes of a plugin, because they go to the model with every question.
std::vector<std::string> notes_of(const Json& said) {
  std::vector<std::string> notes = strings_member(said, "notes");
  if (notes.size() > kMaxNotes) notes.resize(kMaxNotes);
  for (std::string& note : notes) note.resize(utf8_prefix(note, kMaxNote).size());
  return notes;
}

class ResourceAdapter final : public ResourceType {
 public:
  explicit ResourceAdapter(std::shared_ptr<Instance> instance)
      : instance_(std::move(instance)),
        table_(*static_cast<const quarry_resource_v1*>(instance_->table())) {}

  Status read_description() {
    ReplySlot slot;
    table_.describe(instance_->get(), slot.reply());
    const auto said = json_object(slot.take());
    if (!said) return instance_->blame(said.error());
    description_ = {.type = std::string(instance_->name()),
                    .title = string_member(*said, "title"),
                    .schema = schema_member(*said),
                    .examples = strings_member(*said, "examples"),
                    .in_place = bool_member(*said, "inPlace")};
    return {};
  }

  [[nodiscard]] const ResourceDescription& describe() const override { return description_; }

  Result<Json> normalise(const services::Call& call, const Json& resource) override {
    const auto turn = instance_->turn();
    const auto text = to_text(resource);
    ReplySlot slot;
    const CallSlot wanted(call);
    table_.normalise(instance_->get(), wanted.get(), as_text(text), slot.reply());
    return blamed(json_object(slot.take()));
  }

  Result<ResourceVersion> resolve(const services::Call& call, const Json& resource) override {
    const auto turn = instance_->turn();
    const auto text = to_text(resource);
    ReplySlot slot;
    const CallSlot wanted(call);
    table_.resolve(instance_->get(), wanted.get(), as_text(text), slot.reply());
    const auto said = json_object(slot.take());
    if (!said) return instance_->blame(said.error());
    ResourceVersion version{.id = string_member(*said, "id"),
                            .immutable = bool_member(*said, "immutable"),
                            .display = string_member(*said, "display"),
                            .integrity = string_member(*said, "integrity"),
                            .fields = said->value("resource", Json::object())};
    if (version.id.empty() || version.id.size() > kMaxName || version.display.size() > kMaxName ||
        version.integrity.size() > kMaxName || !version.fields.is_object()) {
      return instance_->blame(Error(Code::kInternal, "the plugin resolved to no usable version"));
    }
    if (version.display.empty()) version.display = version.id;
    return version;
  }

  Result<ResourceMetadata> fetch(const services::Call& call, const Json& resource,
                                 const ResourceVersion& version, Tree& tree) override {
    const auto turn = instance_->turn();
    const auto text = to_text(resource);
    const auto wanted_version = version_json(version);
    ReplySlot slot;
    const CallSlot wanted(call);
    TreeSlot files(tree);
    table_.fetch(instance_->get(), wanted.get(), as_text(text), as_text(wanted_version),
                 files.get(), slot.reply());
    if (files.failure()) return std::move(*files.failure());
    const auto said = json_object(slot.take());
    if (!said) return instance_->blame(said.error());
    return ResourceMetadata{.permalink = string_member(*said, "permalink"),
                            .notes = notes_of(*said),
                            .generated = strings_member(*said, "generated")};
  }

  Result<std::optional<Json>> parse_reference(std::string_view reference) override {
    if (table_.struct_size < sizeof(quarry_resource_v1) || table_.parse_reference == nullptr) {
      return std::optional<Json>();
    }
    ReplySlot slot;
    table_.parse_reference(instance_->get(), as_text(reference), slot.reply());
    auto value = slot.take();
    if (!value) return instance_->blame(std::move(value.error()));
    if (*value == "null") return std::optional<Json>();
    auto resource = json_object(std::move(value));
    if (!resource) return instance_->blame(std::move(resource.error()));
    return std::optional<Json>(std::move(*resource));
  }

 private:
  Result<Json> blamed(Result<Json> value) const {
    return value ? std::move(value) : Result<Json>(instance_->blame(std::move(value.error())));
  }

  std::shared_ptr<Instance> instance_;
  const quarry_resource_v1& table_;
  ResourceDescription description_;
};

}  // namespace

Result<std::shared_ptr<ResourceType>> adapt_resource(std::shared_ptr<Instance> instance) {
  auto adapter = std::make_shared<ResourceAdapter>(std::move(instance));
  if (auto said = adapter->read_description(); !said) return std::move(said.error());
  return std::shared_ptr<ResourceType>(std::move(adapter));
}

}  // namespace quarry::plugins
