#pragma once

#include <quarry/outcome.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

// Of OpenSSL.
struct ssl_ctx_st;
struct ssl_st;
struct bio_st;

namespace quarry::http_server {

/// PEM files: a certificate with those that vouch for it, and its key.
struct TlsFiles {
  std::string certificate;
  std::string key;
};

/// What a server proves who it is with. Reads its files again when they have changed: a certificate
/// is renewed without a restart. [any thread]
class TlsIdentity {
 public:
  /// A failure names the file.
  static Outcome<std::shared_ptr<TlsIdentity>> load(TlsFiles files);

  /// For one new connection. Looks at the files at most once a second; new ones that cannot be used
  /// are told to `warn` once, and the old ones stay.
  std::shared_ptr<ssl_ctx_st> current(const std::function<void(std::string_view)>& warn);

 private:
  explicit TlsIdentity(TlsFiles files) : files_(std::move(files)) {}
  [[nodiscard]] std::string stamp() const;

  const TlsFiles files_;
  std::mutex mutex_;
  std::shared_ptr<ssl_ctx_st> context_;  // under mutex_, as all below
  std::string stamp_;                    // of the files as last read
  std::chrono::steady_clock::time_point looked_{};
};

/// The server's side of one TLS connection. No I/O: bytes of the wire in and out.
class TlsSession {
 public:
  explicit TlsSession(std::shared_ptr<ssl_ctx_st> context);
  ~TlsSession();
  TlsSession(const TlsSession&) = delete;
  TlsSession& operator=(const TlsSession&) = delete;

  enum class State {
    kOpen,
    kEnded,   // the client has said that it sends no more
    kFailed,  // what came is not TLS as we speak it; an alert may be in `wire`
  };
  /// Takes bytes of the wire; appends what they say to `plain` and what must go back to `wire`.
  [[nodiscard]] State receive(std::string_view bytes, std::string& plain, std::string& wire);
  /// Appends `plain`, sealed, to `wire`. Drops it when no handshake has been: nobody could read it.
  void seal(std::string_view plain, std::string& wire);
  /// Says that nothing more will come.
  void end(std::string& wire);
  [[nodiscard]] bool is_established() const;

 private:
  void take_output(std::string& wire);

  std::shared_ptr<ssl_ctx_st> context_;
  ssl_st* ssl_;
  bio_st* input_;   // owned by ssl_
  bio_st* output_;  // owned by ssl_
};

}  // namespace quarry::http_server
