#include "backup/restore.h"
#include "base/directory_entries.h"
#include "cli/connection.h"
#include "cli/doctor/engine_checks.h"
#include "cli/doctor/machine_checks.h"
#include "cli/doctor/server_checks.h"
#include "cli/doctor/storage_checks.h"
#include "cli/plugin_checks.h"
#include "cli/verbs.h"
#include "services/paths.h"

#include <quarry/resource.h>
#include <quarry/transport.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <utility>

#include <nlohmann/json.hpp>

namespace quarry::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kUnknown =
    "This is not a fault that the doctor knows. Report it with the output of \"quarry doctor "
    "--json\", which has no secrets, and with what you did before.";

const char* environment(const char* name) {
  return std::getenv(name);  // NOLINT(concurrency-mt-unsafe): read only
}

/// One check that was made, and what it found.
struct Checked {
  std::string name;
  Findings findings;
};

/// Every text of a value that may be a URL.
void collect_urls(const Json& value, std::vector<std::string>& out) {
  if (value.is_string() && value.get_ref<const std::string&>().contains("://")) {
    out.push_back(value.get<std::string>());
  }
  if (value.is_structured()) {
    for (const Json& member : value) collect_urls(member, out);
  }
}

/// The URLs of the models and resources of a configuration.
std::vector<std::string> urls_of(const config::Config& config) {
  std::vector<std::string> out;
  const auto collect = [&](const config::Table& table) {
    collect_urls(*parse_json(table.json), out);
  };
  collect(config.model.options);
  for (const auto& [name, instance] : config.model.instances) collect(instance.options);
  for (const auto& resource : config.resources) collect(resource.fields);
  for (const auto& [name, provider] : config.embeddings) collect(provider.options);
  for (const auto& [name, provider] : config.rerankers) collect(provider.options);
  return out;
}

std::vector<std::string> texts_of(const Json& value) {
  if (value.is_string()) return {value.get<std::string>()};
  std::vector<std::string> out;
  for (const Json& item : value.is_array() ? value : Json::array()) {
    if (item.is_string()) out.push_back(item.get<std::string>());
  }
  return out;
}

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

/// The addresses of the transports that "serve" would start.
std::vector<ListenAddress> addresses_of(const config::Config& config, const plugins::Found& found) {
  std::vector<ListenAddress> out;
  for (const auto& manifest : found.manifests) {
    for (const auto& component : manifest.components) {
      if (component.kind != QUARRY_TRANSPORT) continue;
      const std::string& name = component.name;
      const bool enabled = has(config.enabled_transports, name) ||
                           (!component.opt_in && !has(config.disabled_transports, name));
      if (!enabled) continue;
      const auto table = config.transports.find(name);
      Json listen;
      if (table != config.transports.end()) {
        listen = parse_json(table->second.json)->value("listen", Json());
      }
      const auto schema = plugins::read_schema(manifest, component.schema_file);
      const Json::json_pointer standard("/properties/listen/default");
      if (listen.is_null() && schema && schema->contains(standard)) listen = (*schema)[standard];
      for (std::string& address : texts_of(listen)) out.push_back({name, std::move(address)});
    }
  }
  return out;
}

/// The programs that the configured resources need, as the plugins of their types say.
std::vector<NeededProgram> programs_for(const config::Config& config, const plugins::Found& found) {
  std::map<std::string, NeededProgram> needed;  // by program, each once
  for (const auto& resource : config.resources) {
    for (const auto& manifest : found.manifests) {
      if (plugins::find_component(manifest, QUARRY_RESOURCE, resource.type) == nullptr) continue;
      for (const auto& program : manifest.permissions.programs) {
        const auto oldest = manifest.oldest_programs.find(program);
        const bool any = oldest == manifest.oldest_programs.end();
        needed.emplace(program, NeededProgram{program, resource.type, any ? "" : oldest->second});
      }
    }
  }
  std::vector<NeededProgram> out;
  for (auto& [program, one] : needed) out.push_back(std::move(one));
  return out;
}

class Doctor {
 public:
  explicit Doctor(Context& context) : context_(context) {}

  std::vector<Checked> run() {
    config::Inspection read = config::inspect(config_sources(context_.common));
    const config::Config config = read.config;
    const plugins::Found found = find_plugins(config);
    check_machine(config);
    check_storage(config);
    add("addresses", check_addresses(addresses_of(config, found)));
    add("programs", check_programs(programs_for(config, found), environment));
    add("processes", check_processes(program_path()));
    auto configuration =
        check_configuration(std::move(read), found, plugin_problems(config, context_.common));
    const bool is_right = configuration.empty();
    add("configuration and plugins", std::move(configuration));
    if (is_right) check_engine(config);
    return std::move(all_);
  }

 private:
  void add(std::string name, Findings findings) {
    for (Finding& finding : findings) {
      if (finding.next.empty()) finding.next = kUnknown;
    }
    all_.push_back({std::move(name), std::move(findings)});
  }

  void check_machine(const config::Config& config) {
    add("descriptors", check_descriptors(most_descriptors()));
    add("watches", check_watches(most_watches()));
    auto memory = check_memory(most_memory());
    std::ranges::move(check_address_space(most_address_space()), std::back_inserter(memory));
    add("memory", std::move(memory));
    const Confinement confined = available_confinement();
    add("sandbox", check_sandbox(confined.files, confined.rest));
    add("locale", check_locale(environment));
    add("authorities", check_authorities(environment));
    add("proxies", check_proxies(environment));
    add("names", check_names(urls_of(config)));
  }

  void check_storage(const config::Config& config) {
    const auto roots = services::Paths::roots(environment);
    if (!roots) return add("directories", {fault_of(roots.error())});
    const bool moved = !config.cache.directory.empty();
    check_directory({"the cache", moved ? config.cache.directory : roots->cache,
                     "cache.directory, or QUARRY_CACHE_DIR"},
                    config.cache.max_bytes);
    check_directory({"the state", roots->state, "QUARRY_STATE_DIR"}, 0);
    const auto restore = backup::interrupted_restore(roots->state);
    add("restore", restore ? Findings{fault_of(*restore)} : Findings());
    written_.push_back(program_path());
    add("clock", check_clock(written_, fs::file_time_type::clock::now()));
  }

  /// `wanted`: bytes that may be used there in time.
  void check_directory(const WrittenDirectory& directory, std::uint64_t wanted) {
    auto findings = check_writable(directory);
    std::ranges::move(check_space(directory, wanted), std::back_inserter(findings));
    add(directory.what.substr(std::string_view("the ").size()), std::move(findings));
    for (const auto& entry : entries_of(directory.path)) {
      written_.push_back(entry.path());
    }
  }

  void check_engine(const config::Config& config) {
    // A store that nobody has set up is not made here.
    const bool has_store =
        !config.store.options.places.empty() || !config.enabled_transports.empty();
    auto engine = connect_to_engine(context_, {.store = has_store, .quiet = true});
    if (!engine) return add("start", {fault_of(engine.error())});
    add("start", {});
    add("models", check_models(**engine, config.model));
    if (has_store) add("store", check_store(**engine));
  }

  Context& context_;
  std::vector<Checked> all_;
  std::vector<fs::path> written_;  ///< files from before now
};

Json to_json(const std::vector<Checked>& all) {
  Json checks = Json::array();
  Json findings = Json::array();
  for (const Checked& checked : all) {
    checks.push_back(checked.name);
    for (const Finding& finding : checked.findings) {
      const bool is_fault = finding.severity == Finding::Severity::kFault;
      findings.push_back({{"check", checked.name},
                          {"severity", is_fault ? "fault" : "warning"},
                          {"cause", finding.cause},
                          {"next", finding.next}});
    }
  }
  return {{"version", QUARRY_VERSION},
          {"checks", std::move(checks)},
          {"findings", std::move(findings)}};
}

void print(Terminal& terminal, const std::vector<Checked>& all) {
  for (const Checked& checked : all) {
    for (const Finding& finding : checked.findings) {
      const bool is_fault = finding.severity == Finding::Severity::kFault;
      terminal.out_line((is_fault ? "fault: " : "warning: ") + finding.cause + '.');
      terminal.out_line("  " + finding.next);
    }
  }
}

Result<ExitCode> run_doctor(Context& context) {
  const std::vector<Checked> all = Doctor(context).run();
  const auto count =
      std::ranges::count_if(all, [](const Checked& checked) { return !checked.findings.empty(); });
  if (context.common.json) {
    context.terminal.out_json(to_text(to_json(all)));
  } else {
    print(context.terminal, all);
    context.terminal.out_line(
        std::to_string(all.size()) + " checks, " +
        (count == 0 ? "nothing is wrong" : std::to_string(count) + " found something"));
  }
  return count == 0 ? ExitCode::kOk : ExitCode::kFailure;
}

}  // namespace

Verb doctor_verb(CommonOptions& common) {
  return {"doctor",
          "Find out what is wrong, and what to do about it",
          {json_option(common)},
          run_doctor};
}

}  // namespace quarry::cli
