#pragma once

#include <quarry/outcome.hpp>

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace quarry::http_server {

/// PEM files: a certificate chain and its key.
struct TlsFiles {
  std::string certificate;
  std::string key;
};

/// The server's side of one TLS connection. No I/O: TLS records in and out.
class TlsSession {
 public:
  virtual ~TlsSession() = default;

  enum class State {
    kOpen,
    kEnded,   // the client has announced that it sends no more
    kFailed,  // the bytes are not acceptable TLS; an alert may be in `wire`
  };
  /// Decrypts received bytes; appends their content to `plain` and bytes to send to `wire`.
  [[nodiscard]] virtual State receive(std::string_view bytes, std::string& plain,
                                      std::string& wire) = 0;
  /// Appends `plain`, encrypted, to `wire`. Before the handshake is complete, `plain` is dropped.
  virtual void seal(std::string_view plain, std::string& wire) = 0;
  /// Appends the closing alert to `wire`.
  virtual void end(std::string& wire) = 0;
  [[nodiscard]] virtual bool is_established() const = 0;
};

/// A server's certificate and key. Reads its files again when they have changed, so a certificate
/// is renewed without a restart. Only programs that load one link OpenSSL. [any thread]
class TlsIdentity {
 public:
  /// A failure names the file.
  static Outcome<std::shared_ptr<TlsIdentity>> load(TlsFiles files);
  virtual ~TlsIdentity() = default;

  /// Session of one new connection. Checks the files at most once a second; new files that cannot
  /// be used are reported to `warn` once, and the old ones stay in use.
  virtual std::unique_ptr<TlsSession> begin(const std::function<void(std::string_view)>& warn) = 0;
};

}  // namespace quarry::http_server
