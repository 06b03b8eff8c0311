// The parts of the frozen host: output, calls, replies, and the tables that it offers.
#pragma once

#include <quarry/limits.h>
#include <quarry/model.h>
#include <quarry/pricing.h>
#include <quarry/resource.h>
#include <quarry/services.h>
#include <quarry/transport.h>

#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace frozen {

inline std::string_view view(quarry_text text) {
  return {text.data == nullptr ? "" : text.data, text.size};
}
inline quarry_text text(std::string_view view) {
  return {view.data(), view.size()};
}
std::string json_text(std::string_view text);
const char* status_name(quarry_status status);

/// One line of JSON on standard output, printed when it is destroyed.
class Line {
 public:
  Line(const char* key, std::string_view value) { with(key, value); }
  ~Line();
  Line& with(const char* key, std::string_view value) { return json(key, json_text(value)); }
  Line& with(const char* key, std::int64_t value) { return json(key, std::to_string(value)); }
  Line& json(const char* key, std::string_view value);

 private:
  std::string members_;
};

struct Failure {
  quarry_status status = QUARRY_INTERNAL;
  std::string message;
  std::string hint;
  std::string details;

  void use(const quarry_reply* reply) const;
};

/// Receives one outcome.
class Reply {
 public:
  Reply();
  Reply(const Reply&) = delete;
  Reply& operator=(const Reply&) = delete;
  const quarry_reply* get() const { return &table_; }
  /// The value, or nothing after a failure. Prints the outcome as that of `function`.
  std::optional<std::string> take(std::string_view function);

 private:
  quarry_reply table_;
  int outcomes_ = 0;
  Failure failure_;
  std::string value_;
};

using Clock = std::chrono::steady_clock;

/// The calls that are open; a service refuses any other.
class Calls {
 public:
  const quarry_call* open(const quarry_call* parent, std::int64_t timeout_ms,
                          quarry_status (*ended)(void*), void* context);
  void close(const quarry_call* call);
  /// QUARRY_INVALID_ARGUMENT for a call that is not open.
  quarry_status state(const quarry_call* call);
  std::int64_t remaining_ms(const quarry_call* call);

 private:
  struct Open {
    quarry_call table;
    const quarry_call* parent;
    Clock::time_point deadline;
    quarry_status (*state)(void*);
    void* context;
  };
  std::optional<Open> find(const quarry_call* call);

  std::mutex mutex_;
  std::map<const quarry_call*, Open*> open_;
};
Calls& calls();

/// What the owner of the host permits.
struct Settings {
  std::string folder;
  std::vector<std::string> programs;
  std::map<std::string, std::string> secrets;
};
Settings& settings();

const quarry_host* host();
/// Waits for jobs that were submitted.
void join_jobs();

std::optional<Failure> run_process(const quarry_call* call, const quarry_process_spec& spec,
                                   const quarry_process_sink& sink, std::string& value);

constexpr int kUsualRedirects = 5;

/// An HTTP request with its secrets filled in.
struct Request {
  std::string method, url, body;
  std::vector<std::pair<std::string, std::string>> headers;
  std::int64_t timeout_ms = 0;
  int redirects = kUsualRedirects;
  bool stops_at_redirect = false;  // the one after these is the response
};
struct Response {
  int status = 0;
  bool complete = false;
  std::string url, body;
  std::vector<std::pair<std::string, std::string>> headers;
};
std::optional<Failure> fill(const quarry_http_request& from, Request& to);
std::optional<Failure> fetch(const quarry_call* call, Request request, Response& response);
std::optional<Failure> check_url(std::string_view url, std::string& host, std::string& port);
/// Calls `use` with the response's headers as the contract has them.
template <class Use>
auto with_headers(const Response& response, Use use) {
  std::vector<quarry_header> headers;
  std::vector<const quarry_header*> pointers;
  for (const auto& [name, value] : response.headers)
    headers.push_back({sizeof(quarry_header), text(name), text(value), {nullptr, 0}});
  for (const quarry_header& header : headers) pointers.push_back(&header);
  return use(static_cast<std::uint32_t>(pointers.size()), pointers.data());
}

/// Runs a function of a component's table; false if the kind has none of that name.
struct Instance {
  const quarry_component* component;
  void* self;
};
using Arguments = std::vector<std::string>;
bool run_resource(const Instance& instance, const std::string& function, const Arguments& words);
bool run_model(const Instance& instance, const std::string& function, const Arguments& words);
bool run_pricing(const Instance& instance, const std::string& function, const Arguments& words);
bool run_transport(const Instance& instance, const std::string& function, const Arguments& words);

}  // namespace frozen
