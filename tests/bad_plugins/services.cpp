// A resource type whose normalise uses the service that its field `use` names, and replies with
// what came of it.
#include <quarry/limits.h>
#include <quarry/plugin.hpp>
#include <quarry/services.h>

#include <atomic>
#include <condition_variable>
#include <fstream>
#include <future>
#include <mutex>
#include <string>
#include <vector>

namespace {

struct Instance {
  const quarry_host* host;

  template <class Table>
  const Table* service(const char* id) const {
    return static_cast<const Table*>(host->service(host, id));
  }
};

/// Keeps an outcome as text.
struct Outcome {
  std::string text;
  quarry_reply reply{sizeof(quarry_reply), this,
                     [](const quarry_reply* self, quarry_text json) {
                       static_cast<Outcome*>(self->context)->text = quarry::as_view(json);
                     },
                     [](const quarry_reply* self, const quarry_failure* failure) {
                       static_cast<Outcome*>(self->context)->text =
                           std::to_string(failure->status) + " " +
                           std::string(quarry::as_view(failure->message));
                     }};
};

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out + "\"";
}

std::string get_secret(const Instance& self, const quarry_call* call, const char* name) {
  const auto* secrets = self.service<quarry_secrets_v1>(QUARRY_SECRETS);
  if (secrets == nullptr) return "no secrets";
  Outcome outcome;
  secrets->get(secrets, call, quarry::as_text(name), &outcome.reply);
  return outcome.text;
}

std::string run_program(const Instance& self, const quarry_call* call, const char* program,
                        const char* argument) {
  const auto* process = self.service<quarry_process_v1>(QUARRY_PROCESS);
  const quarry_text argument_text = quarry::as_text(argument);
  quarry_process_spec spec{};
  spec.struct_size = sizeof spec;
  spec.program = quarry::as_text(program);
  spec.argument_count = 1;
  spec.arguments = &argument_text;
  std::string output;
  const quarry_process_sink sink{sizeof sink, &output,
                                 [](const quarry_process_sink* sink_self, quarry_text bytes) {
                                   *static_cast<std::string*>(sink_self->context) +=
                                       quarry::as_view(bytes);
                                   return QUARRY_OK;
                                 },
                                 nullptr};
  Outcome outcome;
  process->run(process, call, &spec, &sink, &outcome.reply);
  return outcome.text + output;
}

struct Received {
  std::size_t bytes = 0;
  std::size_t most = 0;
  std::string head = {};
};

/// Wants at most `most` bytes of the response; 0 = all.
std::string send_request(const Instance& self, const quarry_call* call, std::size_t most) {
  const auto* http = self.service<quarry_http_v1>(QUARRY_HTTP);
  const quarry_header header{sizeof header, quarry::as_text("Authorization"),
                             quarry::as_text("Bearer "), quarry::as_text("key")};
  const quarry_header* const headers[] = {&header};
  const quarry_http_request request{sizeof request,
                                    1,
                                    quarry::as_text("POST"),
                                    quarry::as_text("https://example.org/"),
                                    headers,
                                    quarry::as_text("body"),
                                    7000,
                                    3,
                                    0};
  Received received{.most = most};
  const quarry_http_sink sink{sizeof sink, &received,
                              [](const quarry_http_sink* sink_self, int32_t status, uint32_t count,
                                 const quarry_header* const* given) {
                                auto& mine = *static_cast<Received*>(sink_self->context);
                                mine.head = std::to_string(status);
                                for (uint32_t i = 0; i < count; ++i) {
                                  mine.head += " " + std::string(quarry::as_view(given[i]->name)) +
                                               ":" + std::string(quarry::as_view(given[i]->value));
                                }
                                return QUARRY_OK;
                              },
                              [](const quarry_http_sink* sink_self, quarry_text bytes) {
                                auto& mine = *static_cast<Received*>(sink_self->context);
                                mine.bytes += bytes.size;
                                return mine.most != 0 && mine.bytes >= mine.most ? QUARRY_CANCELLED
                                                                                 : QUARRY_OK;
                              }};
  Outcome outcome;
  http->send(http, call, &request, &sink, &outcome.reply);
  return received.head + " " + std::to_string(received.bytes) + " " + outcome.text;
}

std::string write_file(const Instance& self) {
  const auto* paths = self.service<quarry_paths_v1>(QUARRY_PATHS);
  const std::string file = std::string(quarry::as_view(paths->cache(paths))) + "/written";
  std::ofstream(file) << "by the plugin";
  return file;
}

/// A job of the work service that uses a secret in a call without parent.
std::string use_in_job(const Instance& self) {
  struct Job {
    const Instance& self;
    std::mutex mutex;
    std::condition_variable changed;
    std::string outcome;
  } job{self, {}, {}, {}};
  const auto* work = self.service<quarry_work_v1>(QUARRY_WORK);
  work->submit(
      work,
      [](void* context) {
        auto& mine = *static_cast<Job*>(context);
        const auto* host = mine.self.host;
        const auto* call = host->open_call(host, nullptr, INT64_MAX, nullptr, nullptr);
        const std::string outcome = get_secret(mine.self, call, "key");
        host->close_call(host, call);
        const std::lock_guard lock(mine.mutex);
        mine.outcome = outcome;
        mine.changed.notify_all();
      },
      &job);
  std::unique_lock lock(job.mutex);
  job.changed.wait(lock, [&] { return !job.outcome.empty(); });
  return job.outcome;
}

std::string log_and_count(const Instance& self) {
  const auto* secrets = self.service<quarry_secrets_v1>(QUARRY_SECRETS);
  secrets->hide(secrets, quarry::as_text("found-by-the-plugin"));
  const auto* log = self.service<quarry_log_v1>(QUARRY_LOG);
  log->write(log, QUARRY_LOG_WARNING, quarry::as_text("it is found-by-the-plugin"));
  const auto* metrics = self.service<quarry_metrics_v1>(QUARRY_METRICS);
  metrics->count(metrics, quarry::as_text("things"), quarry::as_text(""), 3);
  return std::to_string(log->enabled(log, QUARRY_LOG_DEBUG));
}

/// Logs a line in a job of the work service.
std::string log_in_job(const Instance& self) {
  struct Job {
    const quarry_log_v1* log;
    std::promise<void> ran;
  } job{self.service<quarry_log_v1>(QUARRY_LOG), {}};
  const auto* work = self.service<quarry_work_v1>(QUARRY_WORK);
  work->submit(
      work,
      [](void* context) {
        auto& mine = *static_cast<Job*>(context);
        mine.log->write(mine.log, QUARRY_LOG_WARNING, quarry::as_text("from a job"));
        mine.ran.set_value();
      },
      &job);
  job.ran.get_future().wait();
  return "logged";
}

/// A part of a call, which its function ends: when told to, or at the fifth check.
struct Part {
  Part(const Instance& instance, const quarry_call* parent, bool counts)
      : self(instance),
        counted(counts),
        call(self.host->open_call(self.host, parent, INT64_MAX, state, this)) {}
  ~Part() { self.host->close_call(self.host, call); }
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;

  static quarry_status state(void* context) {
    auto& mine = *static_cast<Part*>(context);
    const bool last = mine.counted && ++mine.checks == 5;
    return last || mine.over ? mine.over = true, QUARRY_DEADLINE_EXCEEDED : QUARRY_OK;
  }
  static quarry_status take_head(const quarry_http_sink* sink, int32_t, uint32_t,
                                 const quarry_header* const*) {
    static_cast<Part*>(sink->context)->over = true;
    return QUARRY_OK;
  }
  static quarry_status take_output(const quarry_process_sink* sink, quarry_text) {
    static_cast<Part*>(sink->context)->over = true;
    return QUARRY_OK;
  }

  const Instance& self;
  const bool counted;
  std::atomic<int> checks = 0;
  std::atomic<bool> over = false;
  const quarry_call* const call;
};

/// `sink` may be null.
std::string send_requests(const Instance& self, const quarry_call* call,
                          const quarry_http_sink* sink, uint32_t count) {
  const auto* http = self.service<quarry_http_v1>(QUARRY_HTTP);
  const quarry_http_request request{sizeof request,
                                    0,
                                    quarry::as_text("GET"),
                                    quarry::as_text("https://example.org/silent"),
                                    nullptr,
                                    {},
                                    0,
                                    0,
                                    0};
  const std::vector<const quarry_http_request*> requests(count, &request);
  const std::vector<const quarry_http_sink*> sinks(count, sink);
  Outcome outcome;
  if (count == 1) {
    http->send(http, call, &request, sink, &outcome.reply);
  } else {
    http->send_all(http, call, count, requests.data(), sinks.data(), &outcome.reply);
  }
  return outcome.text;
}

std::string end_requests(const Instance& self, const quarry_call* call, uint32_t count) {
  Part part(self, call, false);
  const quarry_http_sink sink{sizeof sink, &part, Part::take_head, nullptr};
  return send_requests(self, part.call, &sink, count);
}

std::string end_permit(const Instance& self, const quarry_call* call) {
  const Part part(self, call, true);
  const auto* http = self.service<quarry_http_v1>(QUARRY_HTTP);
  Outcome outcome;
  http->permit(http, part.call, quarry::as_text("https://example.org/"), &outcome.reply);
  return outcome.text;
}

std::string end_program(const Instance& self, const quarry_call* call) {
  Part part(self, call, false);
  const auto* process = self.service<quarry_process_v1>(QUARRY_PROCESS);
  const quarry_text arguments[] = {quarry::as_text("-c"),
                                   quarry::as_text("echo begun; exec sleep 20")};
  quarry_process_spec spec{};
  spec.struct_size = sizeof spec;
  spec.program = quarry::as_text("sh");
  spec.argument_count = 2;
  spec.arguments = arguments;
  const quarry_process_sink sink{sizeof sink, &part, Part::take_output, nullptr};
  Outcome outcome;
  process->run(process, part.call, &spec, &sink, &outcome.reply);
  return outcome.text;
}

/// In a loop, which is joined: the end of the sleep ends both.
std::string end_sleep(const Instance& self, const quarry_call* call) {
  struct Sleep {
    const Part part;
    const quarry_clock_v1* const clock;
    quarry_status status = QUARRY_OK;
  } sleep{{self, call, true}, self.service<quarry_clock_v1>(QUARRY_CLOCK)};
  const auto* work = self.service<quarry_work_v1>(QUARRY_WORK);
  work->join_loop(work->start_loop(
      work, "sleeps",
      [](void* context) {
        auto& mine = *static_cast<Sleep*>(context);
        mine.status = mine.clock->sleep(mine.clock, mine.part.call, 30'000);
      },
      &sleep));
  return std::to_string(sleep.status);
}

std::string end_part(const Instance& self, const quarry_call* call, std::string_view resource) {
  const auto has = [&](const char* what) { return resource.find(what) != resource.npos; };
  if (has("request")) return end_requests(self, call, 1);
  if (has("several")) return end_requests(self, call, 20);
  if (has("permit")) return end_permit(self, call);
  if (has("program")) return end_program(self, call);
  if (has("secret")) return get_secret(self, Part(self, call, true).call, "key");
  return end_sleep(self, call);
}

std::string send_body(const Instance& self, const quarry_call* call, std::size_t size,
                      uint32_t count) {
  const auto* http = self.service<quarry_http_v1>(QUARRY_HTTP);
  const std::string body(size, 'x');
  const quarry_header header{sizeof header, quarry::as_text("Authorization"),
                             quarry::as_text("Bearer "), quarry::as_text("key")};
  const quarry_header* const headers[] = {&header};
  const quarry_http_request request{sizeof request,
                                    1,
                                    quarry::as_text("POST"),
                                    quarry::as_text("https://example.org/"),
                                    headers,
                                    quarry::as_text(body),
                                    0,
                                    0,
                                    0};
  const quarry_http_request* const requests[] = {&request, &request};
  Outcome outcome;
  if (count == 1) {
    http->send(http, call, &request, nullptr, &outcome.reply);
  } else {
    http->send_all(http, call, count, requests, nullptr, &outcome.reply);
  }
  return outcome.text;
}

/// Counts its input and its `arguments`.
std::string run_counting(const Instance& self, const quarry_call* call, std::size_t input_size,
                         std::size_t arguments) {
  const auto* process = self.service<quarry_process_v1>(QUARRY_PROCESS);
  const std::string input(input_size, 'x');
  std::vector<quarry_text> texts(arguments, quarry::as_text("a"));
  texts[0] = quarry::as_text("-c");
  texts[1] = quarry::as_text("wc -c; echo $#");
  texts[2] = quarry::as_text("sh");
  quarry_process_spec spec{};
  spec.struct_size = sizeof spec;
  spec.program = quarry::as_text("sh");
  spec.argument_count = static_cast<uint32_t>(texts.size());
  spec.arguments = texts.data();
  spec.input = quarry::as_text(input);
  std::string output;
  const quarry_process_sink sink{sizeof sink, &output,
                                 [](const quarry_process_sink* sink_self, quarry_text bytes) {
                                   *static_cast<std::string*>(sink_self->context) +=
                                       quarry::as_view(bytes);
                                   return QUARRY_OK;
                                 },
                                 nullptr};
  Outcome outcome;
  process->run(process, call, &spec, &sink, &outcome.reply);
  return outcome.text + output;
}

/// Sizes that every host takes, and some that an isolated plugin cannot pass.
std::string use_sizes(const Instance& self, const quarry_call* call, std::string_view resource) {
  const auto has = [&](const char* what) { return resource.find(what) != resource.npos; };
  constexpr std::size_t kExcessive = 40u << 20;
  if (has("large request")) return send_body(self, call, QUARRY_LIMIT_REQUEST_BODY, 1);
  if (has("large input")) {
    return run_counting(self, call, QUARRY_LIMIT_PROCESS_INPUT, QUARRY_LIMIT_ARGUMENTS);
  }
  if (has("excessive requests")) return send_body(self, call, kExcessive, 2);
  if (has("excessive request")) return send_body(self, call, kExcessive, 1);
  if (has("excessive input")) return run_counting(self, call, kExcessive, 3);
  return run_counting(self, call, 1, QUARRY_LIMIT_ARGUMENTS + 1);
}

/// Services in a call without parent.
std::string use_own_call(const Instance& self, std::string_view resource) {
  const Part part(self, nullptr, false);
  if (resource.find("several") != resource.npos) return send_requests(self, part.call, nullptr, 2);
  return get_secret(self, part.call, "key");
}

std::string use(const Instance& self, const quarry_call* call, std::string_view resource) {
  const auto has = [&](const char* what) { return resource.find(what) != resource.npos; };
  if (has("hold requests")) return send_requests(self, call, nullptr, 16);
  if (has("end ")) return end_part(self, call, resource);
  if (has("large ") || has("excessive ")) return use_sizes(self, call, resource);
  if (has("own call")) return use_own_call(self, resource);
  if (has("own secret")) return get_secret(self, call, "key");
  if (has("other secret")) return get_secret(self, call, "other");
  if (has("no call")) return get_secret(self, nullptr, "key");
  if (has("echo")) return run_program(self, call, "echo", "hello");
  if (has("sleep")) return run_program(self, call, "sleep", "1000");
  if (has("whole response")) return send_request(self, call, 0);
  if (has("part of a response")) return send_request(self, call, 1000);
  if (has("file")) return write_file(self);
  if (has("log in a job")) return log_in_job(self);
  if (has("job")) return use_in_job(self);
  return log_and_count(self);
}

void describe(void*, const quarry_call*, const quarry_reply* reply) {
  reply->value(reply, quarry::as_text(R"({"title":"Services","schema":{}})"));
}
void normalise(void* instance, const quarry_call* call, quarry_text resource,
               const quarry_reply* reply) {
  const auto outcome =
      "{\"outcome\": " +
      quoted(use(*static_cast<Instance*>(instance), call, quarry::as_view(resource))) + "}";
  reply->value(reply, quarry::as_text(outcome));
}
void resolve(void*, const quarry_call*, quarry_text, quarry_text, const quarry_reply* reply) {
  reply->value(reply, quarry::as_text(R"({"id":"1"})"));
}
void fetch(void* instance, const quarry_call*, quarry_text, quarry_text, quarry_text,
           const quarry_tree* tree, const quarry_reply* reply) {
  const quarry::Host host(static_cast<Instance*>(instance)->host);
  host.log(QUARRY_LOG_INFO, "it \"fetches\"\nnow");
  const auto scratch = tree->scratch(tree);
  std::ofstream(std::string(quarry::as_view(scratch)) + "/a.md") << "# From scratch\n";
  tree->add_directory(tree, scratch);
  reply->value(reply, quarry::as_text("{}"));
}
void create(const quarry_host* host, const quarry_call*, quarry_text, void** instance,
            const quarry_reply* reply) {
  *instance = new Instance{host};
  reply->value(reply, quarry::as_text("{}"));
}
void destroy(void* instance) {
  delete static_cast<Instance*>(instance);
}

constexpr quarry_resource_v1 kTable{
    sizeof(quarry_resource_v1), describe, normalise, resolve, fetch, nullptr};
constexpr quarry_component kComponent{
    sizeof(quarry_component), 0, QUARRY_RESOURCE, "services", &kTable, create, destroy};

}  // namespace

QUARRY_PLUGIN("org.example.services", "1.0.0", kComponent)
