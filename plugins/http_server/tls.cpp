#include "tls.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <mutex>
#include <system_error>
#include <utility>

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509err.h>
#include <sys/stat.h>

namespace quarry::http_server {
namespace {

using Context = std::shared_ptr<SSL_CTX>;

/// OpenSSL's text for the last error of this thread.
std::string reason() {
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  if (ERR_SYSTEM_ERROR(code)) return std::system_category().message(ERR_GET_REASON(code));
  const char* const words = code == 0 ? nullptr : ERR_reason_error_string(code);
  return words == nullptr ? "it is not one in PEM" : words;
}

Failure unusable(std::string message) {
  return {QUARRY_INVALID_ARGUMENT, std::move(message), {}, {}};
}

/// Offers HTTP/1.1 only.
int choose_protocol(SSL*, const unsigned char** out, unsigned char* out_size,
                    const unsigned char* in, unsigned in_size, void*) {
  static constexpr std::array<unsigned char, 9> kOffered = {8,   'h', 't', 't', 'p',
                                                            '/', '1', '.', '1'};
  unsigned char* chosen = nullptr;
  const int found =
      SSL_select_next_proto(&chosen, out_size, kOffered.data(), kOffered.size(), in, in_size);
  *out = chosen;
  return found == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK;
}

/// Notes that a file is encrypted. OpenSSL itself would ask for a passphrase at the terminal, and
/// wait for it.
int refuse_passphrase(char*, int, int, void* asked) {
  *static_cast<bool*>(asked) = true;
  return -1;
}

Outcome<Context> read(const TlsFiles& files) {
  bool is_encrypted = false;
  ERR_clear_error();
  const Context context(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
                                         SSL_OP_CIPHER_SERVER_PREFERENCE);
  // Idle connections, of which there are thousands, keep no buffers.
  SSL_CTX_set_mode(context.get(), SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                                      SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_alpn_select_cb(context.get(), choose_protocol, nullptr);
  SSL_CTX_set_default_passwd_cb(context.get(), refuse_passphrase);
  SSL_CTX_set_default_passwd_cb_userdata(context.get(), &is_encrypted);  // for this function
  if (SSL_CTX_use_certificate_chain_file(context.get(), files.certificate.c_str()) != 1) {
    return unusable("the certificate " + files.certificate + " cannot be read: " + reason());
  }
  if (SSL_CTX_use_PrivateKey_file(context.get(), files.key.c_str(), SSL_FILETYPE_PEM) != 1) {
    if (is_encrypted) {
      return unusable("the key " + files.key + " is encrypted: give it without a passphrase");
    }
    if (ERR_GET_REASON(ERR_peek_error()) == X509_R_KEY_VALUES_MISMATCH) {
      return unusable("the key " + files.key + " does not match " + files.certificate);
    }
    return unusable("the key " + files.key + " cannot be read: " + reason());
  }
  return context;
}

void append_stamp(std::string& out, const std::string& file) {
  struct stat found {};
  if (::stat(file.c_str(), &found) != 0) return;
  for (const auto part :
       {static_cast<long long>(found.st_ino), static_cast<long long>(found.st_size),
        static_cast<long long>(found.st_mtim.tv_sec),
        static_cast<long long>(found.st_mtim.tv_nsec)}) {
    out += std::to_string(part) + " ";
  }
}

class Session final : public TlsSession {
 public:
  explicit Session(Context context)
      : context_(std::move(context)),
        ssl_(SSL_new(context_.get())),
        input_(BIO_new(BIO_s_mem())),
        output_(BIO_new(BIO_s_mem())) {
    SSL_set_bio(ssl_, input_, output_);
    SSL_set_accept_state(ssl_);
  }
  ~Session() override { SSL_free(ssl_); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  State receive(std::string_view bytes, std::string& plain, std::string& wire) override;
  void seal(std::string_view plain, std::string& wire) override;
  void end(std::string& wire) override;
  [[nodiscard]] bool is_established() const override { return SSL_is_init_finished(ssl_) == 1; }

 private:
  void take_output(std::string& wire);

  Context context_;
  SSL* ssl_;
  BIO* input_;   // owned by ssl_
  BIO* output_;  // owned by ssl_
};

void Session::take_output(std::string& wire) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(output_, &data);
  if (size <= 0) return;
  wire.append(data, static_cast<std::size_t>(size));
  static_cast<void>(BIO_reset(output_));
}

TlsSession::State Session::receive(std::string_view bytes, std::string& plain, std::string& wire) {
  ERR_clear_error();
  BIO_write(input_, bytes.data(), static_cast<int>(bytes.size()));
  std::array<char, 16 * 1024> buffer;
  for (;;) {
    const int size = SSL_read(ssl_, buffer.data(), static_cast<int>(buffer.size()));
    if (size > 0) {
      plain.append(buffer.data(), static_cast<std::size_t>(size));
      continue;
    }
    const int why = SSL_get_error(ssl_, size);
    take_output(wire);
    if (why == SSL_ERROR_WANT_READ) return State::kOpen;
    ERR_clear_error();
    return why == SSL_ERROR_ZERO_RETURN ? State::kEnded : State::kFailed;
  }
}

void Session::seal(std::string_view plain, std::string& wire) {
  constexpr std::size_t kMost = 1U << 30U;  // bytes of one call; its parameter is an int
  while (!plain.empty() && is_established()) {
    ERR_clear_error();
    const int size = SSL_write(ssl_, plain.data(), static_cast<int>(std::min(plain.size(), kMost)));
    if (size <= 0) break;
    plain.remove_prefix(static_cast<std::size_t>(size));
  }
  take_output(wire);
}

void Session::end(std::string& wire) {
  if (!is_established()) return;
  ERR_clear_error();
  SSL_shutdown(ssl_);
  take_output(wire);
}

class FileIdentity final : public TlsIdentity {
 public:
  explicit FileIdentity(TlsFiles files) : files_(std::move(files)) {}

  Outcome<bool> load_first() {
    stamp_ = stamp();
    auto context = read(files_);
    if (!context) return context.failure();
    context_ = std::move(*context);
    return true;
  }

  std::unique_ptr<TlsSession> begin(const std::function<void(std::string_view)>& warn) override {
    return std::make_unique<Session>(current(warn));
  }

 private:
  Context current(const std::function<void(std::string_view)>& warn) {
    const std::lock_guard lock(mutex_);
    const auto now = std::chrono::steady_clock::now();
    if (now - looked_ < std::chrono::seconds(1)) return context_;
    looked_ = now;
    std::string seen = stamp();
    if (seen == stamp_) return context_;
    stamp_ = std::move(seen);
    auto context = read(files_);
    if (context) {
      context_ = std::move(*context);
    } else {
      warn("the previous certificate stays in use: " + context.failure().message);
    }
    return context_;
  }

  [[nodiscard]] std::string stamp() const {
    std::string stamp;
    append_stamp(stamp, files_.certificate);
    append_stamp(stamp, files_.key);
    return stamp;
  }

  const TlsFiles files_;
  std::mutex mutex_;
  Context context_;    // under mutex_, as all below
  std::string stamp_;  // inode, size and time of the files last read
  std::chrono::steady_clock::time_point looked_{};
};

}  // namespace

Outcome<std::shared_ptr<TlsIdentity>> TlsIdentity::load(TlsFiles files) {
  auto identity = std::make_shared<FileIdentity>(std::move(files));
  if (auto loaded = identity->load_first(); !loaded) return loaded.failure();
  return std::shared_ptr<TlsIdentity>(std::move(identity));
}

}  // namespace quarry::http_server
