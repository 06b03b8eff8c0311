#include "runner/remote_resource.h"

#include "plugins/restart_tree.h"
#include "runner/functions.h"
#include "runner/own_places.h"
#include "runner/remote_instance.h"

#include <quarry/outcome.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace quarry::runner {
namespace {

/// Passes the files of a fetch to the host's tree. A directory that the plugin names is checked.
class TreeReceiver final : public Receiver {
 public:
  TreeReceiver(const RemoteInstance& instance, std::string_view resource, const quarry_tree& tree)
      : instance_(instance), resource_(resource), tree_(tree) {}

  std::optional<quarry_status> take(Kind kind, PacketReader& packet, std::string& answer) override {
    if (kind == Kind::kDescribed) return add_described(packet);
    const auto path = as_text(packet.text());
    switch (kind) {
      case Kind::kKeepFile:
        return tree_.keep_file(&tree_, path);
      case Kind::kFile:
        return tree_.add_file(&tree_, path, as_text(packet.text()));
      case Kind::kLarge:
        return tree_.add_large(&tree_, path, packet.get<std::uint64_t>());
      case Kind::kLink:
        return tree_.add_link(&tree_, path);
      case Kind::kDirectory:
        return add_directory(as_view(path));
      case Kind::kInPlace:
        return use_in_place(path);
      case Kind::kScratch:
        answer = scratch();
        return QUARRY_OK;
      default:
        return std::nullopt;
    }
  }

  bool restart() override {
    scratch_.reset();
    refusal_.reset();
    return plugins::restart_tree(tree_);
  }

  /// The first refusal of a directory.
  [[nodiscard]] const std::optional<Error>& refusal() const { return refusal_; }

 private:
  quarry_status refuse(Error error) {
    const auto status = static_cast<quarry_status>(error.code);
    if (!refusal_) refusal_ = std::move(error);
    return status;
  }
  quarry_status add_described(PacketReader& packet) {
    const auto file = Fields<quarry_file>::read<quarry_file>(packet);
    return tree_.add_described(&tree_, &file, as_text(packet.text()));
  }
  quarry_status add_directory(std::string_view path) {
    const auto opened = instance_.places().open(path);
    if (!opened) return refuse(opened.error());
    // This path leads to what was checked, whatever happens to the plugin's.
    const auto checked = "/proc/self/fd/" + std::to_string(opened->get()) + "/.";
    return tree_.add_directory(&tree_, as_text(checked));
  }
  quarry_status use_in_place(quarry_text path) {
    auto permitted = check_in_place(instance_.configuration(), resource_, as_view(path));
    if (!permitted) return refuse(std::move(permitted.error()));
    return tree_.use_in_place(&tree_, path);
  }
  std::string scratch() {
    const auto cache = instance_.places().cache;
    if (cache.empty()) return "";
    if (!scratch_) {
      auto made = Scratch::make(cache);
      if (!made) return refuse(std::move(made.error())), "";
      scratch_ = std::move(*made);
    }
    return scratch_->path();
  }

  const RemoteInstance& instance_;
  const std::string_view resource_;
  const quarry_tree& tree_;
  std::unique_ptr<Scratch> scratch_;
  std::optional<Error> refusal_;
};

std::string compose_input(quarry_text resource, quarry_text version) {
  return std::string(as_view(resource)) + '\n' + std::string(as_view(version));
}

void fetch(void* instance, const quarry_call* call, quarry_text resource, quarry_text version,
           quarry_text last, const quarry_tree* tree, const quarry_reply* reply) {
  TreeReceiver receiver(RemoteInstance::of(instance), as_view(resource), *tree);
  RecordedReply outcome;
  RemoteInstance::of(instance).call({.function = Function::kFetch,
                                     .call = call,
                                     .arguments =
                                         [=](PacketWriter& packet) {
                                           packet.text(as_view(resource)).text(as_view(version));
                                           packet.text(as_view(last)).put(tree->file_limit);
                                         },
                                     .receiver = &receiver,
                                     .input = compose_input(resource, version)},
                                    outcome.table());
  if (receiver.refusal()) return reply_error(reply, *receiver.refusal());
  outcome.replay(reply);
}

}  // namespace

quarry_resource_v1 remote_resource() {
  auto out = ResourceFunctions::remote();
  out.fetch = fetch;
  return out;
}

}  // namespace quarry::runner
