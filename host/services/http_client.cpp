#include "services/http_client.h"

#include "services/http_multi.h"
#include "services/http_permit.h"
#include "services/http_transfer.h"

#include <atomic>
#include <unordered_map>
#include <utility>

#include <boost/asio/post.hpp>

namespace quarry::services {

namespace asio = boost::asio;
using std::chrono::steady_clock;

namespace {

using Secrets = std::vector<std::string>;  // one for each header; empty where it has none

std::string value_of(const HttpClient::Environment& environment, const char* name) {
  const char* value = environment ? environment(name) : nullptr;
  return value ? value : "";
}

ProxySettings proxies_of(const HttpClient::Environment& environment) {
  return environment ? ProxySettings(environment) : ProxySettings();
}

std::optional<Secrets> known_secrets(const SecretStore& store, const HttpRequest& request) {
  Secrets values;
  for (const HttpHeader& header : request.headers) {
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

/// One transfer from start to on_end.
struct Entry {
  Entry(asio::io_context& io, HttpRequest asked, HttpCallbacks functions, HttpOptions chosen)
      : request(std::move(asked)),
        callbacks(std::move(functions)),
        options(std::move(chosen)),
        timer(io) {}

  HttpRequest request;
  HttpCallbacks callbacks;
  HttpOptions options;
  std::stop_source fetching;
  std::unique_ptr<HttpTransfer> transfer;  ///< none while a secret is being fetched
  bool running = false;                    ///< libcurl has it
  bool paused = false;
  bool over = false;
  asio::steady_timer timer;
  steady_clock::time_point end = steady_clock::time_point::max();
  steady_clock::time_point last = steady_clock::now();  ///< when something came or went
  std::uint64_t sent = 0;
};

}  // namespace

struct HttpClient::State : std::enable_shared_from_this<State> {
  State(Parts given, const Environment& environment)
      : parts(given),
        context{given.policy, proxies_of(environment), value_of(environment, "SSL_CERT_FILE"),
                value_of(environment, "SSL_CERT_DIR")} {}

  Parts parts;
  HttpContext context;
  std::shared_ptr<HttpMulti> multi;                 ///< none until libcurl is loaded
  std::vector<std::pair<Handle, Secrets>> waiting;  ///< for that
  std::atomic<bool> is_loaded = false;
  std::unordered_map<Handle, Entry> entries;
  std::unordered_map<CURL*, Handle> handles;
  std::atomic<Handle> next = 1;

  /// Runs `work(state)` on the I/O thread while the client is there.
  template <class Work>
  void post(Work work) {
    asio::post(parts.io, [weak = weak_from_this(), work = std::move(work)]() mutable {
      if (const auto state = weak.lock()) work(*state);
    });
  }

  Entry* find(Handle handle) {
    const auto found = entries.find(handle);
    return found == entries.end() ? nullptr : &found->second;
  }

  void admit(Handle handle, HttpRequest request, HttpCallbacks callbacks, HttpOptions options) {
    Entry& entry = entries
                       .try_emplace(handle, parts.io, std::move(request), std::move(callbacks),
                                    std::move(options))
                       .first->second;
    if (entry.options.total.count() > 0) entry.end = entry.last + entry.options.total;
    watch(handle, entry);
    if (const auto known = known_secrets(parts.secrets, entry.request))
      return launch(handle, *known);
    std::vector<std::string> names;
    for (const HttpHeader& header : entry.request.headers) names.push_back(header.secret);
    parts.workers.submit([weak = weak_from_this(), &io = parts.io, &store = parts.secrets, handle,
                          stop = entry.fetching.get_token(), names = std::move(names)] {
      Call call;
      call.stop = stop;
      asio::post(io, [weak, handle, values = fetch_secrets(store, names, call)] {
        if (const auto state = weak.lock()) state->launch(handle, values);
      });
    });
  }

  void launch(Handle handle, const Result<Secrets>& secrets) {
    Entry* const entry = find(handle);
    if (!entry || entry->over) return;
    if (!secrets) return end(handle, secrets.error());
    if (!multi) return wait_for_library(handle, *secrets);
    for (std::size_t i = 0; i < secrets->size(); ++i)
      entry->request.headers[i].value += (*secrets)[i];
    entry->transfer = std::make_unique<HttpTransfer>(context, std::move(entry->request),
                                                     std::move(entry->callbacks), entry->options);
    entry->transfer->set_paused(entry->paused);
    if (auto ready = entry->transfer->prepare(); !ready) return end(handle, ready.error());
    handles[entry->transfer->handle()] = handle;
    run(handle, *entry);
  }

  /// Loading takes long enough to hold up every stream of this thread, so a worker does it.
  void wait_for_library(Handle handle, const Secrets& secrets) {
    waiting.emplace_back(handle, secrets);
    if (waiting.size() > 1) return;
    parts.workers.submit([weak = weak_from_this()] {
      if (const auto state = weak.lock()) state->load();
    });
  }

  /// On a worker: one that will wait for a transfer must not wait for another to load.
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

  void run(Handle handle, Entry& entry) {
    if (auto added = multi->add(entry.transfer->handle()); !added)
      return end(handle, added.error());
    entry.running = true;
  }

  void finish(CURL* easy, CURLcode code) {
    const auto found = handles.find(easy);
    if (found == handles.end()) return;
    const Handle handle = found->second;
    Entry& entry = entries.at(handle);
    multi->remove(easy);
    entry.running = false;
    const auto again = entry.transfer->follow();
    if (!again) return end(handle, again.error());
    if (*again) return run(handle, entry);
    if (!entry.over) end(handle, entry.transfer->outcome(code));
  }

  /// Ends the transfer now. Not from within libcurl.
  void end(Handle handle, Result<HttpOutcome> outcome) {
    auto node = entries.extract(handle);
    if (node.empty()) return;
    Entry& entry = node.mapped();
    entry.fetching.request_stop();
    entry.timer.cancel();
    auto on_end = std::move(entry.transfer ? entry.transfer->callbacks() : entry.callbacks).on_end;
    if (entry.transfer) {
      if (entry.running) multi->remove(entry.transfer->handle());
      handles.erase(entry.transfer->handle());
      entry.transfer.reset();
    }
    if (!outcome) outcome = parts.redactor.redact(std::move(outcome.error()));
    if (on_end) on_end(std::move(outcome));
  }

  void cancel(Handle handle) {
    if (parts.io.get_executor().running_in_this_thread())
      if (Entry* const entry = find(handle)) silence(*entry);
    post([handle](State& state) { state.end(handle, Error{Code::kCancelled, "cancelled"}); });
  }

  static void silence(Entry& entry) {
    entry.over = true;
    if (entry.transfer) entry.transfer->mute();
  }

  void set_paused(Handle handle, bool paused) {
    if (parts.io.get_executor().running_in_this_thread()) note_pause(handle, paused);
    // Going on may call back, so it never happens within the caller's own callback.
    post([handle, paused, here = parts.io.get_executor().running_in_this_thread()](State& state) {
      if (!here) state.note_pause(handle, paused);
      state.go_on(handle);
    });
  }

  void note_pause(Handle handle, bool paused) {
    Entry* const entry = find(handle);
    if (!entry) return;
    entry->paused = paused;
    entry->last = steady_clock::now();
    if (entry->transfer) entry->transfer->set_paused(paused);
  }

  void go_on(Handle handle) {
    Entry* const entry = find(handle);
    if (!entry || entry->paused || entry->over || !entry->running) return;
    if (const CURLcode code = entry->transfer->resume(); code != CURLE_OK)
      finish(entry->transfer->handle(), code);
  }

  void watch(Handle handle, Entry& entry) {
    entry.timer.expires_at(std::min(entry.end, entry.last + entry.options.idle));
    entry.timer.async_wait(
        [weak = weak_from_this(), handle](const boost::system::error_code& error) {
          const auto state = weak.lock();
          if (!error && state) state->look(handle);
        });
  }

  /// Is a time limit over? Looked at only when one may be: it costs nothing while bytes flow.
  void look(Handle handle) {
    Entry* const entry = find(handle);
    if (!entry) return;
    const auto now = steady_clock::now();
    const auto sent = entry->transfer ? entry->transfer->sent() : 0;
    if (entry->transfer) entry->last = std::max(entry->last, entry->transfer->heard());
    if (entry->paused || sent != entry->sent) entry->last = now;
    entry->sent = sent;
    if (now >= entry->end)
      return end(handle, late(*entry, "took longer than", entry->options.total));
    if (now >= entry->last + entry->options.idle)
      return end(handle, late(*entry, "sent nothing for", entry->options.idle));
    watch(handle, *entry);
  }

  static Error late(const Entry& entry, const char* what, std::chrono::milliseconds limit) {
    const std::string who = entry.transfer ? entry.transfer->origin() : "a secret's source";
    return {Code::kDeadlineExceeded, who + " " + what + " " + std::to_string(limit.count()) + " ms",
            "try again, or raise the time limit"};
  }

  void close() {
    if (multi) multi->stop();
    for (auto& [handle, entry] : entries) {
      entry.fetching.request_stop();
      if (entry.running) multi->remove(entry.transfer->handle());
    }
    entries.clear();
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
  state_->post([handle, request = std::move(request), callbacks = std::move(callbacks),
                options = std::move(options)](State& state) mutable {
    state.admit(handle, std::move(request), std::move(callbacks), std::move(options));
  });
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
