#pragma once

#include "http_server/tls.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

// Of OpenSSL.
struct ssl_ctx_st;
struct ssl_st;

namespace quarry::http_server::testing {

/// A fresh directory with a certificate for 127.0.0.1 that vouches for itself, and its key.
class TemporaryIdentity {
 public:
  TemporaryIdentity();
  ~TemporaryIdentity();
  TemporaryIdentity(const TemporaryIdentity&) = delete;
  TemporaryIdentity& operator=(const TemporaryIdentity&) = delete;

  [[nodiscard]] TlsFiles files() const;
  /// Puts another certificate with another key in the place of both, for this name.
  void renew(const std::string& common_name);

 private:
  std::filesystem::path directory_;
};

/// A client that speaks TLS and believes every certificate.
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
  /// As Client::send_some.
  std::size_t send_some(std::string_view request);
  /// Bytes up to and with `end`; shorter when the connection ended or time is up.
  std::string receive_until(std::string_view end);
  /// Says that nothing more will be sent.
  void finish_sending();

 private:
  int socket_;
  ssl_ctx_st* context_;
  ssl_st* ssl_;
  bool connected_;
  std::size_t offset_ = 0;  // of send_some in its request
  std::string pending_;
};

}  // namespace quarry::http_server::testing
