#include "runner/child_functions.h"
#include "runner/functions.h"
#include "runner/sink_functions.h"

#include <quarry/outcome.hpp>

#include <mutex>
#include <string>
#include <string_view>

namespace quarry::runner {
namespace {

/// Tree passed to the plugin: sends its files to the host.
class ChildTree {
 public:
  ChildTree(ChildCall& call, std::uint64_t file_limit)
      : call_(call),
        table_{
            .struct_size = sizeof(quarry_tree),
            .context = this,
            .add_file =
                [](const quarry_tree* self, quarry_text path, quarry_text bytes) {
                  return of(self).add_file(as_view(path), as_view(bytes));
                },
            .add_directory =
                [](const quarry_tree* self, quarry_text path) {
                  return of(self).call_.ask(Kind::kDirectory, as_view(path)).status;
                },
            .use_in_place =
                [](const quarry_tree* self, quarry_text path) {
                  return of(self).call_.ask(Kind::kInPlace, as_view(path)).status;
                },
            .scratch = [](const quarry_tree* self) { return of(self).scratch(); },
            .file_limit = file_limit,
            .add_large = [](const quarry_tree* self, quarry_text path,
                            std::uint64_t size) { return of(self).add_large(as_view(path), size); },
            .add_link =
                [](const quarry_tree* self, quarry_text path) {
                  return stream_fields(of(self).call_, Kind::kLink, path);
                },
            .add_described =
                [](const quarry_tree* self, const quarry_file* file, quarry_text bytes) {
                  return of(self).add_described(file, as_view(bytes));
                },
            .keep_file =
                [](const quarry_tree* self, quarry_text path) {
                  return of(self).call_.ask(Kind::kKeepFile, as_view(path)).status;
                }} {}
  [[nodiscard]] const quarry_tree* get() const { return &table_; }

 private:
  static ChildTree& of(const quarry_tree* self) { return *static_cast<ChildTree*>(self->context); }

  /// The host does not want the bytes of a large file, and a frame could not hold them.
  quarry_status add_file(std::string_view path, std::string_view bytes) {
    if (bytes.size() > table_.file_limit) return add_large(path, bytes.size());
    return stream_frame(call_, Kind::kFile, path.size() + bytes.size() + 8,
                        [&](PacketWriter& packet) { packet.texts(path, bytes); });
  }
  quarry_status add_described(const quarry_file* file, std::string_view bytes) {
    if (file == nullptr || !Fields<quarry_file>::are_in(*file)) return QUARRY_INVALID_ARGUMENT;
    if (bytes.size() > table_.file_limit) return add_large(as_view(file->path), bytes.size());
    const auto size = Fields<quarry_file>::size(*file) + bytes.size() + 4;
    return stream_frame(call_, Kind::kDescribed, size, [&](PacketWriter& packet) {
      Fields<quarry_file>::write(packet, *file);
      packet.text(bytes);
    });
  }
  quarry_status add_large(std::string_view path, std::uint64_t size) {
    return stream_fields(call_, Kind::kLarge, as_text(path), size);
  }
  quarry_text scratch() {
    const std::lock_guard lock(mutex_);
    if (scratch_.empty()) scratch_ = call_.ask(Kind::kScratch, "").text;
    return as_text(scratch_);
  }

  ChildCall& call_;
  quarry_tree table_;
  std::mutex mutex_;
  std::string scratch_;
};

void call_fetch(const ChildFunction& asked) {
  const auto& table = *static_cast<const quarry_resource_v1*>(asked.component.table);
  const auto resource = as_text(asked.arguments.text());
  const auto version = as_text(asked.arguments.text());
  const auto last = as_text(asked.arguments.text());
  const ChildTree tree(asked.call, asked.arguments.get<std::uint64_t>());
  table.fetch(asked.instance, asked.call.get(), resource, version, last, tree.get(), asked.reply);
}

}  // namespace

bool call_resource(const ChildFunction& asked) {
  if (asked.function != Function::kFetch) return ResourceFunctions::call(asked);
  return call_fetch(asked), true;
}

}  // namespace quarry::runner
