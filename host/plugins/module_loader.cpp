#include "plugins/module_loader.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/json.h"
#include "plugins/compose.h"
#include "plugins/probe.h"
#include "plugins/probed_list.h"

#include <fcntl.h>
#include <utility>

#include <sys/stat.h>

namespace quarry::plugins {

ModuleLoader::ModuleLoader(const RegistryOptions& options)
    : options_(options), rules_(PluginRules::of(options)) {}

Result<ModuleLoader::Loading> ModuleLoader::load(const Manifest& manifest, PrivateCopy copy,
                                                 bool apart) {
  return apart ? load_apart(manifest) : load_here(manifest, std::move(copy));
}

Status ModuleLoader::probe_once(const Manifest& manifest) {
  if (options_.probe_command.empty() || rules_.is_own(manifest)) return {};
  const std::string tables = tables_of(manifest, options_.table);
  const std::string digest = sha256_hex(manifest.sha256 + " used " + tables);
  ProbedList probed(options_.probed_list);
  if (probed.contains(digest)) return {};
  auto command = options_.probe_command;
  command.emplace_back(kProbeUse);
  // `open` alone may take as long as a load.
  auto used = probe(manifest, command, 2 * options_.probe_limit, tables);
  if (used) probed.add({{digest}});
  return used;
}

Result<ModuleLoader::Loading> ModuleLoader::load_here(const Manifest& manifest, PrivateCopy copy) {
  if (auto probed = probe_once(manifest); !probed) return std::move(probed.error());
  auto module = load_module(manifest, std::move(copy));
  if (!module) return std::move(module.error());
  return begin_open(HostedModule::make(std::move(*module), parts_for(manifest)));
}

Result<ModuleLoader::Loading> ModuleLoader::load_apart(const Manifest& manifest) {
  if (!options_.isolate) {
    return Error(Code::kUnsupported,
                 compose("plugin {} asks for isolation = \"process\", which is not possible here",
                         manifest.id),
                 "use a host that can start programs");
  }
  auto module = options_.isolate(manifest);
  if (!module) return std::move(module.error());
  return begin_open(HostedModule::make(std::move(*module), parts_for(manifest)));
}

ModuleLoader::Loading ModuleLoader::begin_open(std::shared_ptr<HostedModule> module) const {
  const auto when = module->open_calls_plugin() ? std::launch::async : std::launch::deferred;
  auto opened = std::async(when, [module] { return module->open(module->host()); });
  std::string key = description_key(module->manifest());
  return {std::make_shared<PluginCode>(std::move(module), std::move(key)), std::move(opened)};
}

bool ModuleLoader::may_defer(const Manifest& manifest) const {
  return !options_.descriptions.empty() && manifest.deferred && rules_.is_own(manifest) &&
         !rules_.is_isolated(manifest) && !starts_with_host(manifest);
}

std::string ModuleLoader::description_key(const Manifest& manifest) const {
  struct stat file {};
  if (!may_defer(manifest) || ::stat(manifest.file.c_str(), &file) != 0) return {};
  return KnownDescriptions::plugin_key(manifest, file, options_.host_version);
}

std::shared_ptr<PluginCode> ModuleLoader::defer(const Manifest& manifest,
                                                const KnownDescriptions& known) const {
  if (!may_defer(manifest)) return nullptr;
  // Kept open, so that an update of the program does not take the file away from a running host.
  const auto opened = std::make_shared<Fd>(
      ::open(manifest.file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat file {};
  if (!*opened || ::fstat(opened->get(), &file) != 0) return nullptr;
  std::string key = KnownDescriptions::plugin_key(manifest, file, options_.host_version);
  if (!known.has(key)) return nullptr;
  return std::make_shared<PluginCode>(
      manifest, std::move(key),
      [manifest, opened, parts = parts_for(manifest)]() -> Result<std::shared_ptr<HostedModule>> {
        auto copy = copy_module(manifest, opened->get());
        if (!copy) return std::move(copy.error());
        auto module = load_module(manifest, std::move(*copy));
        if (!module) return std::move(module.error());
        auto hosted = HostedModule::make(std::move(*module), parts);
        if (auto done = hosted->open(hosted->host()); !done) return std::move(done.error());
        return hosted;
      });
}

HostedModule::Parts ModuleLoader::parts_for(const Manifest& manifest) const {
  return {.find = options_.services ? options_.services(manifest) : FindService(),
          .host_version = options_.host_version,
          .retire = options_.retire,
          .abandoned = options_.abandoned,
          .grace = options_.grace,
          .own = rules_.is_own(manifest)};
}

}  // namespace quarry::plugins
