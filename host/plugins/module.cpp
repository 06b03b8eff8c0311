#include "plugins/module.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/text.h"
#include "plugins/compose.h"
#include "plugins/current_call.h"
#include "plugins/elf_file.h"
#include "plugins/entry_check.h"
#include "plugins/limited_call.h"
#include "plugins/plugin_files.h"
#include "plugins/reply_slot.h"

#include <dlfcn.h>
#include <utility>

#define BOOST_DLL_USE_STD_FS
#include <boost/dll/shared_library.hpp>

namespace quarry::plugins {
namespace {

namespace dll = boost::dll;

Error cannot_load(const Manifest& manifest, std::string_view why) {
  return {Code::kInvalidArgument, compose("plugin {} cannot be loaded: {}", manifest.id, why),
          "build it again against this release, with the libraries it needs installed"};
}

/// Message of dlopen, without the meaningless path of the private copy.
std::string linker_message(const std::string& copy) {
  const char* said = ::dlerror();
  std::string message = said == nullptr ? "the dynamic linker does not say why" : said;
  const auto prefix = copy + ": ";
  return message.starts_with(prefix) ? message.substr(prefix.size()) : message;
}

Result<PrivateCopy> named_copy(const Manifest& manifest, Result<PrivateCopy> copy) {
  if (copy) return copy;
  if (copy.error().hint.empty()) {
    copy.error().hint = "install the plugin again, file and manifest together";
  }
  return std::move(copy.error()).in(compose("plugin {}", manifest.id));
}

Result<PrivateCopy> checked_copy(const Manifest& manifest, Result<PrivateCopy> stored) {
  if (!stored) return stored;
  // Mapped for the checks only; the linker maps the code that runs.
  auto mapped = MappedFile::open(stored->path());
  if (!mapped) return Error(mapped.error()).in(compose("plugin {}", manifest.id));
  if (auto same = check_digest(manifest, mapped->bytes()); !same) return std::move(same.error());
  auto copy = unpack_file(manifest, std::move(*stored));
  if (!copy) return copy;
  mapped = MappedFile::open(copy->path());
  if (!mapped) return Error(mapped.error()).in(compose("plugin {}", manifest.id));
  const auto exported = exports_of(manifest, mapped->bytes());
  if (!exported) return exported.error();
  if (auto alone = check_exports(manifest, *exported); !alone) return std::move(alone.error());
  return copy;
}

class LoadedModule final : public Module {
 public:
  LoadedModule(Manifest manifest, PrivateCopy copy, dll::shared_library library,
               const quarry_entry& entry)
      : manifest_(std::move(manifest)),
        copy_(std::move(copy)),
        library_(std::move(library)),
        entry_(entry) {}
  ~LoadedModule() override { LoadedModule::close(); }
  [[nodiscard]] const Manifest& manifest() const override { return manifest_; }
  [[nodiscard]] const quarry_entry& entry() const override { return entry_; }

  Status open(const quarry_host& host) override {
    if (entry_.open != nullptr) {
      ReplySlot slot;
      const services::CallRights no_rights;
      const LimitedCall lent(function::kOpen.limit, no_rights);
      entry_.open(&host, lent.get(), slot.reply());
      auto outcome = slot.take();
      if (!outcome) {
        return std::move(outcome.error()).in(compose("plugin {} did not open", manifest_.id));
      }
    }
    opened_ = true;
    return {};
  }
  void close() override {
    if (std::exchange(opened_, false) && entry_.close != nullptr) entry_.close();
  }

 private:
  Manifest manifest_;
  PrivateCopy copy_;
  dll::shared_library library_;
  const quarry_entry& entry_;
  bool opened_ = false;
};

}  // namespace

Status Module::call(const PluginCall& call) {
  const CurrentCall current(manifest().id, call.function.name);
  const services::CallTable table(call.call, call.rights);
  call.run(table.get());
  return {};
}

Result<PrivateCopy> copy_file(const Manifest& manifest) {
  return named_copy(manifest, PrivateCopy::make(manifest.id, manifest.file, kMaxFile));
}

Status check_digest(const Manifest& manifest, std::string_view bytes) {
  const auto digest = sha256_hex(bytes);
  if (digest == manifest.sha256) return {};
  return Error(Code::kInvalidArgument,
               compose("plugin {}: the SHA-256 of {} is {}, its manifest says {}", manifest.id,
                       manifest.file.string(), digest, manifest.sha256),
               "install the plugin again, file and manifest together");
}

Result<PrivateCopy> unpack_file(const Manifest& manifest, PrivateCopy copy) {
  if (!manifest.file.filename().string().ends_with(kCompressedSuffix)) return copy;
  const auto mapped = MappedFile::open(copy.path());
  if (!mapped) return Error(mapped.error()).in(compose("plugin {}", manifest.id));
  auto unpacked = PrivateCopy::unpack(manifest.id, mapped->bytes(), kMaxFile);
  if (unpacked) return unpacked;
  if (unpacked.error().hint.empty()) {
    unpacked.error().hint = "ask the plugin's author for a file that zstd has compressed";
  }
  return std::move(unpacked.error()).in(compose("plugin {}", manifest.id));
}

Result<std::vector<std::string>> exports_of(const Manifest& manifest, std::string_view bytes) {
  auto exported = check_shared_object(bytes);
  if (exported) return exported;
  return std::move(exported.error()).in(compose("plugin {}", manifest.id));
}

Status check_exports(const Manifest& manifest, const std::vector<std::string>& exported) {
  if (exported == std::vector<std::string>{QUARRY_ENTRY_SYMBOL}) return {};
  return Error(Code::kInvalidArgument,
               compose("plugin {} must export {} alone, and exports {}", manifest.id,
                       QUARRY_ENTRY_SYMBOL, exported.empty() ? "nothing" : join(exported, ", ")),
               "build it with quarry_add_plugin, and define the entry once");
}

Result<PrivateCopy> copy_module(const Manifest& manifest) {
  return checked_copy(manifest, copy_file(manifest));
}

Result<PrivateCopy> copy_module(const Manifest& manifest, int opened) {
  return checked_copy(manifest, named_copy(manifest, PrivateCopy::make(manifest.id, manifest.file,
                                                                       kMaxFile, opened)));
}

Result<std::shared_ptr<Module>> load_module(const Manifest& manifest, PrivateCopy copy) {
  dll::fs::error_code failure;
  dll::shared_library library;
  ::dlerror();
  library.load(copy.path(), dll::load_mode::rtld_now | dll::load_mode::rtld_local, failure);
  if (failure) return cannot_load(manifest, linker_message(copy.path()));
  if (!library.has(QUARRY_ENTRY_SYMBOL)) return cannot_load(manifest, "it has no entry");
  const auto& entry = library.get<const quarry_entry>(QUARRY_ENTRY_SYMBOL);
  if (auto agreed = check_entry(entry, manifest); !agreed) return std::move(agreed.error());
  return std::make_shared<LoadedModule>(manifest, std::move(copy), std::move(library), entry);
}

}  // namespace quarry::plugins
