#include "exchange.h"

#include "admission.h"
#include "http_server/bearer.h"
#include "http_server/percent.h"
#include "http_server/sse.h"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

namespace quarry::mcp {
namespace {

using http_server::Request;
using http_server::Response;
using std::chrono::duration_cast;
using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr std::string_view kBatchVersion = "2025-03-26";  // the only revision that has batches
constexpr std::size_t kRoute = 0;                         // the MCP URL's route in Traffic

Response accepted() {
  Response response;
  response.status = 202;
  response.content_type = {};
  return response;
}

std::vector<std::string> named_projects(const Request& request) {
  std::vector<std::string> names;
  for (const http_server::Header& header : request.headers) {
    if (http_server::equal_ignoring_case(header.name, "X-Project"))
      names.emplace_back(header.value);
  }
  for (const std::string_view value : request.parameters("project")) {
    names.push_back(http_server::percent_decoded(value).value_or(std::string(value)));
  }
  std::erase(names, "");
  return names;
}

}  // namespace

Exchange::Exchange(Surface& surface, const Request& request, http_server::Responder responder,
                   std::string headers)
    : surface_(surface),
      responder_(std::move(responder)),
      method_(request.method),
      credentials_(surface.credentials_of(request)),
      head_(read_head(request)),
      headers_(std::move(headers)),
      peer_(credentials_.peer) {
  caller_.projects = named_projects(request);
  const auto structured = request.parameters("structured");
  caller_.structured = std::ranges::find(structured, "true") != structured.end();
  caller_.request = request.id;
  caller_.traceparent = http_server::traceparent(request);
  if (!surface_.traffic().wants_lines()) return;
  line_ = std::make_unique<http_server::Traffic::Line>(
      http_server::Traffic::Line{method_, std::string(request.path), caller_.request});
}

Exchange::~Exchange() {
  if (streaming_) surface_.traffic().stream_closed();
  if (listening_) surface_.forget_listener(caller_.principal);
}

// Admission

void Exchange::admit(const Credentials& credentials, bool count, Access::Admitted done) {
  surface_.access().admit(credentials, count,
                          [self = shared_from_this(),
                           done = std::move(done)](std::expected<Admission, Denial> outcome) {
                            self->post([done, outcome = std::move(outcome)] { done(outcome); });
                          });
}

void Exchange::begin() {
  admit(credentials_, true, [self = shared_from_this()](const auto& outcome) {
    if (outcome) self->caller_.principal = outcome->principal;
    if (auto refused = refusal_of(outcome)) return self->send(std::move(*refused));
    self->begin(*outcome, {});
  });
}

void Exchange::begin(const Admission& admission, std::string_view body) {
  budget_ = budget_lines(admission);
  caller_.principal = admission.principal;
  caller_.rights = admission.rights;
  if (method_ == "POST") return read_messages(body);
  with_live_session([self = shared_from_this()] {
    self->method_ == "DELETE" ? self->end_session() : self->open_listening_stream();
  });
}

/// Runs `next` if the request names no session or a live one of this principal; else responds 404.
void Exchange::with_live_session(std::function<void()> next) {
  if (head_.session.empty() || !surface_.options().sessions) return next();
  surface_.access().check_session(
      caller_.principal, head_.session,
      [self = shared_from_this(), next = std::move(next)](bool live) {
        self->post([self, next, live] {
          if (live) return next();
          self->send(plain_error(404, "there is no such session: initialize a new one"));
        });
      });
}

void Exchange::end_session() {
  surface_.access().end_session(
      caller_.principal, head_.session, [self = shared_from_this()](bool ended) {
        self->post([self, ended] {
          self->send(ended ? Response::json("{}") : plain_error(404, "there is no such session"));
        });
      });
}

/// The stream of a GET carries only heartbeat comments.
void Exchange::open_listening_stream() {
  if (!head_.takes_events) {
    Response response = plain_error(405, "GET needs \"Accept: text/event-stream\"");
    response.headers = "Allow: POST\r\n";
    return send(std::move(response));
  }
  if (!surface_.may_listen(caller_.principal)) {
    return send(too_many("the stream limit of this token is reached", seconds(10)));
  }
  listening_ = true;
  surface_.add_listener(caller_.principal, shared_from_this());
  start_stream();
  audit_without_call(200);
}

// Requests

void Exchange::read_messages(std::string_view body) {
  messages_ = parse_messages(body);
  if (messages_.problem) return refuse_all(*messages_.problem);
  if (!messages_.is_batch) return run_in_session();
  if (!may_batch()) {
    return refuse_all({kInvalidRequest, "only protocol revision 2025-03-26 has batches"});
  }
  count_messages(messages_.all.size() - 1);
}

/// Each message of a batch counts as a request of the token; the first is counted already.
void Exchange::count_messages(std::size_t left) {
  if (left == 0) return run_in_session();
  admit(credentials_, true, [self = shared_from_this(), left](const auto& outcome) {
    if (auto refused = refusal_of(outcome)) {
      self->budget_.clear();
      return self->send(std::move(*refused));
    }
    self->budget_ = budget_lines(*outcome);
    self->count_messages(left - 1);
  });
}

void Exchange::run_in_session() {
  const bool is_legacy = std::ranges::any_of(messages_.all, [&](const Message& message) {
    return era_of(head_, message) == Era::kLegacy;
  });
  if (!is_legacy) return run_messages();
  with_live_session([self = shared_from_this()] { self->run_messages(); });
}

bool Exchange::may_batch() const {
  return head_.version.value_or(std::string(kBatchVersion)) == kBatchVersion;
}

void Exchange::run_messages() {
  running_all_ = true;
  for (Message& message : messages_.all) run(std::move(message));
  running_all_ = false;
  if (calls_.empty()) conclude();
}

void Exchange::run(Message message) {
  const Era era = era_of(head_, message);
  if (auto why = check_message(head_, message, era, messages_.is_batch)) {
    return refuse(message, std::move(*why));
  }
  if (message.kind == Message::Kind::kResponse) return;
  if (message.kind == Message::Kind::kNotification) return take_notification(message);
  const bool listens = era == Era::kModern && message.method == "subscriptions/listen";
  if (listens && !head_.takes_events) {
    return send(plain_error(406, "subscriptions/listen needs \"Accept: text/event-stream\""));
  }
  if (listens && !surface_.may_listen(caller_.principal)) {
    return send(too_many("the stream limit of this token is reached", seconds(10)));
  }
  if (listens) surface_.add_listener(caller_.principal, shared_from_this());
  listening_ = listens;
  auto call = std::make_shared<Call>(std::move(message), era, head_, caller_, shared_from_this());
  calls_.push_back(call);
  surface_.running().add(call);
  surface_.methods().run(call, true);
}

void Exchange::take_notification(const Message& message) {
  const Json* const id = find(*message.params, "requestId");
  if (message.method != "notifications/cancelled" || id == nullptr) return;
  surface_.running().cancel(caller_.principal, head_.session, dump(*id));
}

/// A caller without signs of MCP gets the plain error body, unless the request is a batch.
void Exchange::refuse(const Message& message, Refused why) {
  const bool shows_mcp = head_.shows_mcp || messages_.is_batch ||
                         (message.params && era_of(head_, message) != Era::kInterface);
  if (!shows_mcp) return send(plain_error(why.status, why.error.message));
  const bool id_is_wrong = why.error.code == kInvalidRequest && !message.has_plain_id;
  collect(error_message(id_is_wrong ? "null" : message.id, why.error), why.status);
  if (!running_all_) send_collected();
}

/// Responds with one error for the whole body.
void Exchange::refuse_all(const RpcError& error) {
  messages_.is_batch = false;
  refuse({}, {400, error});
}

// Responses

void Exchange::open(Call&) {
  if (streaming_ || sent_) return;
  if (head_.takes_events) return start_stream();
  if (std::exchange(watched_, true)) return;
  responder_.on_closed([self = shared_from_this()] { self->client_disconnected(); });
  heartbeat();
}

void Exchange::start_stream() {
  if (streaming_ || sent_) return;
  streaming_ = true;
  Response head;
  head.content_type = "text/event-stream";
  head.headers = "Cache-Control: no-cache\r\nX-Accel-Buffering: no\r\n" + headers_ + budget_;
  surface_.traffic().answered(kRoute, 200, line_.get());
  surface_.traffic().stream_opened();
  responder_.start_stream(head);
  if (!std::exchange(watched_, true)) {
    responder_.on_closed([self = shared_from_this()] { self->client_disconnected(); });
  }
  std::string first;
  http_server::append_comment(first, "open");
  responder_.write(first);
  last_write_ = steady_clock::now();
  for (const std::string& message : collected_) write_event(message);
  collected_.clear();
  heartbeat();
}

/// Sends a sign of life if nothing was sent for a while, and ends the request at its time limit.
void Exchange::heartbeat() {
  const auto now = steady_clock::now();
  const SurfaceOptions& options = surface_.options();
  if (now - begin_ >= options.longest) {
    const auto calls = calls_;
    for (const auto& call : calls) call->end(End::kTimeOut);
    return end();
  }
  if (streaming_ && now - last_write_ >= options.heartbeat) {
    std::string comment;
    http_server::append_comment(comment, "still here");
    if (responder_.unsent() == 0) responder_.write(comment);
    last_write_ = now;
    for (const auto& call : calls_) call->step();
  }
  const auto next = streaming_ ? std::min(last_write_ + options.heartbeat, begin_ + options.longest)
                               : begin_ + options.longest;
  responder_.after(std::max(std::chrono::ceil<milliseconds>(next - now), milliseconds(1)),
                   [self = shared_from_this()] { self->heartbeat(); });
}

/// Listening streams do not count as requests, but end with their token.
void Exchange::check_token() {
  // Without the peer: wrong tokens from the same peer must not keep a revoked token's streams open.
  admit({credentials_.token, {}}, false, [self = shared_from_this()](const auto& outcome) {
    if (outcome || outcome.error().cause != Denial::Cause::kWrongToken) return;
    self->surface_.end_listeners(self->caller_.principal);
  });
}

void Exchange::end_listening() {
  client_disconnected();
  end();
}

void Exchange::write_event(std::string_view message) {
  std::string event;
  http_server::append_message(event, message);
  responder_.write(event);
  last_write_ = steady_clock::now();
}

void Exchange::notify(Call& call, std::string_view message) {
  open(call);
  if (streaming_) write_event(message);
}

bool Exchange::is_full() const {
  return streaming_ && responder_.unsent() > 0;
}

void Exchange::finish(Call& call, const Answer& answer) {
  surface_.running().remove(call);
  const auto self = shared_from_this();  // the call may hold the last reference to this
  std::erase_if(calls_, [&](const auto& one) { return one.get() == &call; });
  const bool alone = !messages_.is_batch && !streaming_;
  if (answer.retry_after && alone) {
    audit(call, 429);
    return send(too_many(answer.refusal, *answer.retry_after));
  }
  audit(call, streaming_ ? 200 : answer.status);
  if (call.cancelled() && streaming_) {
    if (calls_.empty()) end();
    return;
  }
  collect(render(call, answer, surface_.offer()), answer.status);
  opens_session_ = call.message().method == "initialize" && !answer.error;
  if (calls_.empty() && !running_all_) conclude();
}

/// Finishes the response after its last message.
void Exchange::conclude() {
  if (!opens_session_ || !surface_.options().sessions) return send_collected();
  surface_.access().open_session(caller_.principal,
                                 [self = shared_from_this()](const std::string& session) {
                                   self->post([self, session] { self->session_opened(session); });
                                 });
}

void Exchange::session_opened(const std::string& session) {
  if (!session.empty()) headers_ += "Mcp-Session-Id: " + session + "\r\n";
  send_collected();
}

void Exchange::collect(std::string message, int status) {
  if (streaming_) return write_event(message);
  if (!messages_.is_batch) status_ = status;
  collected_.push_back(std::move(message));
}

void Exchange::send_collected() {
  if (sent_) return;
  if (streaming_) return end();
  if (collected_.empty()) return send(accepted());
  if (!head_.takes_json && status_ == 200) {
    start_stream();
    return end();
  }
  std::string body;
  for (const std::string& message : collected_) {
    body.append(body.empty() ? "" : ",").append(message);
  }
  Response response = Response::json(messages_.is_batch ? "[" + body + "]" : std::move(body));
  response.status = status_;
  send(std::move(response));
}

void Exchange::send(Response response) {
  if (std::exchange(sent_, true)) return;
  surface_.traffic().answered(kRoute, response.status, line_.get());
  audit_without_call(response.status);
  response.headers += headers_ + budget_;
  responder_.send(std::move(response));
}

void Exchange::end() {
  if (std::exchange(sent_, true)) return;
  audit_without_call(200);
  responder_.end_stream();
}

/// A disconnect cancels the calls of a modern client or a bare caller, but not of a legacy client.
void Exchange::client_disconnected() {
  const auto calls = calls_;
  for (const auto& call : calls) {
    if (call->era() != Era::kLegacy) call->end(End::kDisconnected);
  }
}

void Exchange::audit(const Call& call, int status) {
  audited_ = true;
  surface_.access().record({caller_.request,
                            caller_.principal,
                            {},
                            call.project,
                            call.message().method,
                            call.tool,
                            status,
                            duration_cast<milliseconds>(steady_clock::now() - call.begin),
                            call.cancelled(),
                            call.question});
}

/// Writes the audit record of a request that led to no call.
void Exchange::audit_without_call(int status) {
  if (std::exchange(audited_, true)) return;
  Record record;
  record.request = caller_.request;
  record.principal = caller_.principal;
  if (record.principal.empty()) record.peer = peer_;
  record.method = messages_.all.size() == 1 ? messages_.all.front().method : std::string();
  if (record.method.empty()) record.method = method_;
  record.status = status;
  record.took = duration_cast<milliseconds>(steady_clock::now() - begin_);
  if (record.principal.empty() || status == 429) return surface_.refused(std::move(record));
  surface_.access().record(record);
}

}  // namespace quarry::mcp
