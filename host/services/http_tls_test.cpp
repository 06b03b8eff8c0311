#include "base/file.h"
#include "services/paths.h"
#include "services/testing/scripted_server.h"

#include <quarry_test.h>
#include <unistd.h>

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>

namespace quarry::services::testing {
namespace {

using ::testing::HasSubstr;

/// A key and its self-signed certificate for 127.0.0.1.
struct Identity {
  EVP_PKEY* key = EVP_EC_gen("P-256");
  X509* certificate = X509_new();

  Identity() {
    X509_set_version(certificate, X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate), -60);
    X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
    X509_set_pubkey(certificate, key);
    X509_NAME* name = X509_get_subject_name(certificate);
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                               reinterpret_cast<const unsigned char*>("quarry test"), -1, -1, 0);
    X509_set_issuer_name(certificate, name);
    X509_EXTENSION* address =
        X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, "IP:127.0.0.1");
    X509_add_ext(certificate, address, -1);
    X509_EXTENSION_free(address);
    X509_sign(certificate, key, EVP_sha256());
  }
  ~Identity() {
    X509_free(certificate);
    EVP_PKEY_free(key);
  }
  [[nodiscard]] std::string pem() const {
    BIO* memory = BIO_new(BIO_s_mem());
    PEM_write_bio_X509(memory, certificate);
    char* data = nullptr;
    const long size = BIO_get_mem_data(memory, &data);
    std::string text(data, static_cast<std::size_t>(size));
    BIO_free(memory);
    return text;
  }
};

/// Answers one connection with "hello" over TLS.
class TlsServer {
 public:
  explicit TlsServer(const Identity& identity) {
    SSL_CTX_use_certificate(context_, identity.certificate);
    SSL_CTX_use_PrivateKey(context_, identity.key);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(::bind(socket_, any, size), 0);
    EXPECT_EQ(::listen(socket_, 8), 0);
    ::getsockname(socket_, any, &size);
    url_ = "https://127.0.0.1:" + std::to_string(ntohs(address.sin_port)) + "/";
    thread_ = std::thread([this] { serve(); });
  }
  ~TlsServer() {
    ::shutdown(socket_, SHUT_RDWR);
    thread_.join();
    ::close(socket_);
    SSL_CTX_free(context_);
  }
  [[nodiscard]] const std::string& url() const { return url_; }

 private:
  void serve() {
    const int peer = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
    if (peer < 0) return;
    SSL* const tls = SSL_new(context_);
    SSL_set_fd(tls, peer);
    char request[4096];
    if (SSL_accept(tls) == 1 && SSL_read(tls, request, sizeof request) > 0) {
      const std::string response = ok("hello");
      SSL_write(tls, response.data(), static_cast<int>(response.size()));
    }
    SSL_free(tls);
    ::close(peer);
  }

  SSL_CTX* const context_ = SSL_CTX_new(TLS_server_method());
  const int socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  std::string url_;
  std::thread thread_;
};

TEST(HttpTls, TrustsTheAuthoritiesOfSslCertFile) {
  const Identity identity;
  const auto file = (test_directory() / "ca.pem").string();
  ASSERT_TRUE(write_file_atomically(file, identity.pem()));
  TlsServer server(identity);
  ClientHost host({{"SSL_CERT_FILE", file}});
  Received got;
  const auto outcome = host.fetch({.url = server.url()}, got);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(got.body, "hello");
}

TEST(HttpTls, TellsACertificateNobodyVouchesFor) {
  const Identity identity;
  TlsServer server(identity);
  ClientHost host;
  const auto outcome = host.fetch({.url = server.url()});
  EXPECT_EQ(outcome.error().code, Code::kUnavailable);
  EXPECT_THAT(outcome.error().message, HasSubstr("TLS"));
  EXPECT_THAT(outcome.error().hint, HasSubstr("SSL_CERT_FILE"));
}

TEST(HttpTls, TellsAServerThatSpeaksNoTls) {
  ScriptedServer server([](Peer& peer) { peer.write("HTTP/1.1 400 plain\r\n\r\n"); });
  ClientHost host;
  EXPECT_THAT(host.fetch({.url = "https" + server.url().substr(4)}).error().message,
              HasSubstr("no TLS connection"));
}

}  // namespace
}  // namespace quarry::services::testing
