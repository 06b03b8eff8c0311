// frozen-host PLUGIN.so FOLDER [--program NAME] [--secret NAME=VALUE]
//
// A host of version 1.0 of the contract. Reads lines of words separated by tabs: a function and its
// arguments. Prints lines of JSON for all that it receives, and {"end": function} after each.
//   create KIND NAME CONFIGURATION | destroy
//   functions of the kind, as in kinds.cpp
#include "common.h"

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <iostream>

namespace frozen {
namespace {

/// The mistake in an entry, or nothing.
std::string check(const quarry_entry& entry) {
  const auto version = [](std::uint32_t major, std::uint32_t minor) {
    return std::to_string(major) + "." + std::to_string(minor);
  };
  const auto own = version(QUARRY_ABI_MAJOR, QUARRY_ABI_MINOR);
  if (entry.abi_major != QUARRY_ABI_MAJOR) {
    return "the plugin is built for version " + version(entry.abi_major, entry.abi_minor) +
           " of the contract, this host offers " + own;
  }
  if (entry.minimum_host_minor > QUARRY_ABI_MINOR) {
    return "the plugin needs version " + version(entry.abi_major, entry.minimum_host_minor) +
           " of the contract, this host offers " + own;
  }
  if (!QUARRY_HAS(&entry, components)) return "the entry is too short";
  for (std::uint32_t i = 0; i < entry.component_count; ++i) {
    const quarry_component* const component = entry.components[i];
    if (!QUARRY_HAS(component, destroy)) return "a component is too short";
  }
  return {};
}

/// The mistake in a component's table, or nothing.
std::string check(const quarry_component& component) {
  const void* const table = component.table;
  const std::string_view kind = component.kind;
  const auto too_short = [&] {
    if (kind == QUARRY_RESOURCE)
      return !QUARRY_HAS(static_cast<const quarry_resource_v1*>(table), parse_reference);
    if (kind == QUARRY_MODEL)
      return !QUARRY_HAS(static_cast<const quarry_model_v1*>(table), models);
    if (kind == QUARRY_PRICING)
      return !QUARRY_HAS(static_cast<const quarry_pricing_v1*>(table), refresh);
    return kind == QUARRY_TRANSPORT &&
           !QUARRY_HAS(static_cast<const quarry_transport_v1*>(table), stop);
  };
  return too_short() ? "the table is too short" : "";
}

class Session {
 public:
  explicit Session(const quarry_entry& entry) : entry_(entry) {}

  bool open() {
    Reply reply;
    const quarry_call* call = calls().open(nullptr, 10000, nullptr, nullptr);
    if (entry_.open != nullptr) entry_.open(host(), call, reply.get());
    calls().close(call);
    Line("plugin", entry_.id).with("version", entry_.version).with("built_for", entry_.abi_minor);
    return entry_.open == nullptr || reply.take("open").has_value();
  }
  void close() {
    destroy();
    if (entry_.close != nullptr) entry_.close();
  }
  bool run(const std::string& function, const Arguments& words) {
    if (function == "create") return create(words[0], words[1], words[2]);
    if (function == "destroy") return destroy();
    const std::string_view kind = instance_.component == nullptr ? "" : instance_.component->kind;
    return (kind == QUARRY_RESOURCE && run_resource(instance_, function, words)) ||
           (kind == QUARRY_MODEL && run_model(instance_, function, words)) ||
           (kind == QUARRY_PRICING && run_pricing(instance_, function, words)) ||
           (kind == QUARRY_TRANSPORT && run_transport(instance_, function, words));
  }

 private:
  bool create(const std::string& kind, const std::string& name, const std::string& configuration) {
    for (std::uint32_t i = 0; i < entry_.component_count; ++i) {
      const quarry_component& component = *entry_.components[i];
      if (component.kind != kind || component.name != name) continue;
      if (const auto mistake = check(component); !mistake.empty()) {
        Line("refused", mistake);
        return true;
      }
      void* self = nullptr;
      Reply reply;
      const quarry_call* call = calls().open(nullptr, 30000, nullptr, nullptr);
      component.create(host(), call, text(configuration), &self, reply.get());
      calls().close(call);
      if (!reply.take("create")) return true;
      instance_ = {&component, self};
      if ((component.flags & QUARRY_SERIAL) != 0) Line("flag", "serial");
      return true;
    }
    return false;
  }
  bool destroy() {
    if (instance_.component == nullptr) return false;
    join_jobs();
    instance_.component->destroy(instance_.self);
    instance_ = {};
    return true;
  }

  const quarry_entry& entry_;
  Instance instance_{};
};

Arguments split(const std::string& line) {
  Arguments words(1);
  for (const char c : line) {
    if (c == '\t')
      words.emplace_back();
    else
      words.back() += c;
  }
  return words;
}

void serve(Session& session) {
  for (std::string line; std::getline(std::cin, line);) {
    Arguments words = split(line);
    const std::string function = words.front();
    words.erase(words.begin());
    words.resize(3);
    if (!session.run(function, words)) Line("refused", "there is no function " + function);
    Line("end", function);
  }
}

int refuse(const std::string& why) {
  Line("refused", why);
  return 1;
}

}  // namespace
}  // namespace frozen

int main(int count, char** arguments) {
  using namespace frozen;
  if (count < 3) return refuse("usage: frozen-host PLUGIN.so FOLDER [OPTION VALUE]...");
  std::signal(SIGPIPE, SIG_IGN);  // a program may end before it has read its input
  settings().folder = arguments[2];
  for (int i = 3; i + 1 < count; i += 2) {
    const std::string value = arguments[i + 1];
    if (std::strcmp(arguments[i], "--program") == 0)
      settings().programs.push_back(value);
    else
      settings().secrets[value.substr(0, value.find('='))] = value.substr(value.find('=') + 1);
  }
  void* const library = ::dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return refuse(::dlerror());
  const auto* entry = static_cast<const quarry_entry*>(::dlsym(library, QUARRY_ENTRY_SYMBOL));
  if (entry == nullptr) return refuse("the file exports no " QUARRY_ENTRY_SYMBOL);
  if (const auto mistake = check(*entry); !mistake.empty()) return refuse(mistake);
  Session session(*entry);
  if (!session.open()) return 1;
  serve(session);
  session.close();
  return ::dlclose(library);
}
