#pragma once

#include "http_server/tls.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

// OpenSSL's types.
struct ssl_ctx_st;
struct ssl_st;

namespace quarry::http_server::testing {

/// A temporary directory with a self-signed certificate for 127.0.0.1 and its key.
class TemporaryIdentity {
 public:
  TemporaryIdentity();
  ~TemporaryIdentity();
  TemporaryIdentity(const TemporaryIdentity&) = delete;
  TemporaryIdentity& operator=(const TemporaryIdentity&) = delete;

  [[nodiscard]] TlsFiles files() const;
  /// Replaces both with another certificate, for this name, and its key.
  void renew(const std::string& common_name);
  /// Writes the key again, encrypted.
  void encrypt_key();

 private:
  std::filesystem::path directory_;
};

/// A TLS client that accepts every certificate.
class TlsClient {
 public:
  explicit TlsClient(std::uint16_t port, int newest_version = 0);
  ~TlsClient();
  TlsClient(const TlsClient&) = delete;
  TlsClient& operator=(const TlsClient&) = delete;

  [[nodiscard]] bool is_connected() const { return connected_; }
  /// The common name of the server's certificate.
  [[nodiscard]] std::string server_name() const;
  bool send(std::string_view bytes);
  /// See Client::send_some.
  std::size_t send_some(std::string_view request);
  /// Bytes up to and including `end`; fewer if the connection ended or time is up.
  std::string receive_until(std::string_view end);
  /// Sends the closing alert.
  void finish_sending();

 private:
  int socket_;
  ssl_ctx_st* context_;
  ssl_st* ssl_;
  bool connected_;
  std::size_t offset_ = 0;  // bytes of the request that send_some has sent
  std::string pending_;
};

}  // namespace quarry::http_server::testing
