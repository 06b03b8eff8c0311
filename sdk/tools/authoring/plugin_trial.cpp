#include "authoring/plugin_trial.h"

#include "base/directory_entries.h"
#include "base/file.h"
#include "base/text.h"
#include "cli/connection.h"
#include "engine/load_plugins.h"
#include "engine/model_sources.h"
#include "engine/resource_types.h"
#include "plugins/current_call.h"
#include "plugins/installed_plugins.h"
#include "plugins/plugin_rules.h"
#include "retrieval/exchange_run.h"
#include "runner/child.h"
#include "runner/isolate.h"
#include "services/endpoint.h"

#include <quarry/draft/embedding.h>

#include <algorithm>
#include <charconv>
#include <fcntl.h>
#include <unistd.h>
#include <vector>

namespace quarry::authoring {
namespace {

namespace fs = std::filesystem;

/// Beneath the cache, apart from the directories of installed plugins.
Result<services::Paths::Roots> roots_of_trials(const config::Config& config) {
  auto roots = engine::roots_of(config);
  if (!roots) return roots;
  const auto trials = roots->cache / "plugin-trials";
  roots->cache = trials / "cache";
  roots->data = trials / "data";
  roots->state = trials / "state";
  return roots;
}

/// The trial's table alone, so that no other is reported as unknown.
template <class Tables>
void keep_only(Tables& tables, const std::string& name) {
  std::erase_if(tables, [&](const auto& each) { return each.first != name; });
}

/// Ids of the processes that this one started and that have not been reaped.
std::vector<std::string> children() {
  std::vector<std::string> out;
  for (const auto& thread : entries_of("/proc/self/task")) {
    const auto file = Fd(::open((thread.path() / "children").c_str(), O_RDONLY | O_CLOEXEC));
    std::string text(4096, '\0');
    const auto got = file ? ::read(file.get(), text.data(), text.size()) : 0;
    text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    for (const auto id : split(text, ' ')) {
      if (!id.empty()) out.emplace_back(id);
    }
  }
  return out;
}

/// VmHWM of a process, in bytes; 0 if unknown (proc_pid_status(5)).
std::uint64_t peak_of(const std::string& id) {
  const auto file = Fd(::open(("/proc/" + id + "/status").c_str(), O_RDONLY | O_CLOEXEC));
  std::string text(16384, '\0');
  const auto got = file ? ::read(file.get(), text.data(), text.size()) : 0;
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  constexpr std::string_view kName = "VmHWM:";
  const auto at = text.find(kName);
  if (at == text.npos) return 0;
  const auto number = trim(std::string_view(text).substr(at + kName.size(), 32));
  std::uint64_t kibibytes = 0;
  std::from_chars(number.data(), number.data() + number.size(), kibibytes);
  return kibibytes << 10;
}

}  // namespace

PluginTrial::PluginTrial(config::Config config, bool isolated, engine::HostServicesPointer host,
                         services::TempDirectory folder, plugins::Manifest manifest)
    : config_(std::move(config)),
      isolated_(isolated),
      host_(std::move(host)),
      folder_(std::move(folder)),
      manifest_(std::move(manifest)),
      guard_(host_->io.get_executor()) {}

PluginTrial::~PluginTrial() {
  registry_.reset();
  host_->io.stop();
  loop_.reset();
}

Result<std::unique_ptr<PluginTrial>> PluginTrial::start(config::Config config,
                                                        const fs::path& folder, bool isolated) {
  auto roots = roots_of_trials(config);
  if (!roots) return std::move(roots.error());
  auto egress = services::EgressPolicy::make(config.private_hosts);
  if (!egress) return std::move(egress.error()).tagged("ConfigError");
  config.log_level = "debug";
  engine::HostServicesPointer host(new engine::HostServices(config, std::move(*roots), *egress));
  for (const auto& made : {host->paths.cache(), host->paths.state(), host->paths.data()}) {
    if (!made) return Error(made.error()).tagged("ConfigError");
  }
  const auto swept = host->paths.sweep();  // of trials that were killed
  if (!swept) host->log.warning("host", swept.error().message);
  auto parent = host->paths.temp("plugin-");
  if (!parent) return std::move(parent.error());
  const auto copy = parent->path() / "plugin";
  if (auto made = create_private_directories(copy); !made) return std::move(made.error());
  auto manifest = plugins::copy_plugin(folder, copy);
  if (!manifest) return std::move(manifest.error());
  std::unique_ptr<PluginTrial> trial(new PluginTrial(std::move(config), isolated, std::move(host),
                                                     std::move(*parent), std::move(*manifest)));
  auto loaded = trial->load();
  return loaded ? std::move(trial)
                : Result<std::unique_ptr<PluginTrial>>(std::move(loaded.error()));
}

Status PluginTrial::load() {
  plugins::report_crashes();
  loop_.emplace("quarry-io", [&io = host_->io] { io.run(); });
  plugins::RegistryOptions options{.directories = {folder_.path()},
                                   .own_directories = plugins::is_own_id(manifest_.id) ? 1u : 0u,
                                   .drafts = config_.plugins.drafts,
                                   .probed_list = {},
                                   .probe_command = {},
                                   .disabled = {},
                                   .pinned = {},
                                   .host_version = QUARRY_VERSION,
                                   .services = engine::service_tables(*host_),
                                   .isolation = {{manifest_.id, isolated_ ? "process" : "none"}},
                                   .abandoned = host_->abandoned};
  const runner::RunnerOptions runners{.command = {cli::program_path().string(), runner::kRunPlugin},
                                      .clock = &host_->clock};
  options.isolate = [runners](const auto& manifest) { return runner::isolate(manifest, runners); };
  registry_ = plugins::Registry::load(std::move(options));
  const auto& problems = registry_->problems();
  return problems.empty() ? Status() : Status(problems.front());
}

Result<std::shared_ptr<plugins::ResourceType>> PluginTrial::resource_type(const std::string& name) {
  auto config = config_;
  keep_only(config.resource_types, name);
  config.resources.clear();  // of other types too, which this registry does not have
  std::vector<std::string> problems;
  auto types = engine::make_resource_types(config, *registry_, problems);
  if (!types) return std::move(types.error());
  const auto found = types->find(name);
  if (found != types->end() && found->second->unusable() == nullptr) return found->second;
  return Error(Code::kInvalidArgument, join(problems, "; "),
               "correct its configuration or its function create");
}

Result<PluginTrial::Provider> PluginTrial::model_provider(const std::string& name) {
  auto source = engine::make_model_source(name, config_.model, *registry_);
  if (!source) return std::move(source.error());
  std::vector<services::Endpoint> endpoints;
  const auto& described = source->made->describe();
  for (const auto& secret : described.needs) host_->secrets.offer(secret);
  if (const auto endpoint = services::parse_endpoint(described.endpoint)) {
    endpoints.push_back(*endpoint);
  }
  permit(std::move(endpoints));
  auto model = source->model.empty() ? described.default_model : source->model;
  return Provider{std::move(source->made), std::move(model), std::move(source->options)};
}

void PluginTrial::permit(std::vector<services::Endpoint> endpoints) {
  auto egress = services::EgressPolicy::make(config_.private_hosts, std::move(endpoints));
  if (egress) host_->egress = *egress;
}

Result<plugins::ExchangeDescription> PluginTrial::describe_retrieval(const std::string& kind,
                                                                     const std::string& name) {
  const bool encodes = kind == QUARRY_EMBEDDING;
  const auto& tables = encodes ? config_.embeddings : config_.rerankers;
  const auto table = tables.find(name);
  const std::string options = table == tables.end() ? "{}" : table->second.options.json;
  if (encodes) {
    const auto made = registry_->make_embedding(name, options);
    if (!made) return made.error();
    return (*made)->describe();
  }
  const auto made = registry_->make_rerank(name, options);
  if (!made) return made.error();
  return (*made)->describe();
}

Result<engine::RetrievalProviders> PluginTrial::retrieval(const std::string& kind,
                                                          const std::string& name,
                                                          const std::string& model) {
  const bool encodes = kind == QUARRY_EMBEDDING;
  auto config = config_;
  const auto& tables = encodes ? config.embeddings : config.rerankers;
  std::string chosen = encodes ? config.search.embedding : config.search.rerank;
  const auto table = tables.find(chosen.substr(0, chosen.find('/')));
  const bool is_its_table = table != tables.end() && table->second.provider == name;
  if (!is_its_table && !chosen.starts_with(name + "/")) chosen.clear();
  if (!model.empty()) {
    chosen = (chosen.empty() ? name : chosen.substr(0, chosen.find('/'))) + "/" + model;
  }
  if (chosen.empty()) {
    return Error(Code::kInvalidArgument, "no model is named",
                 "name one with --model, or in [search] of the configuration");
  }
  config.search.embedding = encodes ? chosen : "";
  config.search.rerank = encodes ? "" : chosen;
  config.model.monthly_budget.reset();  // a trial has no history
  auto made = engine::make_retrieval_providers(config, *registry_, {}, *host_);
  if (made) permit(made->endpoints);
  return made;
}

Result<std::shared_ptr<plugins::PricingCatalogue>> PluginTrial::pricing(const std::string& name) {
  const auto table = config_.pricing.find(name);
  return registry_->make_pricing(name, table == config_.pricing.end() ? "{}" : table->second.json);
}

Status PluginTrial::generate(const services::Call& call, plugins::ModelProvider& provider,
                             std::string_view chat_request, plugins::ModelSink& sink) {
  if (provider.form() == plugins::ModelProvider::Form::kGenerate) {
    provider.generate(call, chat_request, sink);
    return {};
  }
  auto exchange = provider.begin(chat_request);
  if (!exchange) return std::move(exchange.error());
  const retrieval::RequestServices services{host_->http,
                                            host_->clock,
                                            [this](std::string_view name, std::stop_token stop) {
                                              return host_->secrets.get(std::string(name),
                                                                        {.stop = std::move(stop)});
                                            },
                                            {.attempts = 1}};
  const retrieval::ExchangeLimits limits{.total = std::chrono::milliseconds(0)};
  return retrieval::ExchangeRun(**exchange, sink, services, limits, call.stop).run({});
}

std::optional<std::uint64_t> PluginTrial::peak_memory() const {
  std::uint64_t peak = 0;
  if (!isolated_) {
    peak = peak_of("self");
  } else {
    for (const auto& id : children()) peak = std::max(peak, peak_of(id));
  }
  return peak == 0 ? std::nullopt : std::optional(peak);
}

}  // namespace quarry::authoring
