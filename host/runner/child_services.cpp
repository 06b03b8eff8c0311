#include "runner/child_services.h"

#include "base/json_writer.h"
#include "runner/answer.h"
#include "runner/fields.h"
#include "runner/http_packet.h"
#include "services/call.h"
#include "services/http_client.h"

#include <quarry/limits.h>
#include <quarry/outcome.hpp>

#include <algorithm>
#include <chrono>
#include <deque>
#include <new>
#include <system_error>
#include <utility>

namespace quarry::runner {
namespace {

constexpr std::size_t kMaxLine = 64u << 10;

/// The host's number of the call that a service request belongs to; 0 if there is none.
std::uint32_t parent_of(const quarry_call* call) {
  const auto* own = ChildCall::root_of(call);
  return own == nullptr ? 0 : own->number();
}

template <class Table>
ChildServices& services_of(const Table* table) {
  return *static_cast<ChildServices*>(table->context);
}

/// For a call that has no call of the host as its root.
void reply_no_call(const quarry_call* call, const quarry_reply* reply) {
  if (services::CallTable::find(call) == nullptr) {
    return reply_error(reply, {Code::kInvalidArgument, "a service was used without a call",
                               "pass on the call that the host lent, or a part of it"});
  }
  reply_error(reply, {Code::kUnsupported, "an isolated plugin used a service without its call",
                      "open a part of the call of the function that the job works for"});
}

/// Longest arguments of one request, as they are in its frame.
constexpr std::size_t kMostBytes = kMaxPayload - 64;

std::size_t packed_size(const quarry_http_request& request) {
  auto size = Fields<quarry_http_request>::size(request);
  for (std::uint32_t i = 0; i < request.header_count; ++i) {
    size += Fields<quarry_header>::size(*request.headers[i]);
  }
  return size;
}

std::size_t packed_size(std::uint32_t count, const quarry_text* texts) {
  std::size_t size = 0;
  for (std::uint32_t i = 0; i < count; ++i) size += Codec<quarry_text>::size(texts[i]);
  return size;
}

std::size_t packed_size(const quarry_process_spec& spec) {
  return Fields<quarry_process_spec>::size(spec) +
         packed_size(spec.argument_count, spec.arguments) +
         packed_size(spec.environment_count, spec.environment);
}

Error too_many(std::string_view what, std::size_t count, std::size_t most, std::string_view limit) {
  return {Code::kResourceExhausted,
          "an isolated plugin may pass " + std::to_string(most) + " " + std::string(what) +
              ", and passed " + std::to_string(count),
          "pass less; " + std::string(limit) + " says how much every host accepts"};
}

/// A larger frame would be malformed, which ends the plugin's process.
Status check_size(const quarry_http_request& request) {
  if (request.header_count > QUARRY_LIMIT_ARGUMENTS) {
    return too_many("headers of a request", request.header_count, QUARRY_LIMIT_ARGUMENTS,
                    "QUARRY_LIMIT_REQUEST_HEADERS");
  }
  const auto size = packed_size(request);
  if (size <= kMostBytes) return {};
  return too_many("bytes of a request", size, kMostBytes, "QUARRY_LIMIT_REQUEST_BODY");
}

Status check_size(const quarry_process_spec& spec) {
  for (const auto count : {spec.argument_count, spec.environment_count}) {
    if (count <= QUARRY_LIMIT_ARGUMENTS) continue;
    return too_many("arguments or variables of a program", count, QUARRY_LIMIT_ARGUMENTS,
                    "QUARRY_LIMIT_ARGUMENTS");
  }
  const auto size = packed_size(spec);
  if (size <= kMostBytes) return {};
  return too_many("bytes of input, arguments and variables", size, kMostBytes,
                  "QUARRY_LIMIT_PROCESS_INPUT");
}

Status check_size(quarry_text text) {
  if (text.size <= kMostBytes) return {};
  return too_many("bytes of text", text.size, kMostBytes, "QUARRY_LIMIT_REQUEST_BODY");
}

}  // namespace

ChildServices::ChildServices(Outbox& outbox, const Hello& hello) : outbox_(outbox), hello_(hello) {
  fill_log();
  fill_metrics();
  fill_paths();
  fill_secrets();
  fill_process();
  fill_http();
  fill_clock();
  fill_work();
}

const void* ChildServices::find(std::string_view id) const {
  const auto offered = [&](std::uint32_t bit, const void* table) {
    return (hello_.services & bit) != 0 ? table : nullptr;
  };
  if (id == QUARRY_CLOCK) return &clock_;
  if (id == QUARRY_WORK) return &work_;
  if (id == QUARRY_LOG) return offered(kOffersLog, &log_);
  if (id == QUARRY_METRICS) return offered(kOffersMetrics, &metrics_);
  if (id == QUARRY_PATHS) return offered(kOffersPaths, &paths_);
  if (id == QUARRY_SECRETS) return offered(kOffersSecrets, &secrets_);
  if (id == QUARRY_PROCESS) return offered(kOffersProcess, &process_);
  if (id == QUARRY_HTTP) return offered(kOffersHttp, &http_);
  return nullptr;
}

bool ChildServices::take(Kind kind, std::string_view payload) {
  PacketReader packet(payload);
  const auto number = packet.get<std::uint32_t>();
  if (!packet.good()) return false;
  const auto rest = payload.substr(sizeof number);
  const std::lock_guard lock(mutex_);
  const auto found = pending_.find(number);
  if (found == pending_.end()) return true;
  if (kind == Kind::kServiceReply) {
    found->second->reply = rest;
  } else {
    PacketWriter(found->second->parts).text(rest);
  }
  found->second->changed.notify_one();
  return true;
}

std::uint32_t ChildServices::start(Pending& pending, Service service, std::uint32_t parent,
                                   const Fill& arguments) {
  std::unique_lock lock(mutex_);
  do ++last_number_;
  while (last_number_ == 0 || pending_.contains(last_number_));
  const auto number = last_number_;
  pending_.emplace(number, &pending);
  lock.unlock();
  const auto sent = outbox_.send(Kind::kService, parent, [&](PacketWriter& packet) {
    packet.put(number).put(static_cast<std::uint8_t>(service));
    arguments(packet);
  });
  static_cast<void>(sent);  // without the host this process ends
  return number;
}

void ChildServices::finish(Pending& pending, std::uint32_t number, const quarry_call* call,
                           const TakePart& take_part, const quarry_reply* reply) {
  const auto over = wait(pending, number, call, take_part);
  {
    const std::lock_guard lock(mutex_);
    pending_.erase(number);
  }
  PacketReader packet(*pending.reply);
  const auto answer = Answer::read(packet);
  // The host may have had its outcome before it learned of the end: parts are missing.
  if (over != QUARRY_OK && answer.succeeded()) {
    return reply_error(reply, {static_cast<Code>(over), "the plugin ended it before its outcome"});
  }
  answer.replay(reply);
}

void ChildServices::request(Service service, const quarry_call* call, const Fill& arguments,
                            const TakePart& take_part, const quarry_reply* reply) {
  const auto parent = parent_of(call);
  if (parent == 0) return reply_no_call(call, reply);
  Pending pending;
  const auto number = start(pending, service, parent, arguments);
  finish(pending, number, call, take_part, reply);
}

/// Until the outcome has come and every part before it was taken.
quarry_status ChildServices::wait(Pending& pending, std::uint32_t number, const quarry_call* call,
                                  const TakePart& take_part) {
  const auto parent = parent_of(call);
  quarry_status over = QUARRY_OK;
  std::size_t consumed = 0;
  for (;;) {
    std::unique_lock lock(mutex_);
    wait_for_data(pending, lock, over == QUARRY_OK ? call : nullptr);
    const auto parts = std::exchange(pending.parts, {});
    const bool complete = pending.reply.has_value();
    lock.unlock();
    auto status = over;
    if (status == QUARRY_OK && !take_parts(parts, take_part)) status = QUARRY_CANCELLED;
    if (complete) return status;
    if (status == QUARRY_OK) status = call->state(call);
    consumed += parts.size();
    if (status == over && (status != QUARRY_OK || consumed < kWindow / 4)) continue;
    over = status;
    send_credit(number, parent, std::exchange(consumed, 0), status);
  }
}

/// Until something has come, or the state of `call` (null = none) is to be checked: at its
/// deadline, and regularly only if a function of the plugin decides. The host itself ends the
/// requests of its calls.
void ChildServices::wait_for_data(Pending& pending, std::unique_lock<std::mutex>& lock,
                                  const quarry_call* call) {
  const auto has_come = [&] { return !pending.parts.empty() || pending.reply; };
  const auto* table = services::CallTable::find(call);
  if (table == nullptr) return pending.changed.wait(lock, has_come);
  if (table->has_state_function()) {
    pending.changed.wait_for(lock, table->call().max_wait(), has_come);
  } else {
    pending.changed.wait_until(lock, *table->call().deadline, has_come);
  }
}

bool ChildServices::take_parts(std::string_view parts, const TakePart& take_part) {
  PacketReader packet(parts);
  while (packet.good() && !packet.complete()) {
    PacketReader part(packet.text());
    const auto kind = static_cast<Part>(part.get<std::uint8_t>());
    if (take_part(kind, part) != QUARRY_OK) return false;
  }
  return true;
}

void ChildServices::send_credit(std::uint32_t number, std::uint32_t parent, std::size_t bytes,
                                quarry_status status) {
  const auto sent = outbox_.send(Kind::kServiceCredit, parent, [&](PacketWriter& packet) {
    packet.put(number).put(static_cast<std::uint32_t>(bytes)).put(status);
  });
  static_cast<void>(sent);
}

void ChildServices::notice(Kind kind, const Fill& fill) {
  // What was logged before a crash arrives.
  const auto urgency = kind == Kind::kMetric ? Urgency::kSoon : Urgency::kNow;
  const std::uint32_t call = kind == Kind::kLog ? LoggedCall::number() : 0;
  static_cast<void>(outbox_.send(kind, call, fill, urgency));
}

/// Under the mutex: a thread that hides the same value must not log it before the host knows it.
void ChildServices::hide(std::string_view value) {
  const std::lock_guard lock(hiding_);
  if (hidden_.contains(value)) return;
  hidden_.emplace(value);
  notice(Kind::kHide, [&](PacketWriter& packet) { packet.text(value); });
}

void ChildServices::fill_log() {
  log_ = {.struct_size = sizeof log_,
          .context = this,
          .write =
              [](const quarry_log_v1* self, std::int32_t level, quarry_text message) {
                if (level < services_of(self).hello_.log_level) return;
                services_of(self).notice(Kind::kLog, [&](PacketWriter& packet) {
                  packet.put(level).text(as_view(message).substr(0, kMaxLine));
                });
              },
          .enabled = [](const quarry_log_v1* self, std::int32_t level) -> std::int32_t {
            return level >= services_of(self).hello_.log_level ? 1 : 0;
          }};
}

void ChildServices::record(Metric metric, quarry_text name, quarry_text labels, double amount) {
  notice(Kind::kMetric, [&](PacketWriter& packet) {
    packet.put(static_cast<std::uint8_t>(metric)).text(as_view(name)).text(as_view(labels));
    packet.put(amount);
  });
}

void ChildServices::fill_metrics() {
  metrics_ = {
      .struct_size = sizeof metrics_,
      .context = this,
      .count =
          [](const quarry_metrics_v1* self, quarry_text name, quarry_text labels, double amount) {
            services_of(self).record(Metric::kCount, name, labels, amount);
          },
      .gauge = [](const quarry_metrics_v1* self, quarry_text name, quarry_text labels,
                  double value) { services_of(self).record(Metric::kGauge, name, labels, value); },
      .observe =
          [](const quarry_metrics_v1* self, quarry_text name, quarry_text labels, double seconds) {
            services_of(self).record(Metric::kObserve, name, labels, seconds);
          }};
}

void ChildServices::fill_paths() {
  paths_ = {
      .struct_size = sizeof paths_,
      .context = this,
      .cache = [](const quarry_paths_v1* self) { return as_text(services_of(self).hello_.cache); },
      .data = [](const quarry_paths_v1* self) { return as_text(services_of(self).hello_.data); }};
}

void ChildServices::fill_secrets() {
  secrets_ = {.struct_size = sizeof secrets_,
              .context = this,
              .get =
                  [](const quarry_secrets_v1* self, const quarry_call* call, quarry_text name,
                     const quarry_reply* reply) {
                    if (const auto fits = check_size(name); !fits) {
                      return reply_error(reply, fits.error());
                    }
                    services_of(self).request(
                        Service::kSecretsGet, call,
                        [&](PacketWriter& packet) { packet.text(as_view(name)); },
                        [](Part, PacketReader&) { return QUARRY_OK; }, reply);
                  },
              .hide = [](const quarry_secrets_v1* self,
                         quarry_text value) { services_of(self).hide(as_view(value)); }};
}

namespace {

void write_texts(PacketWriter& packet, std::uint32_t count, const quarry_text* texts) {
  packet.put(count);
  for (std::uint32_t i = 0; i < count; ++i) packet.text(as_view(texts[i]));
}

void write_process(PacketWriter& packet, const quarry_process_spec& spec) {
  Fields<quarry_process_spec>::write(packet, spec);
  write_texts(packet, spec.argument_count, spec.arguments);
  write_texts(packet, spec.environment_count, spec.environment);
}

quarry_status give_output(const quarry_process_sink* sink, Part part, PacketReader& packet) {
  if (sink == nullptr) return QUARRY_OK;
  const auto take = part == Part::kOutput ? sink->output : sink->error_output;
  return take == nullptr ? QUARRY_OK : take(sink, as_text(packet.text()));
}

quarry_status give_head(const quarry_http_sink& sink, PacketReader& packet) {
  const auto status = packet.get<std::int32_t>();
  const HeaderList headers(packet);
  return sink.head(&sink, status, headers.count(), headers.data());
}

quarry_status give_response(const quarry_http_sink* sink, Part part, PacketReader& packet) {
  if (sink == nullptr) return QUARRY_OK;
  if (part == Part::kHead) return sink->head == nullptr ? QUARRY_OK : give_head(*sink, packet);
  return sink->data == nullptr ? QUARRY_OK : sink->data(sink, as_text(packet.text()));
}

/// An item of the value of send_all.
std::string response_json(const Outcome<std::string>& outcome) {
  if (outcome) return *outcome;
  return json_object([&](JsonWriter& json) {
    json.object("failure", [&] {
      json.member("status", outcome.failure().status);
      json.member("message", outcome.failure().message).member("hint", outcome.failure().hint);
      if (!outcome.failure().details.empty()) json.raw("details", outcome.failure().details);
    });
  });
}

}  // namespace

void ChildServices::send_some(const quarry_call* call, Requests requests,
                              const quarry_http_sink* const* sinks,
                              std::vector<std::string>& responses) {
  std::deque<Pending> pending(requests.size());
  std::vector<std::uint32_t> numbers;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const bool fits = check_size(*requests[i]).has_value();
    numbers.push_back(!fits ? 0
                            : start(pending[i], Service::kHttpSend, parent_of(call),
                                    [&](PacketWriter& p) { write_request(p, *requests[i]); }));
  }
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const auto* const sink = sinks == nullptr ? nullptr : sinks[i];
    const detail::Heard heard;
    if (numbers[i] == 0) {
      reply_error(heard.reply(), check_size(*requests[i]).error());
    } else {
      finish(
          pending[i], numbers[i], call,
          [&](Part part, PacketReader& packet) { return give_response(sink, part, packet); },
          heard.reply());
    }
    responses.push_back(response_json(heard.outcome()));
  }
}

void ChildServices::send_all(const quarry_call* call, Requests requests,
                             const quarry_http_sink* const* sinks, const quarry_reply* reply) {
  constexpr std::size_t kAtOnce = 16;
  if (parent_of(call) == 0) return reply_no_call(call, reply);
  if (requests.size() > QUARRY_LIMIT_REQUESTS) {
    return reply_error(reply, services::too_many_requests(requests.size()));
  }
  std::vector<std::string> responses;
  while (responses.size() < requests.size()) {
    const auto done = responses.size();
    const auto count = std::min(kAtOnce, requests.size() - done);
    send_some(call, requests.subspan(done, count), sinks == nullptr ? nullptr : sinks + done,
              responses);
    if (const auto state = call->state(call); state != QUARRY_OK) {
      return reply_error(reply, {static_cast<Code>(state), "the call is over"});
    }
  }
  const auto value = json_object([&](JsonWriter& json) { json.raw_array("responses", responses); });
  reply->value(reply, as_text(value));
}

void ChildServices::fill_process() {
  process_ = {
      .struct_size = sizeof process_,
      .context = this,
      .run = [](const quarry_process_v1* self, const quarry_call* call,
                const quarry_process_spec* spec, const quarry_process_sink* sink,
                const quarry_reply* reply) {
        if (const auto fits = check_size(*spec); !fits) return reply_error(reply, fits.error());
        services_of(self).request(
            Service::kProcessRun, call, [&](PacketWriter& packet) { write_process(packet, *spec); },
            [&](Part part, PacketReader& packet) { return give_output(sink, part, packet); },
            reply);
      }};
}

void ChildServices::fill_http() {
  http_ = {
      .struct_size = sizeof http_,
      .context = this,
      .send =
          [](const quarry_http_v1* self, const quarry_call* call,
             const quarry_http_request* request, const quarry_http_sink* sink,
             const quarry_reply* reply) {
            if (const auto fits = check_size(*request); !fits) {
              return reply_error(reply, fits.error());
            }
            services_of(self).request(
                Service::kHttpSend, call,
                [&](PacketWriter& packet) { write_request(packet, *request); },
                [&](Part part, PacketReader& packet) { return give_response(sink, part, packet); },
                reply);
          },
      .permit =
          [](const quarry_http_v1* self, const quarry_call* call, quarry_text url,
             const quarry_reply* reply) {
            if (const auto fits = check_size(url); !fits) return reply_error(reply, fits.error());
            services_of(self).request(
                Service::kHttpPermit, call,
                [&](PacketWriter& packet) { packet.text(as_view(url)); },
                [](Part, PacketReader&) { return QUARRY_OK; }, reply);
          },
      .send_all =
          [](const quarry_http_v1* self, const quarry_call* call, std::uint32_t count,
             const quarry_http_request* const* requests, const quarry_http_sink* const* sinks,
             const quarry_reply* reply) {
            services_of(self).send_all(call, {requests, count}, sinks, reply);
          }};
}

void ChildServices::fill_clock() {
  using namespace std::chrono;
  clock_ = {.struct_size = sizeof clock_,
            .context = this,
            .wall_ms = [](const quarry_clock_v1*) -> std::int64_t {
              return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
            },
            .steady_ns = [](const quarry_clock_v1*) -> std::int64_t {
              return duration_cast<nanoseconds>(steady_clock::now().time_since_epoch()).count();
            },
            .sleep = [](const quarry_clock_v1*, const quarry_call* call,
                        std::int64_t time) -> quarry_status {
              constexpr std::int64_t kDay = 86'400'000;
              if (services::CallTable::find(call) == nullptr) return QUARRY_INVALID_ARGUMENT;
              const services::Call waiting{
                  .state = [call] { return static_cast<Code>(call->state(call)); }};
              const auto slept =
                  services::sleep(waiting, milliseconds(std::clamp<std::int64_t>(time, 0, kDay)));
              return slept ? QUARRY_OK : static_cast<quarry_status>(slept.error().code);
            }};
}

void ChildServices::fill_work() {
  work_ = {
      .struct_size = sizeof work_,
      .context = this,
      .submit = [](const quarry_work_v1* self, void (*job)(void*), void* context) -> quarry_status {
        try {
          const bool taken =
              services_of(self).workers_.try_submit([job, context, call = LoggedCall::number()] {
                const LoggedCall logged(call);
                job(context);
              });
          return taken ? QUARRY_OK : QUARRY_UNAVAILABLE;
        } catch (const std::bad_alloc&) {  // the memory limit of the process
          return QUARRY_RESOURCE_EXHAUSTED;
        }
      },
      .start_loop = [](const quarry_work_v1*, const char* name, void (*run)(void*),
                       void* context) -> quarry_loop* {
        try {
          return reinterpret_cast<quarry_loop*>(new services::NamedLoop(
              name != nullptr ? name : "plugin", [run, context] { run(context); }));
        } catch (const std::system_error&) {
          return nullptr;
        } catch (const std::bad_alloc&) {
          return nullptr;
        }
      },
      .join_loop = [](quarry_loop* loop) { delete reinterpret_cast<services::NamedLoop*>(loop); },
      .concurrency =
          [](const quarry_work_v1* self) {
            return static_cast<std::uint32_t>(services_of(self).workers_.concurrency());
          }};
}

}  // namespace quarry::runner
