#include "base/json.h"
#include "base/schema.h"
#include "cli/connection.h"
#include "cli/event_stream.h"
#include "cli/exit_code.h"
#include "cli/web_session.h"
#include "engine/methods/all_methods.h"
#include "services/http_client.h"

#include <quarry/events.hpp>
#include <quarry/percent.hpp>

#include <algorithm>
#include <mutex>
#include <optional>

#include <nlohmann/json.hpp>

namespace quarry::cli {
namespace {

using services::HttpHead;
using services::HttpOutcome;
using services::HttpRequest;

struct Route {
  std::string_view method;  ///< of the engine
  const char* verb;
  const char* path;
  const char* value = "";  ///< pointer to the method's value in the response
  const char* text = "";   ///< the member of the method's value that is the whole response
};

constexpr Route kRoutes[] = {
    {"resources.list", "GET", "/resources"},
    {"resources.add", "POST", "/config/resources"},
    {"resources.remove", "DELETE", "/config/resources"},
    {"resources.recognise", "POST", "/recognise"},
    {"schemas", "GET", "/openapi.json", "/components/schemas"},
    {"resources.sync", "POST", "/sync"},
    {"resources.show", "GET", "/resources/{name}"},
    {"plugins.reload", "POST", "/plugins/reload"},
    {"cache.clear", "POST", "/clear"},
    {"metrics", "GET", "/metrics", "", "text"},
    {"models.list", "GET", "/providers"},
    {"models.select", "PUT", "/config/model"},
    {"usage.report", "GET", "/usage"},
    {"threads.list", "GET", "/threads"},
    {"threads.show", "GET", "/threads/{id}"},
    {"threads.rename", "PUT", "/threads"},
    {"threads.remove", "DELETE", "/threads/{id}"},
    {"tools.search", "POST", "/tools/search"},
    {"tools.grep", "POST", "/tools/grep"},
    {"tools.symbols", "POST", "/tools/symbols"},
    {"tools.list", "POST", "/tools/list"},
    {"tools.read", "POST", "/tools/read"},
};

const Route* route_of(std::string_view method) {
  const auto* found = std::find_if(std::begin(kRoutes), std::end(kRoutes),
                                   [&](const Route& known) { return known.method == method; });
  return found == std::end(kRoutes) ? nullptr : found;
}

Error cannot_ask(const std::string& method) {
  return {Code::kUnsupported, "a server cannot be asked for " + method,
          "Name a folder, or give --type and --field."};
}

/// Request target: params with a placeholder go into the path, others of a GET into the query.
std::string target(const Route& route, const std::string& params) {
  std::string path = route.path;
  char separator = '?';
  const Json given = *parse_json(params);
  for (const auto& [name, value] : given.items()) {
    if (!value.is_string()) continue;
    const std::string text = to_percent_encoded(value.get<std::string>());
    const std::string place = "{" + name + "}";
    if (const auto at = path.find(place); at != std::string::npos) {
      path.replace(at, place.size(), text);
    } else if (std::string_view(route.verb) == "GET") {
      path.append(1, separator).append(name).append(1, '=').append(text);
      separator = '&';
    }
  }
  return path;
}

/// Events of a transfer, passed from its thread to the waiting one.
class Inbox {
 public:
  services::HttpCallbacks callbacks() {
    return {.on_head = [this](const HttpHead& head) { put([&] { status_ = head.status; }); },
            .on_data = [this](std::string_view bytes) { put([&] { bytes_ += bytes; }); },
            .on_end = [this](Result<HttpOutcome> end) { put([&] { end_ = std::move(end); }); }};
  }
  struct Found {
    int status;
    std::string bytes;
    std::optional<Result<HttpOutcome>> end;
  };
  Found take() {
    std::lock_guard lock(mutex_);
    return {status_, std::exchange(bytes_, {}), std::exchange(end_, {})};
  }
  [[nodiscard]] const Wake& wake() const { return wake_; }

 private:
  template <class Change>
  void put(const Change& change) {
    std::lock_guard lock(mutex_);
    change();
    wake_.notify();
  }

  Wake wake_;
  std::mutex mutex_;
  int status_ = 0;
  std::string bytes_;
  std::optional<Result<HttpOutcome>> end_;
};

class RemoteConnection final : public Connection {
 public:
  RemoteConnection(std::string url, Signals& signals) : Connection(signals), url_(std::move(url)) {
    if (!url_.contains("://")) url_.insert(0, "http://");
    while (url_.ends_with('/')) url_.pop_back();
  }

  Result<std::string> call(const std::string& method, const std::string& params,
                           const OnEvent&) override {
    const Route* route = route_of(method);
    if (route == nullptr) return cannot_ask(method);
    Inbox inbox;
    const auto transfer = web_.client().start(request(route->verb, target(*route, params), params),
                                              inbox.callbacks());
    std::string body;
    for (bool interrupted = false;;) {
      const Inbox::Found found = inbox.take();
      body += found.bytes;
      if (found.end) {
        if (interrupted) return Error{Code::kCancelled, "interrupted"};
        if (!*found.end) return found.end->error();
        return value_in(found.status, body, *route);
      }
      if (!signals().wait(inbox.wake().fd())) continue;
      interrupted = true;
      web_.client().cancel(transfer);
    }
  }

  Status ask(const std::string& params, const OnAnswer& on_answer) override {
    Inbox inbox;
    const auto transfer = web_.client().start(
        request("POST", std::string(kAskPath) + "?events=extended", params), inbox.callbacks());
    std::string id;  // once it is known
    bool ended = false;
    bool is_read = true;
    std::string unreadable;  // the type of the first event with other members
    EventStream stream([&](std::string_view type, std::string_view json) {
      const auto known = event_named(type);
      ended = ended || (known && is_last(*known));
      if (!unreadable.empty()) return;
      try {
        if (known == EventType::kMeta) id = id_of(json);
        is_read = on_answer(type, json) && is_read;
      } catch (const Json::exception&) {
        unreadable = type;
      }
    });
    const auto abandon = [&] {
      web_.client().cancel(transfer);
      // Waits for the end before the inbox is destroyed.
      while (!inbox.take().end) signals().wait(inbox.wake().fd());
    };
    std::string refused;
    int status = 0;
    for (bool stopped = false;;) {
      const Inbox::Found found = inbox.take();
      status = found.status;
      if (status >= 400) {
        refused += found.bytes;
      } else {
        stream.feed(found.bytes);
      }
      if (!unreadable.empty()) {
        if (!found.end) abandon();
        return other_version(kAskPath, {{"", "the event " + unreadable + " has another form"}});
      }
      if (found.end && status >= 400) return refusal(status, refused, kAskPath);
      if (found.end && *found.end && id.empty()) return stranger(status, kAskPath);
      if (found.end) return end_of(*found.end, ended);
      const bool is_useless = !is_read && !stopped && !id.empty();
      if (!is_useless && !signals().wait(inbox.wake().fd())) continue;
      if (stopped || id.empty()) {
        abandon();
        return Error{Code::kCancelled, "interrupted"};
      }
      stopped = true;
      web_.client().start(request("POST", "/question/" + id + "/stop", "{}"), {});
    }
  }

 private:
  HttpRequest request(std::string method, const std::string& path, const std::string& body) const {
    HttpRequest out{std::move(method), url_ + path, {{"Accept", "*/*"}}, {}};
    if (!token_.empty()) out.headers.push_back({"Authorization", "Bearer " + token_});
    if (out.method == "GET") return out;
    out.headers.push_back({"Content-Type", "application/json"});
    out.body = body;
    return out;
  }

  static std::string id_of(std::string_view meta) {
    const auto event = parse_json(meta);
    return event && event->is_object() ? event->value("id", "") : "";
  }

  /// The error in a response, or that it is none of Quarry's.
  [[nodiscard]] Error refusal(int status, const std::string& body, const std::string& path) const {
    const auto json = parse_json(body);
    const bool is_ours = json && json->is_object() && json->contains("tag");
    return is_ours ? error_from_json(body) : stranger(status, path);
  }

  [[nodiscard]] Error stranger(int status, const std::string& path) const {
    return Error{Code::kUnavailable,
                 "what answers at " + url_ + " is no Quarry: its answer to " + path +
                     " has status " + std::to_string(status) + " and another form",
                 "Give the address that \"quarry serve\" prints."};
  }

  Result<std::string> value_in(int status, const std::string& body, const Route& route) const {
    if (status >= 400) return refusal(status, body, route.path);
    if (*route.text != '\0') return to_text({{route.text, body}});
    const auto json = parse_json(body);  // every method of an engine has an object
    const Json::json_pointer at(route.value);
    if (!json || !json->is_object() || !json->contains(at)) return stranger(status, route.path);
    const Json& value = (*json)[at];
    const auto* const row = engine::all_methods().find(route.method);
    auto mistakes = compiled_schema(row->method.result).check(value, Schema::Unknown::kIgnore);
    if (!mistakes.empty()) return other_version(route.path, std::move(mistakes));
    return at.empty() ? body : to_text(value);
  }

  /// `mistakes`: in an answer by the schema of this version, which later ones only add to.
  [[nodiscard]] Error other_version(const std::string& path,
                                    std::vector<FieldError> mistakes) const {
    Error error = invalid("what answers at " + url_ +
                              " is no Quarry, or one of another version: in its answer to " + path,
                          "", std::move(mistakes));
    error.code = Code::kUnavailable;
    error.hint = "Give the address that \"quarry serve\" prints.";
    error.details.clear();
    return error;
  }

  static Status end_of(const Result<HttpOutcome>& end, bool had_last_event) {
    if (!end) return end.error();
    if (had_last_event) return {};
    return Error{Code::kUnavailable, "the server closed the stream in the middle of the answer",
                 "Ask again."};
  }

  static constexpr const char* kAskPath = "/question/stream";

  std::string url_;
  const std::string token_ = token_for_servers();
  WebSession web_;
};

}  // namespace

Result<std::unique_ptr<Connection>> connect_to_server(const std::string& url, Signals& signals) {
  return std::make_unique<RemoteConnection>(url, signals);
}

}  // namespace quarry::cli
