#include "services/http_client.h"

#include "services/http_multi.h"
#include "services/http_permit.h"
#include "services/http_transfer.h"

#include <quarry/limits.h>

#include <atomic>
#include <unordered_map>
#include <utility>

#include <boost/asio/post.hpp>

namespace quarry::services {

namespace asio = boost::asio;
using std::chrono::steady_clock;

namespace {

using Secrets = std::vector<std::string>;  // one per header; empty if the header has none

std::string value_of(const HttpClient::Environment& environment, const char* name) {
  const char* value = environment ? environment(name) : nullptr;
  return value ? value : "";
}

ProxySettings proxies_of(const HttpClient::Environment& environment) {
  return environment ? ProxySettings(environment) : ProxySettings();
}

std::optional<Secrets> known_secrets(const SecretStore& store,
                                     const std::vector<HttpHeader>& headers) {
  Secrets values;
  for (const HttpHeader& header : headers) {
    auto value = header.secret.empty() ? std::string() : store.known(header.secret);
    if (!value) return std::nullopt;
    values.push_back(std::move(*value));
  }
  return values;
}

Result<Secrets> fetch_secrets(SecretStore& store, const std::vector<std::string>& names,
                              const Call& call) {
  Secrets values;
  for (const std::string& name : names) {
    auto value = name.empty() ? Result<std::string>("") : store.get(name, call);
    if (!value) return value.error();
    values.push_back(std::move(*value));
  }
  return values;
}

}  // namespace

Error too_many_requests(std::size_t count) {
  return {Code::kInvalidArgument,
          std::to_string(count) + " requests at once, more than " +
              std::to_string(QUARRY_LIMIT_REQUESTS),
          "send them in several calls"};
}

struct HttpClient::State : std::enable_shared_from_this<State> {
  State(Parts given, const Environment& environment)
      : parts(given),
        context{given.policy, proxies_of(environment), value_of(environment, "SSL_CERT_FILE"),
                value_of(environment, "SSL_CERT_DIR")},
        timer(given.io) {}

  Parts parts;
  HttpContext context;
  std::shared_ptr<HttpMulti> multi;                 ///< null until libcurl is loaded
  std::vector<std::pair<Handle, Secrets>> waiting;  ///< for libcurl
  std::atomic<bool> is_loaded = false;
  std::unordered_map<Handle, std::unique_ptr<HttpTransfer>> transfers;
  std::atomic<Handle> next = 1;
  asio::steady_timer timer;  ///< for all time limits
  HttpTransfer::Time next_check = HttpTransfer::Time::max();

  /// Runs `work(state)` on the I/O thread if the client still exists.
  template <class Work>
  void post(Work work) {
    asio::post(parts.io, [weak = weak_from_this(), work = std::move(work)]() mutable {
      if (const auto state = weak.lock()) work(*state);
    });
  }

  HttpTransfer* find(Handle handle) {
    const auto found = transfers.find(handle);
    return found == transfers.end() ? nullptr : found->second.get();
  }

  void admit(std::unique_ptr<HttpTransfer> admitted) {
    const Handle handle = admitted->id();
    HttpTransfer& transfer = *(transfers[handle] = std::move(admitted));
    watch(transfer.due());
    if (const auto known = known_secrets(parts.secrets, transfer.headers()))
      return launch(handle, *known);
    std::vector<std::string> names;
    for (const HttpHeader& header : transfer.headers()) names.push_back(header.secret);
    parts.workers.submit([weak = weak_from_this(), &io = parts.io, &store = parts.secrets, handle,
                          stop = transfer.stops_fetching(), names = std::move(names)] {
      Call call;
      call.stop = stop;
      asio::post(io, [weak, handle, values = fetch_secrets(store, names, call)] {
        if (const auto state = weak.lock()) state->launch(handle, values);
      });
    });
  }

  void launch(Handle handle, const Result<Secrets>& secrets) {
    HttpTransfer* const transfer = find(handle);
    if (!transfer || transfer->muted()) return;
    if (!secrets) return end(handle, secrets.error());
    if (!multi) return wait_for_library(handle, *secrets);
    if (auto ready = transfer->prepare(*secrets); !ready) return end(handle, ready.error());
    run(*transfer);
  }

  /// A worker loads libcurl: loading on this thread would delay every stream.
  void wait_for_library(Handle handle, const Secrets& secrets) {
    waiting.emplace_back(handle, secrets);
    if (waiting.size() > 1) return;
    parts.workers.submit([weak = weak_from_this()] {
      if (const auto state = weak.lock()) state->load();
    });
  }

  /// On a worker: one that will wait for a transfer must not wait for another worker to load
  /// libcurl.
  void load() {
    if (!is_loaded) post([curl = load_curl()](State& state) { state.loaded(curl); });
  }

  void loaded(const Result<Curl>& curl) {
    const Status ready = curl ? use(*curl) : Status(curl.error());
    for (const auto& [handle, secrets] : std::exchange(waiting, {})) {
      ready ? launch(handle, secrets) : end(handle, ready.error());
    }
  }

  Status use(const Curl& curl) {
    if (multi) return {};
    context.curl = curl;
    auto made = HttpMulti::make(parts.io, context.curl,
                                [this](CURL* easy, CURLcode code) { finish(easy, code); });
    if (!made) return made.error();
    multi = std::move(*made);
    is_loaded = true;
    return {};
  }

  void run(HttpTransfer& transfer) {
    if (auto added = multi->add(transfer.handle()); !added)
      return end(transfer.id(), added.error());
    transfer.set_running(true);
    watch(transfer.due());
  }

  void finish(CURL* easy, CURLcode code) {
    HttpTransfer& transfer = HttpTransfer::of(context.curl, easy);
    multi->remove(easy);
    transfer.set_running(false);
    const auto again = transfer.follow();
    if (!again) return end(transfer.id(), again.error());
    if (*again) return run(transfer);
    if (!transfer.muted()) end(transfer.id(), transfer.outcome(code));
  }

  /// Ends the transfer now. Not from within libcurl.
  void end(Handle handle, Result<HttpOutcome> outcome) {
    auto node = transfers.extract(handle);
    if (node.empty()) return;
    HttpTransfer& transfer = *node.mapped();
    if (transfer.running()) multi->remove(transfer.handle());
    const auto on_end = transfer.take_on_end();
    node = {};
    if (!outcome) outcome = parts.redactor.redact(std::move(outcome.error()));
    if (on_end) on_end(std::move(outcome));
  }

  void cancel(Handle handle) {
    if (parts.io.get_executor().running_in_this_thread())
      if (HttpTransfer* const transfer = find(handle)) transfer->mute();
    post([handle](State& state) { state.end(handle, Error{Code::kCancelled, "cancelled"}); });
  }

  void set_paused(Handle handle, bool paused) {
    if (parts.io.get_executor().running_in_this_thread()) note_pause(handle, paused);
    // Resuming may invoke callbacks, so it never happens within the caller's own callback.
    post([handle, paused, here = parts.io.get_executor().running_in_this_thread()](State& state) {
      if (!here) state.note_pause(handle, paused);
      state.go_on(handle);
    });
  }

  void note_pause(Handle handle, bool paused) {
    if (HttpTransfer* const transfer = find(handle)) transfer->set_paused(paused);
  }

  void go_on(Handle handle) {
    HttpTransfer* const transfer = find(handle);
    if (!transfer || transfer->paused() || transfer->muted() || !transfer->running()) return;
    if (const CURLcode code = transfer->resume(); code != CURLE_OK)
      finish(transfer->handle(), code);
  }

  /// Checks the limits at `due` or earlier.
  void watch(HttpTransfer::Time due) {
    if (due >= next_check) return;
    next_check = due;
    timer.expires_at(due);
    timer.async_wait([weak = weak_from_this()](const boost::system::error_code& error) {
      const auto state = weak.lock();
      if (!error && state) state->check_limits();
    });
  }

  /// Ends transfers whose time limit has expired. Runs only when one may have: no cost while bytes
  /// flow.
  void check_limits() {
    const auto now = steady_clock::now();
    std::vector<Handle> late;
    next_check = HttpTransfer::Time::max();
    auto due = next_check;
    for (auto& [handle, transfer] : transfers) {
      if (transfer->is_late(now))
        late.push_back(handle);
      else
        due = std::min(due, transfer->due());
    }
    watch(due);
    for (const Handle handle : late)
      if (HttpTransfer* const transfer = find(handle)) end(handle, transfer->late(now));
  }

  void close() {
    if (multi) multi->stop();
    timer.cancel();
    for (auto& [handle, transfer] : transfers)
      if (transfer->running()) multi->remove(transfer->handle());
    transfers.clear();
    multi.reset();
  }
};

HttpClient::HttpClient(Parts parts, const Environment& environment)
    : state_(std::make_shared<State>(parts, environment)) {}

HttpClient::~HttpClient() {
  state_->close();
}

Result<HttpPermit> HttpClient::permit(const Call& call, std::string_view url,
                                      const std::vector<std::string>& hosts) {
  return find_permit(state_->parts.io, state_->parts.policy, state_->context.proxies, call, url,
                     hosts);
}

HttpClient::Handle HttpClient::start(HttpRequest request, HttpCallbacks callbacks,
                                     HttpOptions options) {
  const Handle handle = state_->next++;
  auto transfer = std::make_unique<HttpTransfer>(state_->context, handle, std::move(request),
                                                 std::move(callbacks), std::move(options));
  state_->post(
      [transfer = std::move(transfer)](State& state) mutable { state.admit(std::move(transfer)); });
  return handle;
}

void HttpClient::load() {
  state_->load();
}

void HttpClient::cancel(Handle handle) {
  state_->cancel(handle);
}

void HttpClient::pause(Handle handle) {
  state_->set_paused(handle, true);
}

void HttpClient::resume(Handle handle) {
  state_->set_paused(handle, false);
}

}  // namespace quarry::services
