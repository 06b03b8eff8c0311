#include "tls_client.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <memory>
#include <quarry_test.h>
#include <stdexcept>
#include <unistd.h>
#include <utility>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <sys/socket.h>
#include <sys/time.h>

namespace quarry::http_server::testing {
namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

File open_new(const std::filesystem::path& path) {
  return {std::fopen(path.c_str(), "w"), std::fclose};
}

using Key = std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)>;
using Certificate = std::unique_ptr<X509, void (*)(X509*)>;

Certificate make_certificate(EVP_PKEY* key, const std::string& common_name) {
  Certificate certificate(X509_new(), X509_free);
  X509_set_version(certificate.get(), X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -60);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3600);
  X509_NAME* const name = X509_get_subject_name(certificate.get());
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(common_name.c_str()), -1, -1,
                             0);
  X509_set_issuer_name(certificate.get(), name);
  X509_set_pubkey(certificate.get(), key);
  X509_sign(certificate.get(), key, EVP_sha256());
  return certificate;
}

/// Makes a socket non-blocking for the lifetime of this object.
class Unblocked {
 public:
  explicit Unblocked(int socket) : socket_(socket), flags_(::fcntl(socket, F_GETFL)) {
    ::fcntl(socket_, F_SETFL, flags_ | O_NONBLOCK);
  }
  ~Unblocked() { ::fcntl(socket_, F_SETFL, flags_); }
  Unblocked(const Unblocked&) = delete;
  Unblocked& operator=(const Unblocked&) = delete;

 private:
  int socket_;
  int flags_;
};

}  // namespace

TemporaryIdentity::TemporaryIdentity() {
  std::string name = (std::filesystem::temp_directory_path() / "quarry-tls-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary directory");
  directory_ = name;
  renew("127.0.0.1");
}

TemporaryIdentity::~TemporaryIdentity() {
  std::filesystem::remove_all(directory_);
}

TlsFiles TemporaryIdentity::files() const {
  return {directory_ / "certificate.pem", directory_ / "key.pem"};
}

void TemporaryIdentity::renew(const std::string& common_name) {
  const Key key(EVP_EC_gen("P-256"), EVP_PKEY_free);
  const Certificate certificate = make_certificate(key.get(), common_name);
  const TlsFiles files = this->files();
  PEM_write_PrivateKey(open_new(files.key + ".new").get(), key.get(), nullptr, nullptr, 0, nullptr,
                       nullptr);
  PEM_write_X509(open_new(files.certificate + ".new").get(), certificate.get());
  std::filesystem::rename(files.key + ".new", files.key);
  std::filesystem::rename(files.certificate + ".new", files.certificate);
}

void TemporaryIdentity::encrypt_key() {
  const File old(std::fopen(files().key.c_str(), "r"), std::fclose);
  const Key key(PEM_read_PrivateKey(old.get(), nullptr, nullptr, nullptr), EVP_PKEY_free);
  PEM_write_PKCS8PrivateKey(open_new(files().key).get(), key.get(), EVP_aes_256_cbc(), "secret", 6,
                            nullptr, nullptr);
}

TlsClient::TlsClient(std::uint16_t port, int newest_version)
    : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)),
      context_(SSL_CTX_new(TLS_client_method())),
      ssl_(nullptr) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const timeval limit{patience(std::chrono::seconds(10)).count(), 0};
  setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  SSL_CTX_set_max_proto_version(context_, newest_version);
  SSL_CTX_set_mode(context_, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  ssl_ = SSL_new(context_);
  SSL_set_fd(ssl_, socket_);
  connected_ = ::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 &&
               SSL_connect(ssl_) == 1;
}

TlsClient::~TlsClient() {
  SSL_free(ssl_);
  SSL_CTX_free(context_);
  ::close(socket_);
}

std::string TlsClient::server_name() const {
  const Certificate certificate(SSL_get1_peer_certificate(ssl_), X509_free);
  char name[256] = "";
  X509_NAME_get_text_by_NID(X509_get_subject_name(certificate.get()), NID_commonName, name,
                            sizeof name);
  return name;
}

bool TlsClient::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const int sent = SSL_write(ssl_, bytes.data(), static_cast<int>(bytes.size()));
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

std::size_t TlsClient::send_some(std::string_view request) {
  const Unblocked unblocked(socket_);
  const std::string_view rest = request.substr(offset_);
  const int sent = SSL_write(ssl_, rest.data(), static_cast<int>(rest.size()));
  if (sent <= 0) return 0;
  offset_ = (offset_ + static_cast<std::size_t>(sent)) % request.size();
  return static_cast<std::size_t>(sent);
}

std::string TlsClient::receive_until(std::string_view end) {
  std::size_t at = 0;
  while ((at = pending_.find(end)) == std::string::npos) {
    char buffer[16384];
    const int size = SSL_read(ssl_, buffer, sizeof buffer);
    if (size <= 0) return std::exchange(pending_, {});
    pending_.append(buffer, static_cast<std::size_t>(size));
  }
  std::string found = pending_.substr(0, at + end.size());
  pending_.erase(0, at + end.size());
  return found;
}

void TlsClient::finish_sending() {
  SSL_shutdown(ssl_);
}

}  // namespace quarry::http_server::testing
