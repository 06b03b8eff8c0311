// The services, and the host's own table.
#include "common.h"

#include <cstring>
#include <filesystem>
#include <pthread.h>

struct quarry_loop {
  std::thread thread;
};

namespace frozen {
namespace {

using std::chrono::milliseconds;

std::mutex mutex;
std::vector<std::thread> jobs;
std::vector<std::string> hidden;

std::string without_hidden(std::string line) {
  const std::lock_guard lock(mutex);
  for (const std::string& value : hidden)
    for (auto at = line.find(value); at != line.npos; at = line.find(value))
      line.replace(at, value.size(), "[hidden]");
  return line;
}

quarry_text made(const std::string& directory) {
  std::filesystem::create_directories(directory);
  return text(directory);
}

const std::string& folder(const char* name) {
  static std::map<std::string, std::string> folders;
  const std::lock_guard lock(mutex);
  return folders[name] = settings().folder + "/" + name;
}

void finish(const std::optional<Failure>& failure, std::string_view value,
            const quarry_reply* reply) {
  if (failure) return failure->use(reply);
  reply->value(reply, text(value));
}

/// Sends a request and passes its response to `sink`; the value is written to `value`.
std::optional<Failure> send(const quarry_call* call, const quarry_http_request* from,
                            const quarry_http_sink* sink, std::string& value) {
  Request request;
  Response response;
  if (auto failure = fill(*from, request)) return failure;
  if (auto failure = fetch(call, request, response)) return failure;
  const bool wanted =
      sink == nullptr ||
      (with_headers(response,
                    [&](std::uint32_t count, const quarry_header* const* headers) {
                      return sink->head(sink, response.status, count, headers);
                    }) == QUARRY_OK &&
       (response.body.empty() || sink->data(sink, text(response.body)) == QUARRY_OK));
  if (!wanted) return Failure{QUARRY_CANCELLED, "the sink refused the response", "", ""};
  if (!response.complete) return Failure{QUARRY_UNAVAILABLE, "the response was cut", "", ""};
  value = "{\"status\": " + std::to_string(response.status) +
          ", \"url\": " + json_text(response.url) + "}";
  return std::nullopt;
}

void send_all(const quarry_call* call, std::uint32_t count,
              const quarry_http_request* const* requests, const quarry_http_sink* const* sinks,
              const quarry_reply* reply) {
  std::string rows;
  if (count > QUARRY_LIMIT_REQUESTS)
    return Failure{QUARRY_RESOURCE_EXHAUSTED, "too many requests", "", ""}.use(reply);
  if (const auto state = calls().state(call); state != QUARRY_OK)
    return Failure{state, "the call is over", "", ""}.use(reply);
  for (std::uint32_t i = 0; i < count; ++i) {
    std::string row;
    if (const auto failure = send(call, requests[i], sinks[i], row)) {
      row = "{\"failure\": {\"status\": " + std::to_string(failure->status) +
            ", \"message\": " + json_text(failure->message) +
            ", \"details\": " + (failure->details.empty() ? "{}" : failure->details) + "}}";
    }
    rows += (i == 0 ? "" : ", ") + row;
  }
  reply->value(reply, text("{\"responses\": [" + rows + "]}"));
}

const quarry_clock_v1 kClock{
    sizeof kClock, nullptr,
    [](const quarry_clock_v1*) -> std::int64_t {
      const auto now = std::chrono::system_clock::now().time_since_epoch();
      return std::chrono::duration_cast<milliseconds>(now).count();
    },
    [](const quarry_clock_v1*) -> std::int64_t {
      return std::chrono::nanoseconds(Clock::now().time_since_epoch()).count();
    },
    [](const quarry_clock_v1*, const quarry_call* call, std::int64_t duration) {
      const auto end = Clock::now() + milliseconds(duration);
      quarry_status state = calls().state(call);
      while (state == QUARRY_OK && Clock::now() < end) {
        std::this_thread::sleep_for(milliseconds(1));
        state = calls().state(call);
      }
      return state;
    }};

const quarry_log_v1 kLog{
    sizeof kLog, nullptr,
    [](const quarry_log_v1*, std::int32_t level, quarry_text message) {
      Line("event", "log")
          .with("level", level)
          .with("message", without_hidden(std::string(view(message))));
    },
    [](const quarry_log_v1*, std::int32_t level) { return level >= QUARRY_LOG_DEBUG ? 1 : 0; }};

void print_metric(const char* kind, quarry_text name, quarry_text labels, double value) {
  Line("event", kind)
      .with("name", view(name))
      .with("labels", view(labels))
      .json("value", std::to_string(value));
}

const quarry_metrics_v1 kMetrics{
    sizeof kMetrics, nullptr,
    [](const quarry_metrics_v1*, quarry_text name, quarry_text labels, double amount) {
      print_metric("count", name, labels, amount);
    },
    [](const quarry_metrics_v1*, quarry_text name, quarry_text labels, double value) {
      print_metric("gauge", name, labels, value);
    },
    [](const quarry_metrics_v1*, quarry_text name, quarry_text labels, double seconds) {
      print_metric("observe", name, labels, seconds);
    }};

const quarry_paths_v1 kPaths{sizeof kPaths, nullptr,
                             [](const quarry_paths_v1*) { return made(folder("cache")); },
                             [](const quarry_paths_v1*) { return made(folder("data")); }};

const quarry_secrets_v1 kSecrets{
    sizeof kSecrets, nullptr,
    [](const quarry_secrets_v1*, const quarry_call* call, quarry_text name,
       const quarry_reply* reply) {
      const auto state = calls().state(call);
      const auto found = settings().secrets.find(std::string(view(name)));
      if (state != QUARRY_OK) return Failure{state, "the call is over", "", ""}.use(reply);
      if (found == settings().secrets.end())
        return Failure{QUARRY_PERMISSION_DENIED, "the secret is not permitted", "", ""}.use(reply);
      reply->value(reply, text(json_text(found->second)));
    },
    [](const quarry_secrets_v1*, quarry_text value) {
      const std::lock_guard lock(mutex);
      hidden.emplace_back(view(value));
    }};

const quarry_process_v1 kProcess{
    sizeof kProcess, nullptr,
    [](const quarry_process_v1*, const quarry_call* call, const quarry_process_spec* spec,
       const quarry_process_sink* sink, const quarry_reply* reply) {
      std::string value;
      if (!QUARRY_HAS(spec, memory_limit) || !QUARRY_HAS(sink, error_output))
        return Failure{QUARRY_INVALID_ARGUMENT, "the process is not complete", "", ""}.use(reply);
      const auto state = calls().state(call);
      if (state != QUARRY_OK) return Failure{state, "the call is over", "", ""}.use(reply);
      const auto failure = run_process(call, *spec, *sink, value);
      finish(failure, value, reply);
    }};

const quarry_http_v1 kHttp{
    sizeof kHttp, nullptr,
    [](const quarry_http_v1*, const quarry_call* call, const quarry_http_request* request,
       const quarry_http_sink* sink, const quarry_reply* reply) {
      std::string value;
      const auto failure = send(call, request, sink, value);
      finish(failure, value, reply);
    },
    [](const quarry_http_v1*, const quarry_call*, quarry_text url, const quarry_reply* reply) {
      std::string host, port;
      const auto failure = check_url(view(url), host, port);
      finish(failure,
             "{\"host\": " + json_text(host) + ", \"port\": " + port +
                 ", \"addresses\": [\"127.0.0.1\"], \"proxied\": false}",
             reply);
    },
    [](const quarry_http_v1*, const quarry_call* call, std::uint32_t count,
       const quarry_http_request* const* requests, const quarry_http_sink* const* sinks,
       const quarry_reply* reply) { send_all(call, count, requests, sinks, reply); }};

const quarry_work_v1 kWork{
    sizeof kWork,
    nullptr,
    [](const quarry_work_v1*, void (*job)(void*), void* context) {
      const std::lock_guard lock(mutex);
      jobs.emplace_back(job, context);
      return QUARRY_OK;
    },
    [](const quarry_work_v1*, const char* name, void (*run)(void*), void* context) {
      auto* loop = new quarry_loop{std::thread(run, context)};
      ::pthread_setname_np(loop->thread.native_handle(), name);
      return loop;
    },
    [](quarry_loop* loop) {
      loop->thread.join();
      delete loop;
    },
    [](const quarry_work_v1*) -> std::uint32_t { return 4; }};

const void* service(const quarry_host*, const char* id) {
  const std::pair<const char*, const void*> all[] = {
      {QUARRY_CLOCK, &kClock},     {QUARRY_HTTP, &kHttp},   {QUARRY_LOG, &kLog},
      {QUARRY_METRICS, &kMetrics}, {QUARRY_PATHS, &kPaths}, {QUARRY_PROCESS, &kProcess},
      {QUARRY_SECRETS, &kSecrets}, {QUARRY_WORK, &kWork}};
  for (const auto& [name, table] : all)
    if (std::strcmp(name, id) == 0) return table;
  return nullptr;
}

}  // namespace

void join_jobs() {
  std::vector<std::thread> running;
  {
    const std::lock_guard lock(mutex);
    running.swap(jobs);
  }
  for (std::thread& job : running) job.join();
}

const quarry_host* host() {
  static const quarry_host table{
      sizeof table,
      QUARRY_ABI_MAJOR,
      QUARRY_ABI_MINOR,
      nullptr,
      text("frozen"),
      service,
      [](const quarry_host*, const quarry_call* parent, std::int64_t timeout_ms,
         quarry_status (*state)(void*),
         void* context) { return calls().open(parent, timeout_ms, state, context); },
      [](const quarry_host*, const quarry_call* call) { calls().close(call); }};
  return &table;
}

}  // namespace frozen
