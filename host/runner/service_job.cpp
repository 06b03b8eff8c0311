#include "runner/service_job.h"

#include "runner/fields.h"
#include "runner/frame.h"
#include "runner/http_packet.h"
#include "services/call_table.h"

#include <quarry/host.hpp>
#include <quarry/outcome.hpp>
#include <quarry/services.h>

#include <vector>

namespace quarry::runner {
namespace {

/// Arguments or variables of one request.
constexpr std::uint32_t kMostTexts = 10'000;

/// Of a streamed part in the receiver's count: its kind, and its length there.
constexpr std::size_t kPartOverhead = 1 + 4;

ServiceJob& job_of(void* context) {
  return *static_cast<ServiceJob*>(context);
}

void reply_malformed(const quarry_reply* reply) {
  reply_error(reply, {Code::kInternal, "the plugin's process asked for a service in a wrong form"});
}

/// Refuses a service that the manifest does not permit: the runner may ask for any.
void reply_missing(const quarry_reply* reply) {
  reply_error(reply, {Code::kPermissionDenied, "the manifest does not permit this service"});
}

std::vector<quarry_text> read_texts(PacketReader& packet) {
  std::vector<quarry_text> texts;
  const auto count = packet.get<std::uint32_t>();
  for (std::uint32_t i = 0; i < count && i < kMostTexts && packet.good(); ++i) {
    texts.push_back(as_text(packet.text()));
  }
  return texts;
}

void record_metric(const quarry_metrics_v1& metrics, PacketReader& packet) {
  const auto kind = static_cast<Metric>(packet.get<std::uint8_t>());
  const auto name = as_text(packet.text());
  const auto labels = as_text(packet.text());
  const auto amount = packet.get<double>();
  if (!packet.good()) return;
  if (kind == Metric::kCount) metrics.count(&metrics, name, labels, amount);
  if (kind == Metric::kGauge) metrics.gauge(&metrics, name, labels, amount);
  if (kind == Metric::kObserve) metrics.observe(&metrics, name, labels, amount);
}

}  // namespace

ServiceJob::ServiceJob(const quarry_host& host, Outbox& outbox, std::uint32_t call,
                       const quarry_call* outer, std::string payload)
    : host_(host),
      outbox_(outbox),
      call_(call),
      outer_(outer),
      payload_(std::move(payload)),
      arguments_(payload_),
      number_(arguments_.get<std::uint32_t>()),
      part_(services::open_call({.parent = outer, .state = state, .context = this})) {}

ServiceJob::~ServiceJob() {
  services::close_call(part_);
}

quarry_status ServiceJob::state(void* self) {
  return job_of(self).over_;
}

Status ServiceJob::check() const {
  return services::CallTable::find(part_)->call().check();
}

bool ServiceJob::credit(std::uint32_t bytes, quarry_status status) {
  const bool ended = status != QUARRY_OK && end(status);
  window_.give(bytes, status);
  return ended;
}

bool ServiceJob::end(quarry_status status) {
  quarry_status none = QUARRY_OK;
  return over_.compare_exchange_strong(none, status);
}

/// A service that failed because its call is over may name another cause, such as the sink.
void ServiceJob::run() {
  RecordedReply reply;
  dispatch(reply.table());
  if (!reply.succeeded() && !check()) return refuse();
  send(reply);
}

void ServiceJob::refuse() {
  tell_end_of_call();
  RecordedReply reply;
  if (const auto wanted = check(); !wanted) reply_error(reply.table(), wanted.error());
  send(reply);
}

/// The runner learns that its call is over before its requests fail because of that.
void ServiceJob::tell_end_of_call() {
  const auto state = outer_ == nullptr ? QUARRY_OK : outer_->state(outer_);
  if (state == QUARRY_OK) return;
  const auto sent = outbox_.send(
      Kind::kCancel, call_, [&](PacketWriter& packet) { packet.put(state); }, Urgency::kWithNext);
  static_cast<void>(sent);
}

void ServiceJob::send(const RecordedReply& reply) {
  const auto sent = outbox_.send(Kind::kServiceReply, call_, [&](PacketWriter& packet) {
    packet.put(number_);
    reply.write(packet);
  });
  static_cast<void>(sent);  // the connection reports its own end
}

void ServiceJob::dispatch(const quarry_reply* reply) {
  const auto service = arguments_.get<std::uint8_t>();
  if (!arguments_.good()) return reply_malformed(reply);
  switch (static_cast<Service>(service)) {
    case Service::kHttpSend:
      return send_http(reply);
    case Service::kHttpPermit:
      return permit_http(reply);
    case Service::kProcessRun:
      return run_process(reply);
    case Service::kSecretsGet:
      return get_secret(reply);
  }
  reply_malformed(reply);
}

template <class Fill>
quarry_status ServiceJob::give(Part part, std::size_t size, Fill fill) {
  const auto status = window_.take(size, [this] { return part_->state(part_); });
  if (status != QUARRY_OK) return status;
  const auto sent = outbox_.send(Kind::kServiceData, call_, [&](PacketWriter& packet) {
    packet.put(number_).put(static_cast<std::uint8_t>(part));
    fill(packet);
  });
  return sent ? QUARRY_OK : QUARRY_CANCELLED;
}

quarry_status ServiceJob::give_bytes(Part part, quarry_text bytes) {
  const auto size = kPartOverhead + 4 + bytes.size;
  return give(part, size, [&](PacketWriter& packet) { packet.text(as_view(bytes)); });
}

quarry_status ServiceJob::give_head(std::int32_t status, std::uint32_t count,
                                    const quarry_header* const* headers) {
  std::string head;
  PacketWriter written(head);
  written.put(status);
  write_headers(written, count, headers);
  return give(Part::kHead, kPartOverhead + head.size(),
              [&](PacketWriter& packet) { packet.raw(head); });
}

void ServiceJob::send_http(const quarry_reply* reply) {
  const auto* http = Host(&host_).service<quarry_http_v1>(QUARRY_HTTP);
  if (http == nullptr) return reply_missing(reply);
  const ReceivedRequest request(arguments_);
  if (!arguments_.complete()) return reply_malformed(reply);
  const quarry_http_sink sink{.struct_size = sizeof(quarry_http_sink),
                              .context = this,
                              .head =
                                  [](const quarry_http_sink* self, std::int32_t status,
                                     std::uint32_t count, const quarry_header* const* received) {
                                    return job_of(self->context).give_head(status, count, received);
                                  },
                              .data =
                                  [](const quarry_http_sink* self, quarry_text bytes) {
                                    return job_of(self->context).give_bytes(Part::kData, bytes);
                                  }};
  http->send(http, part_, request.get(), &sink, reply);
}

void ServiceJob::permit_http(const quarry_reply* reply) {
  const auto* http = Host(&host_).service<quarry_http_v1>(QUARRY_HTTP);
  if (http == nullptr) return reply_missing(reply);
  const auto url = as_text(arguments_.text());
  if (!arguments_.complete()) return reply_malformed(reply);
  http->permit(http, part_, url, reply);
}

void ServiceJob::run_process(const quarry_reply* reply) {
  const auto* process = Host(&host_).service<quarry_process_v1>(QUARRY_PROCESS);
  if (process == nullptr) return reply_missing(reply);
  auto spec = Fields<quarry_process_spec>::read<quarry_process_spec>(arguments_);
  const auto arguments = read_texts(arguments_);
  const auto environment = read_texts(arguments_);
  if (!arguments_.complete()) return reply_malformed(reply);
  spec.argument_count = static_cast<std::uint32_t>(arguments.size());
  spec.arguments = arguments.data();
  spec.environment_count = static_cast<std::uint32_t>(environment.size());
  spec.environment = environment.data();
  const quarry_process_sink sink{
      .struct_size = sizeof(quarry_process_sink),
      .context = this,
      .output =
          [](const quarry_process_sink* self, quarry_text bytes) {
            return job_of(self->context).give_bytes(Part::kOutput, bytes);
          },
      .error_output =
          [](const quarry_process_sink* self, quarry_text bytes) {
            return job_of(self->context).give_bytes(Part::kErrorOutput, bytes);
          }};
  process->run(process, part_, &spec, &sink, reply);
}

void ServiceJob::get_secret(const quarry_reply* reply) {
  const auto* secrets = Host(&host_).service<quarry_secrets_v1>(QUARRY_SECRETS);
  if (secrets == nullptr) return reply_missing(reply);
  const auto name = as_text(arguments_.text());
  if (!arguments_.complete()) return reply_malformed(reply);
  secrets->get(secrets, part_, name, reply);
}

bool take_notice(const quarry_host& host, Kind kind, std::string_view payload) {
  PacketReader packet(payload);
  if (kind == Kind::kLog) {
    const auto level = packet.get<std::int32_t>();
    const auto message = as_text(packet.text());
    const auto* log = Host(&host).service<quarry_log_v1>(QUARRY_LOG);
    if (packet.good() && log != nullptr) log->write(log, level, message);
  } else if (kind == Kind::kHide) {
    const auto secret = as_text(packet.text());
    const auto* secrets = Host(&host).service<quarry_secrets_v1>(QUARRY_SECRETS);
    if (packet.good() && secrets != nullptr) secrets->hide(secrets, secret);
  } else {
    const auto* metrics = Host(&host).service<quarry_metrics_v1>(QUARRY_METRICS);
    if (metrics == nullptr) return true;
    record_metric(*metrics, packet);
  }
  return packet.complete();
}

}  // namespace quarry::runner
