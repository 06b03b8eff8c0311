#include "services/service_tables.h"

#include "base/json.h"
#include "base/json_writer.h"
#include "services/call_table.h"
#include "services/log_scope.h"

#include <quarry/limits.h>
#include <quarry/outcome.hpp>
#include <quarry/services.h>

#include <algorithm>

namespace quarry::services {
namespace {

void fail(const quarry_reply* reply, const Error& error) {
  quarry_failure failure{};
  failure.struct_size = sizeof failure;
  failure.status = static_cast<quarry_status>(error.code);
  failure.message = as_text(error.message);
  failure.hint = as_text(error.hint);
  failure.details = as_text(error.facts);
  reply->failure(reply, &failure);
}

Error foreign_call() {
  return {Code::kInvalidArgument, "the call is missing, or is none of this host's",
          "pass on the call that the host lent, or open one with quarry_host.open_call"};
}

/// Replies with the result of `make` for the call: JSON text or a failure; exceptions become
/// failures.
template <class Make>
void answer(const quarry_call* lent, const quarry_reply* reply, Make make) noexcept {
  try {
    const CallTable* const call = CallTable::find(lent);
    const Result<std::string> value = call ? make(*call) : Result<std::string>(foreign_call());
    if (value) return reply->value(reply, as_text(*value));
    fail(reply, value.error());
  } catch (...) {
    quarry_failure failure{};
    failure.struct_size = sizeof failure;
    failure.status = QUARRY_INTERNAL;
    failure.message = as_text("the host could not do this");
    reply->failure(reply, &failure);
  }
}

bool holds(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

Error not_permitted(std::string_view what, std::string_view name) {
  return {Code::kPermissionDenied,
          "the manifest does not list the " + std::string(what) + " '" + std::string(name) + "'",
          "add it to the permissions in plugin.toml"};
}

Status taken(quarry_status status) {
  if (status == QUARRY_OK) return {};
  return Error{Code::kCancelled, "the plugin rejected further output"};
}

}  // namespace

struct ServiceTables::Tables {
  std::string plugin;
  Permissions permissions;
  Services services;
  std::string cache;
  std::string data;
  std::mutex mutex;
  quarry_log_v1 log{};
  quarry_clock_v1 clock{};
  quarry_paths_v1 paths{};
  quarry_secrets_v1 secrets{};
  quarry_metrics_v1 metrics{};
  quarry_work_v1 work{};
  quarry_process_v1 process{};
  quarry_http_v1 http{};

  Tables(std::string id, Permissions allowed, Services given)
      : plugin(std::move(id)), permissions(std::move(allowed)), services(given) {
    fill_log();
    fill_clock();
    fill_paths();
    fill_secrets();
    fill_metrics();
    fill_work();
    fill_process();
    fill_http();
  }
  Tables(const Tables&) = delete;
  Tables& operator=(const Tables&) = delete;

  template <class Table>
  static Tables& of(const Table* self) {
    return *static_cast<Tables*>(self->context);
  }
  template <class Table>
  void begin(Table& table) {
    table.struct_size = sizeof table;
    table.context = this;
  }

  void fill_log() {
    begin(log);
    log.write = [](const quarry_log_v1* self, int32_t level, quarry_text message) {
      Tables& mine = of(self);
      const auto known = static_cast<Level>(std::clamp(level, QUARRY_LOG_DEBUG, QUARRY_LOG_ERROR));
      mine.services.log.write(known, mine.plugin, as_view(message));
    };
    log.enabled = [](const quarry_log_v1* self, int32_t level) -> int32_t {
      return of(self).services.log.enabled(static_cast<Level>(level));
    };
  }

  void fill_clock() {
    using namespace std::chrono;
    begin(clock);
    clock.wall_ms = [](const quarry_clock_v1* self) -> int64_t {
      return duration_cast<milliseconds>(of(self).services.clock.now().time_since_epoch()).count();
    };
    clock.steady_ns = [](const quarry_clock_v1* self) -> int64_t {
      const auto since = of(self).services.clock.steady_now().time_since_epoch();
      return duration_cast<nanoseconds>(since).count();
    };
    clock.sleep = [](const quarry_clock_v1*, const quarry_call* lent, int64_t ms) -> quarry_status {
      constexpr std::int64_t kDay = 86'400'000;
      const CallTable* const call = CallTable::find(lent);
      if (!call) return QUARRY_INVALID_ARGUMENT;
      const auto status = sleep(call->call(), milliseconds(std::clamp<std::int64_t>(ms, 0, kDay)));
      return status ? QUARRY_OK : static_cast<quarry_status>(status.error().code);
    };
  }

  /// The directory as text that lives as long as the tables; empty if it cannot be created.
  quarry_text directory(std::string& kept,
                        Result<std::filesystem::path> (Paths::*make)(std::string_view)
                            const) noexcept {
    try {
      std::lock_guard lock(mutex);
      if (!kept.empty()) return as_text(kept);
      auto made = (services.paths.*make)(plugin);
      if (made) {
        kept = made->string();
        return as_text(kept);
      }
      services.log.error(plugin, made.error().message);
    } catch (...) {
      services.log.error(plugin, "cannot create a directory");
    }
    return {nullptr, 0};
  }

  void fill_paths() {
    begin(paths);
    paths.cache = [](const quarry_paths_v1* self) {
      return of(self).directory(of(self).cache, &Paths::plugin_cache);
    };
    paths.data = [](const quarry_paths_v1* self) {
      return of(self).directory(of(self).data, &Paths::plugin_data);
    };
  }

  [[nodiscard]] bool may_read(const CallTable& call, std::string_view secret) const {
    return holds(permissions.secrets, secret) || holds(call.rights().secrets, secret);
  }

  void fill_secrets() {
    begin(secrets);
    secrets.get = [](const quarry_secrets_v1* self, const quarry_call* lent, quarry_text name,
                     const quarry_reply* reply) {
      answer(lent, reply, [&](const CallTable& call) -> Result<std::string> {
        Tables& mine = of(self);
        if (!mine.may_read(call, as_view(name))) return not_permitted("secret", as_view(name));
        auto value = mine.services.secrets.get(as_view(name), call.call());
        if (!value) return value;
        return json_string(*value);
      });
    };
    secrets.hide = [](const quarry_secrets_v1* self, quarry_text value) {
      Tables& mine = of(self);
      try {
        mine.services.secrets.hide(mine.plugin, as_view(value));
      } catch (...) {
        mine.services.log.error(mine.plugin, "a secret could not be registered for redaction");
      }
    };
  }

  /// Logs each rejected metric; the C function has no result to report it.
  void note(const Status& status) noexcept {
    if (!status) services.log.debug(plugin, status.error().message);
  }

  void fill_metrics() {
    begin(metrics);
    metrics.count = [](const quarry_metrics_v1* self, quarry_text name, quarry_text labels,
                       double amount) { of(self).record(&Metrics::count, name, labels, amount); };
    metrics.gauge = [](const quarry_metrics_v1* self, quarry_text name, quarry_text labels,
                       double value) { of(self).record(&Metrics::gauge, name, labels, value); };
    metrics.observe = [](const quarry_metrics_v1* self, quarry_text name, quarry_text labels,
                         double seconds) {
      of(self).record(&Metrics::observe, name, labels, seconds);
    };
  }

  void record(Status (Metrics::*function)(std::string_view, std::string_view, double,
                                          std::string_view),
              quarry_text name, quarry_text labels, double amount) noexcept {
    try {
      note((services.metrics.*function)(as_view(name), as_view(labels), amount, plugin));
    } catch (...) {
      services.log.debug(plugin, "a metric was not recorded");
    }
  }

  void fill_work() {
    begin(work);
    work.submit = [](const quarry_work_v1* self, void (*job)(void*),
                     void* context) -> quarry_status {
      try {
        const bool taken = of(self).services.workers.try_submit(
            with_current_subject([job, context] { job(context); }));
        return taken ? QUARRY_OK : QUARRY_UNAVAILABLE;
      } catch (...) {
        return QUARRY_RESOURCE_EXHAUSTED;
      }
    };
    work.start_loop = [](const quarry_work_v1*, const char* name, void (*run)(void*),
                         void* context) -> quarry_loop* {
      try {
        return reinterpret_cast<quarry_loop*>(
            new NamedLoop(name ? name : "plugin", [run, context] { run(context); }));
      } catch (...) {
        return nullptr;
      }
    };
    work.join_loop = [](quarry_loop* loop) { delete reinterpret_cast<NamedLoop*>(loop); };
    work.concurrency = [](const quarry_work_v1* self) {
      return static_cast<uint32_t>(of(self).services.workers.concurrency());
    };
  }

  void fill_process() {
    begin(process);
    process.run = [](const quarry_process_v1* self, const quarry_call* lent,
                     const quarry_process_spec* spec, const quarry_process_sink* sink,
                     const quarry_reply* reply) {
      answer(lent, reply,
             [&](const CallTable& call) { return of(self).run_program(call.call(), *spec, sink); });
    };
  }

  Result<std::string> run_program(const Call& call, const quarry_process_spec& asked,
                                  const quarry_process_sink* sink) {
    ProcessSpec spec;
    spec.program = as_view(asked.program);
    if (!holds(permissions.programs, spec.program)) return not_permitted("program", spec.program);
    for (uint32_t i = 0; i < asked.argument_count; ++i)
      spec.arguments.emplace_back(as_view(asked.arguments[i]));
    for (uint32_t i = 0; i < asked.environment_count; ++i)
      spec.environment.emplace_back(as_view(asked.environment[i]));
    if (asked.directory.size) spec.directory = as_view(asked.directory);
    spec.input = as_view(asked.input);
    if (asked.output_limit) spec.output_limit = asked.output_limit;
    if (QUARRY_HAS(&asked, memory_limit)) {
      spec.file_limit = asked.file_limit;
      spec.memory_limit = asked.memory_limit;
    }
    ProcessSink take;
    if (sink && sink->output)
      take.output = [sink](std::string_view b) { return taken(sink->output(sink, as_text(b))); };
    if (sink && sink->error_output)
      take.error_output = [sink](std::string_view b) {
        return taken(sink->error_output(sink, as_text(b)));
      };
    const auto ended = services.processes.run(spec, call, take);
    if (!ended) return ended.error();
    if (ended->signal) return "{\"signal\":" + std::to_string(ended->signal) + "}";
    return "{\"exit\":" + std::to_string(ended->exit) + "}";
  }

  void fill_http() {
    begin(http);
    http.send = [](const quarry_http_v1* self, const quarry_call* lent,
                   const quarry_http_request* request, const quarry_http_sink* sink,
                   const quarry_reply* reply) {
      answer(lent, reply,
             [&](const CallTable& call) { return of(self).send(call, *request, sink); });
    };
    http.send_all = [](const quarry_http_v1* self, const quarry_call* lent, std::uint32_t count,
                       const quarry_http_request* const* requests,
                       const quarry_http_sink* const* sinks, const quarry_reply* reply) {
      answer(lent, reply, [&](const CallTable& call) {
        return of(self).send_all(call, count, requests, sinks);
      });
    };
    http.permit = [](const quarry_http_v1* self, const quarry_call* lent, quarry_text url,
                     const quarry_reply* reply) {
      answer(lent, reply,
             [&](const CallTable& call) { return of(self).permit(call, as_view(url)); });
    };
  }

  [[nodiscard]] std::vector<std::string> permitted_hosts(const CallTable& call) const {
    std::vector<std::string> hosts = permissions.hosts;
    hosts.insert(hosts.end(), call.rights().hosts.begin(), call.rights().hosts.end());
    return hosts;
  }

  Result<std::string> permit(const CallTable& call, std::string_view url) {
    const auto permit = services.http->permit(call.call(), url, permitted_hosts(call));
    if (!permit) return permit.error();
    return json_object([&](JsonWriter& json) {
      json.member("host", permit->host).member("port", permit->port);
      json.member("addresses", permit->addresses).member("proxied", permit->proxied);
    });
  }

  Result<std::string> send(const CallTable& call, const quarry_http_request& asked,
                           const quarry_http_sink* sink) {
    auto part = read_part(call, asked, sink);
    if (!part) return std::move(part).error();
    const auto outcome = services.http->send(call.call(), std::move(part->request), part->sink,
                                             std::move(part->options));
    if (!outcome) return outcome.error();
    return json_object([&](JsonWriter& json) { write(json, outcome); });
  }

  Result<std::string> send_all(const CallTable& call, std::uint32_t count,
                               const quarry_http_request* const* requests,
                               const quarry_http_sink* const* sinks) {
    if (count > QUARRY_LIMIT_REQUESTS) return too_many_requests(count);
    std::vector<HttpPart> parts;
    for (std::uint32_t i = 0; i < count; ++i) {
      auto part = read_part(call, *requests[i], sinks == nullptr ? nullptr : sinks[i]);
      if (!part) return std::move(part).error();
      parts.push_back(std::move(*part));
    }
    const auto outcomes = services.http->send_all(call.call(), std::move(parts));
    if (!outcomes) return outcomes.error();
    return json_object([&](JsonWriter& json) {
      json.array("responses", [&] {
        for (const auto& outcome : *outcomes) json.object([&] { write(json, outcome); });
      });
    });
  }

  static void write(JsonWriter& json, const Result<HttpOutcome>& outcome) {
    if (outcome) {
      json.member("status", outcome->status).member("url", outcome->url);
      return;
    }
    json.object("failure", [&] {
      json.member("status", static_cast<int>(outcome.error().code));
      json.member("message", outcome.error().message).member("hint", outcome.error().hint);
      if (!outcome.error().facts.empty()) json.raw("details", outcome.error().facts);
    });
  }

  [[nodiscard]] Result<HttpPart> read_part(const CallTable& call, const quarry_http_request& asked,
                                           const quarry_http_sink* sink) const {
    if (asked.reserved != 0) {
      return Error(Code::kInvalidArgument, "reserved of the request is not 0",
                   "the plugin's author sets all fields that it does not use to 0");
    }
    HttpRequest request{std::string(as_view(asked.method)),
                        std::string(as_view(asked.url)),
                        {},
                        std::string(as_view(asked.body))};
    for (uint32_t i = 0; i < asked.header_count; ++i) {
      const quarry_header& header = *asked.headers[i];
      const std::string_view secret = as_view(header.secret);
      if (!secret.empty() && !may_read(call, secret)) return not_permitted("secret", secret);
      request.headers.push_back({std::string(as_view(header.name)),
                                 std::string(as_view(header.value)), std::string(secret)});
    }
    constexpr std::int64_t kDay = 86'400'000;
    constexpr std::int32_t kMostRedirects = QUARRY_LIMIT_REDIRECTS;
    HttpOptions options;
    options.total =
        std::chrono::milliseconds(asked.timeout_ms < 0 ? 1 : std::min(asked.timeout_ms, kDay));
    if (asked.max_redirects != 0) {
      options.max_redirects = std::clamp(asked.max_redirects, 0, kMostRedirects);
    }
    options.hosts = permitted_hosts(call);
    options.to_models = permissions.models;
    if (permissions.resources) options.minimum_speed = services.minimum_fetch_speed;
    HttpSink take;
    if (sink && sink->head)
      take.head = [sink](const HttpHead& head) { return give_head(*sink, head); };
    if (sink && sink->data)
      take.data = [sink](std::string_view bytes) {
        return taken(sink->data(sink, as_text(bytes)));
      };
    return HttpPart{std::move(request), std::move(take), std::move(options)};
  }

  static Status give_head(const quarry_http_sink& sink, const HttpHead& head) {
    std::vector<quarry_header> headers;
    for (const HttpHeader& header : head.headers)
      headers.push_back({sizeof(quarry_header), as_text(header.name), as_text(header.value), {}});
    std::vector<const quarry_header*> pointers;
    for (const quarry_header& header : headers) pointers.push_back(&header);
    return taken(
        sink.head(&sink, head.status, static_cast<uint32_t>(pointers.size()), pointers.data()));
  }
};

ServiceTables::ServiceTables(std::string plugin, Permissions permissions, Services services)
    : tables_(new Tables(std::move(plugin), std::move(permissions), services)) {}

ServiceTables::~ServiceTables() = default;

const void* ServiceTables::find(std::string_view id) const {
  Tables& tables = *tables_;
  if (id == QUARRY_LOG) return &tables.log;
  if (id == QUARRY_CLOCK) return &tables.clock;
  if (id == QUARRY_PATHS) return &tables.paths;
  if (id == QUARRY_METRICS) return &tables.metrics;
  if (id == QUARRY_WORK) return &tables.work;
  if (id == QUARRY_SECRETS) return &tables.secrets;
  if (id == QUARRY_PROCESS && !tables.permissions.programs.empty()) return &tables.process;
  if (id == QUARRY_HTTP && tables.services.http &&
      (!tables.permissions.hosts.empty() || tables.permissions.calls_name_hosts))
    return &tables.http;
  return nullptr;
}

}  // namespace quarry::services
