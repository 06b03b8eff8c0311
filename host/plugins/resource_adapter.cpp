#include "base/utf8.h"
#include "plugins/adapters.h"
#include "plugins/call_rights.h"
#include "plugins/component_reply.h"
#include "plugins/component_schema.h"
#include "plugins/compose.h"
#include "plugins/json_members.h"
#include "plugins/read_value.h"
#include "plugins/reply_slot.h"
#include "plugins/restart_tree.h"

#include <quarry/limits.h>
#include <quarry/resource.h>
#include <quarry/tree_rules.hpp>

#include <algorithm>
#include <mutex>

namespace quarry::plugins {
namespace {

/// Tree passed to a plugin, whose threads may use it at the same time, until it is detached. Keeps
/// the first failure as reported by the host.
class TreeSlot {
 public:
  explicit TreeSlot(Tree& tree)
      : tree_(&tree),
        table_{
            .struct_size = sizeof(quarry_tree),
            .context = this,
            .add_file =
                [](const quarry_tree* self, quarry_text path, quarry_text bytes) noexcept {
                  auto& slot = of(self);
                  return slot.note(
                      [&] { return slot.tree_->add_file(as_view(path), as_view(bytes)); });
                },
            .add_directory =
                [](const quarry_tree* self, quarry_text path) noexcept {
                  auto& slot = of(self);
                  return slot.note([&] { return slot.tree_->add_directory(as_view(path)); });
                },
            .use_in_place =
                [](const quarry_tree* self, quarry_text path) noexcept {
                  auto& slot = of(self);
                  return slot.note([&] { return slot.tree_->use_in_place(as_view(path)); });
                },
            .scratch = scratch_of,
            .file_limit = tree.file_limit(),
            .add_large =
                [](const quarry_tree* self, quarry_text path, std::uint64_t size) noexcept {
                  auto& slot = of(self);
                  return slot.note([&] { return slot.tree_->add_large(as_view(path), size); });
                },
            .add_link =
                [](const quarry_tree* self, quarry_text path) noexcept {
                  auto& slot = of(self);
                  return slot.note([&] { return slot.tree_->add_link(as_view(path)); });
                },
            .add_described =
                [](const quarry_tree* self, const quarry_file* file, quarry_bytes bytes) noexcept {
                  auto& slot = of(self);
                  return slot.note([&] { return slot.add(file, as_view(bytes)); });
                },
            .keep_file = [](const quarry_tree* self,
                            quarry_bytes path) noexcept { return of(self).keep(path); }} {}

  [[nodiscard]] const quarry_tree* get() const { return &table_; }
  std::optional<Error>& failure() { return failure_; }
  bool restart() {
    const std::lock_guard lock(mutex_);
    return !failure_ && tree_->restart();
  }
  static TreeSlot* find(const quarry_tree& tree) {
    return tree.scratch == scratch_of ? &of(&tree) : nullptr;
  }
  /// Refuses everything from now on.
  void detach() {
    const std::lock_guard lock(mutex_);
    tree_ = nullptr;
    failure_ = Error(Code::kCancelled, "the fetch is over");
  }

 private:
  static TreeSlot& of(const quarry_tree* self) { return *static_cast<TreeSlot*>(self->context); }

  template <class Add>
  quarry_status note(const Add& add) {
    const std::lock_guard lock(mutex_);
    if (!failure_) {
      if (auto added = add(); !added) failure_ = std::move(added.error());
    }
    return failure_ ? static_cast<quarry_status>(failure_->code) : QUARRY_OK;
  }
  Status add(const quarry_file* file, std::string_view bytes) {
    if (file == nullptr || !QUARRY_HAS(file, media_type)) {
      return Error(Code::kInternal, "the plugin added a file without its facts");
    }
    if (Failure refused = reserved_failure(*file); refused.status != QUARRY_OK) {
      return Error(static_cast<Code>(refused.status), std::move(refused.message));
    }
    FileFacts facts{.permalink = std::string(as_view(file->permalink)),
                    .title = to_utf8(as_view(file->title)),
                    .media_type = std::string(as_view(file->media_type))};
    if (auto checked = check(facts); !checked) return checked;
    return tree_->add_described(as_view(file->path), bytes, std::move(facts));
  }
  static Status check(const FileFacts& facts) {
    Failure refused = file_facts_failure(facts.permalink, facts.title, facts.media_type);
    if (refused.status == QUARRY_OK) return {};
    return Error(static_cast<Code>(refused.status), std::move(refused.message));
  }
  quarry_status keep(quarry_bytes path) {
    bool kept = false;
    const quarry_status status = note([&]() -> Status {
      auto found = tree_->keep_file(as_view(path));
      if (!found) return std::move(found).error();
      kept = *found;
      return {};
    });
    return status != QUARRY_OK || kept ? status : QUARRY_NOT_FOUND;
  }
  static quarry_bytes scratch_of(const quarry_tree* self) noexcept { return of(self).scratch(); }
  quarry_bytes scratch() {
    const std::lock_guard lock(mutex_);
    if (failure_) return {nullptr, 0};
    auto directory = tree_->scratch();
    if (directory) return as_text(scratch_ = *directory);
    failure_ = std::move(directory.error());
    return {nullptr, 0};
  }

  Tree* tree_;
  quarry_tree table_;
  std::mutex mutex_;
  std::optional<Error> failure_;
  std::string scratch_;
};

/// What a fetch uses while it runs.
struct LentFetch {
  explicit LentFetch(Tree& tree) : files(tree) {}
  std::string resource;
  std::string version;
  std::string last;
  TreeSlot files;
  ReplySlot slot;
};

/// What the plugin reads as `last`; empty if there is no snapshot.
std::string last_json(const LastSnapshot& last) {
  if (last.version.empty()) return {};
  const std::string state = last.state.empty() ? "" : ",\"state\":" + last.state;
  return "{\"version\":" + last.version + state + "}";
}

std::string version_json(const ResourceVersion& version) {
  Json json{{"id", version.id}, {"immutable", version.immutable}, {"display", version.display}};
  if (!version.integrity.empty()) json["integrity"] = version.integrity;
  return to_text(json);
}

/// Bounds the notes of a plugin, because they go to the model with every question.
std::vector<std::string> notes_of(const Json& said) {
  std::vector<std::string> notes = strings_member(said, "notes");
  if (notes.size() > QUARRY_LIMIT_NOTES) notes.resize(QUARRY_LIMIT_NOTES);
  for (std::string& note : notes) note.resize(utf8_prefix(note, QUARRY_LIMIT_NOTE).size());
  return notes;
}

class ResourceAdapter final : public ResourceType {
 public:
  explicit ResourceAdapter(std::shared_ptr<Instance> instance)
      : instance_(std::move(instance)),
        table_(*static_cast<const quarry_resource_v1*>(instance_->table())) {}

  Status read_description() {
    const auto said = read_value(
        kResourceDescription, reply_of(*instance_, function::kDescribe, {}, {}, table_.describe));
    if (!said) return instance_->blame(said.error());
    if (auto usable = check_fields_schema(said->at("schema")); !usable)
      return instance_->blame({Code::kInternal, usable.error().message, usable.error().hint});
    description_ = {.type = std::string(instance_->name()),
                    .title = string_member(*said, "title"),
                    .schema = schema_member(*said),
                    .examples = strings_member(*said, "examples"),
                    .in_place = bool_member(*said, "inPlace"),
                    .plugin = instance_->plugin()};
    fields_ = instance_->permissions();
    fields_.secret_fields = secret_fields(*said);
    return {};
  }

  [[nodiscard]] const ResourceDescription& describe() const override { return description_; }

  Result<Json> normalise(const services::Call& call, const Json& resource) override {
    auto canonical = read_value(kResourceCanonical, reply_of(*instance_, function::kNormalise, call,
                                                             rights_in(fields_, resource),
                                                             table_.normalise, to_text(resource)));
    if (!canonical) return instance_->blame(std::move(canonical.error()));
    if (auto kept = check_rights(rights_for(resource), to_text(resource), *canonical); !kept)
      return std::move(kept.error());
    return canonical;
  }

  Result<ResourceVersion> resolve(const services::Call& call, const Json& resource,
                                  const LastSnapshot& last) override {
    auto value = reply_of(*instance_, function::kResolve, call, rights_in(fields_, resource),
                          table_.resolve, to_text(resource), last_json(last));
    const auto said = read_value(kResourceVersion, value);
    if (!said) return instance_->blame(said.error());
    if (value->size() > QUARRY_LIMIT_VERSION) {
      return instance_->blame(Error(Code::kInternal, compose("the plugin resolved to a version of "
                                                             "more than {} bytes",
                                                             QUARRY_LIMIT_VERSION)));
    }
    ResourceVersion version{.id = string_member(*said, "id"),
                            .immutable = bool_member(*said, "immutable"),
                            .display = string_member(*said, "display"),
                            .integrity = string_member(*said, "integrity"),
                            .fields = said->value("resource", Json::object()),
                            .text = std::move(*value)};
    if (version.display.empty()) version.display = version.id;
    if (auto kept = check_rights(rights_for(resource), to_text(resource), version.fields); !kept)
      return std::move(kept.error());
    return version;
  }

  Result<ResourceMetadata> fetch(const services::Call& call, const Json& resource,
                                 const ResourceVersion& version, const LastSnapshot& last,
                                 Tree& tree) override {
    const auto lent = std::make_shared<LentFetch>(tree);
    lent->resource = to_text(resource);
    lent->version = version.text.empty() ? version_json(version) : version.text;
    lent->last = last_json(last);
    auto called = instance_->call(
        {.function = function::kFetch,
         .call = call,
         .rights = rights_for(resource),
         .run =
             [lent, &table = table_, instance = instance_->get()](const quarry_call* lent_call) {
               table.fetch(instance, lent_call, as_text(lent->resource), as_text(lent->version),
                           as_text(lent->last), lent->files.get(), lent->slot.reply());
             },
         .detach = [lent] { lent->files.detach(); }});
    if (!called) return std::move(called.error());
    if (auto& failure = lent->files.failure()) {
      // A path that may not be, or one added twice.
      const bool is_path = failure->code == Code::kInvalidArgument;
      return is_path ? instance_->name_in(std::move(*failure)) : std::move(*failure);
    }
    const auto said = read_value(kResourceMetadata, lent->slot.take());
    if (!said) return instance_->blame(said.error());
    ResourceMetadata metadata{.permalink = string_member(*said, "permalink"),
                              .notes = notes_of(*said),
                              .generated = strings_member(*said, "generated")};
    if (const auto state = said->find("state"); state != said->end()) {
      metadata.state = to_text(*state);
    }
    if (metadata.state.size() <= QUARRY_LIMIT_STATE) return metadata;
    return instance_->blame(Error(
        Code::kInternal, compose("the plugin's state has more than {} bytes", QUARRY_LIMIT_STATE)));
  }

  Result<std::optional<Recognised>> parse_reference(const services::Call& call,
                                                    std::string_view reference) override {
    if (!QUARRY_HAS(&table_, parse_reference) || table_.parse_reference == nullptr) {
      return std::optional<Recognised>();
    }
    const auto said =
        read_value(kResourceReference, reply_of(*instance_, function::kParseReference, call, {},
                                                table_.parse_reference, std::string(reference)));
    if (!said) return instance_->blame(said.error());
    if (said->is_null()) return std::optional<Recognised>();
    const auto kept = check_rights(instance_->rights(), reference, said->at("resource"));
    if (!kept) return kept.error();
    return std::optional(
        Recognised{said->at("resource"), said->value("confidence", Recognised().confidence)});
  }

 private:
  /// Those of the manifest that the schema marks as secrets: a request may set any other.
  [[nodiscard]] std::vector<std::string> secret_fields(const Json& description) const {
    std::vector<std::string> fields = instance_->permissions().secret_fields;
    std::erase_if(fields, [&](const std::string& field) {
      const Json* const rule = value_at(description, "/schema/properties" + field + "/writeOnly");
      return rule == nullptr || *rule != true;
    });
    return fields;
  }
  /// Rights of a call about `resource`.
  [[nodiscard]] CallRights rights_for(const Json& resource) const {
    CallRights rights = rights_in(fields_, resource);
    rights.add(instance_->rights());
    return rights;
  }
  [[nodiscard]] Status check_rights(const CallRights& held, std::string_view given,
                                    const Json& answered) const {
    auto named = check_named(fields_, held, given, answered);
    if (named) return {};
    return instance_->blame(std::move(named.error()));
  }

  std::shared_ptr<Instance> instance_;
  const quarry_resource_v1& table_;
  ResourceDescription description_;
  Permissions fields_;  ///< the manifest's, with the fields of a resource that give rights
};

}  // namespace

bool restart_tree(const quarry_tree& tree) {
  auto* const slot = TreeSlot::find(tree);
  return slot != nullptr && slot->restart();
}

Result<std::shared_ptr<ResourceType>> adapt_resource(std::shared_ptr<Instance> instance) {
  auto adapter = std::make_shared<ResourceAdapter>(std::move(instance));
  if (auto said = adapter->read_description(); !said) return std::move(said.error());
  return std::shared_ptr<ResourceType>(std::move(adapter));
}

}  // namespace quarry::plugins
