#pragma once

#include <quarry/outcome.hpp>

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace quarry::http_server {

/// PEM files: a certificate with those that vouch for it, and its key.
struct TlsFiles {
  std::string certificate;
  std::string key;
};

/// The server's side of one TLS connection. No I/O: bytes of the wire in and out.
class TlsSession {
 public:
  virtual ~TlsSession() = default;

  enum class State {
    kOpen,
    kEnded,   // the client has said that it sends no more
    kFailed,  // what came is not TLS as we speak it; an alert may be in `wire`
  };
  /// Takes bytes of the wire; appends what they say to `plain` and what must go back to `wire`.
  [[nodiscard]] virtual State receive(std::string_view bytes, std::string& plain,
                                      std::string& wire) = 0;
  /// Appends `plain`, sealed, to `wire`. Drops it when no handshake has been: nobody could read it.
  virtual void seal(std::string_view plain, std::string& wire) = 0;
  /// Says that nothing more will come.
  virtual void end(std::string& wire) = 0;
  [[nodiscard]] virtual bool is_established() const = 0;
};

/// What a server proves who it is with. Reads its files again when they have changed: a certificate
/// is renewed without a restart. Only who loads one links OpenSSL: a server is given it or none.
/// [any thread]
class TlsIdentity {
 public:
  /// A failure names the file.
  static Outcome<std::shared_ptr<TlsIdentity>> load(TlsFiles files);
  virtual ~TlsIdentity() = default;

  /// For one new connection. Looks at the files at most once a second; new ones that cannot be used
  /// are told to `warn` once, and the old ones stay.
  virtual std::unique_ptr<TlsSession> begin(const std::function<void(std::string_view)>& warn) = 0;
};

}  // namespace quarry::http_server
