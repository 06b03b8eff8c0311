#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace quarry::mcp {

/// Requests of a token in its current minute.
struct RequestBudget {
  std::int64_t limit = 0;
  std::int64_t remaining = 0;
  std::chrono::milliseconds reset{};
};

/// Whom a token stands for.
struct Admission {
  std::string principal;
  std::string project;
  std::vector<std::string> rights;
  std::optional<RequestBudget> requests;
  std::optional<std::chrono::milliseconds> retry_after;  // set: too many requests, not admitted
};

/// Why nobody is admitted.
struct Denial {
  enum class Cause {
    kWrongToken,
    kTooManyWrongTokens,  // of the peer, or of everybody: it was not looked at
    kNotFoundOut,         // try again later
  };
  Cause cause = Cause::kNotFoundOut;
  std::string message;
};

/// What a request shows of its sender.
struct Credentials {
  std::string token;
  std::string peer;  // its IP address; empty = unknown
};

/// One call, or requests that led to none, for the audit. Never what was asked.
struct Record {
  std::string request;
  std::string principal;  // empty: nobody was admitted
  std::string peer;       // its IP address; told where nobody was admitted
  std::string project;    // that was named; empty = the principal's own
  std::string method;     // of HTTP where there was no call
  std::string tool;
  int status = 200;
  std::chrono::milliseconds took{};
  bool cancelled = false;
  std::string question;   // its id, where the call asked one
  std::size_t count = 1;  // requests it stands for
};

/// Who may use a server. Every `done` is called once, on any thread, perhaps before the function
/// returns. [any]
class Access {
 public:
  virtual ~Access() = default;

  using Admitted = std::function<void(std::expected<Admission, Denial>)>;
  /// `count`: one request of the token's minute.
  virtual void admit(const Credentials& credentials, bool count, Admitted done) = 0;

  /// A session is visible ASCII that is known again after a restart, and only for its principal.
  /// Empty when there can be none.
  virtual void open_session(const std::string& principal,
                            std::function<void(std::string session)> done) = 0;
  virtual void check_session(const std::string& principal, const std::string& session,
                             std::function<void(bool live)> done) = 0;
  virtual void end_session(const std::string& principal, const std::string& session,
                           std::function<void(bool ended)> done) = 0;

  virtual void record(const Record& record) = 0;
};

}  // namespace quarry::mcp
