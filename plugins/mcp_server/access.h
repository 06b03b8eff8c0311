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

/// Request limit of a token in its current minute.
struct RequestBudget {
  std::int64_t limit = 0;
  std::int64_t remaining = 0;
  std::chrono::milliseconds reset{};
};

/// The principal of a valid token, and its limits.
struct Admission {
  std::string principal;
  std::string project;                // of a call that names none
  std::vector<std::string> projects;  // all of the token
  std::vector<std::string> rights;
  std::optional<RequestBudget> requests;
  std::optional<std::chrono::milliseconds> retry_after;  // if set: too many requests, not admitted
};

/// The reason why a token is not admitted.
struct Denial {
  enum class Cause {
    kWrongToken,
    kTooManyWrongTokens,  // from this peer, or from all peers: the token was not checked
    kUnavailable,         // the token could not be checked; try again later
  };
  Cause cause = Cause::kUnavailable;
  std::string message;
};

/// The sender's token and address.
struct Credentials {
  std::string token;
  std::string peer;  // its IP address; empty = unknown
};

/// Audit record of one call, or of requests that led to none. Contains no text of the question.
struct Record {
  std::string request;
  std::string principal;  // empty = not admitted
  std::string peer;       // its IP address; set if not admitted
  std::string project;    // as named by the caller; empty = the principal's own
  std::string method;     // of JSON-RPC, or of HTTP if there was no call
  std::string tool;
  int status = 200;
  std::chrono::milliseconds took{};
  bool cancelled = false;
  std::string question;   // id of the question that the call asked, if any
  std::size_t count = 1;  // number of requests that it represents
};

/// Checks tokens and sessions. Every `done` is called once, on any thread, perhaps before the
/// function returns. [any]
class Access {
 public:
  virtual ~Access() = default;

  using Admitted = std::function<void(std::expected<Admission, Denial>)>;
  /// `count`: counts towards the requests of the token's minute.
  virtual void admit(const Credentials& credentials, bool count, Admitted done) = 0;

  /// A session id is visible ASCII, stays valid after a restart and is valid only for its
  /// principal. Empty if none can be created.
  virtual void open_session(const std::string& principal,
                            std::function<void(std::string session)> done) = 0;
  virtual void check_session(const std::string& principal, const std::string& session,
                             std::function<void(bool live)> done) = 0;
  virtual void end_session(const std::string& principal, const std::string& session,
                           std::function<void(bool ended)> done) = 0;

  virtual void record(const Record& record) = 0;
};

}  // namespace quarry::mcp
