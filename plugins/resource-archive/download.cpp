#include "resource-archive/download.h"

#include "resource-archive/answer.h"
#include "resource_files/digest.h"

#include <quarry/base64.hpp>
#include <quarry/secrets.hpp>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

#include <sys/stat.h>

namespace quarry::resource_archive {

namespace {

constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20U;

/// True if a Content-Range such as "bytes 5-9/10" begins at `offset`.
bool begins_at(std::string_view range, std::uint64_t offset) {
  const std::string expected = "bytes " + std::to_string(offset) + "-";
  return range.starts_with(expected);
}

/// One request and what comes back.
class Attempt {
 public:
  explicit Attempt(const Transfer& transfer)
      : transfer_(transfer),
        file_(::open(transfer.store.partial().c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {}
  ~Attempt() {
    if (file_ >= 0) ::close(file_);
  }
  Attempt(const Attempt&) = delete;
  Attempt& operator=(const Attempt&) = delete;

  /// Runs it; nothing when the transfer is whole or the archive is unchanged.
  std::optional<Failure> run(const Validators& known);
  [[nodiscard]] bool unchanged() const { return status_ == 304; }
  [[nodiscard]] bool was_cut() const { return cut_ && size_ > 0; }
  /// True if the server no longer has the range that was asked for.
  [[nodiscard]] bool is_stale() const { return status_ == 416; }
  /// False when no later attempt can continue with the file.
  [[nodiscard]] bool is_useful() const { return !useless_ && !is_stale(); }
  [[nodiscard]] Facts facts() const { return {{}, size_, validators_}; }

 private:
  [[nodiscard]] HttpRequest request(const Validators& known);
  bool head(int status, const std::vector<HttpHeader>& headers);
  bool begin(const std::vector<HttpHeader>& headers);
  bool data(std::string_view bytes);
  bool write(std::string_view bytes);
  std::optional<Failure> judge(const std::optional<Failure>& said);
  [[nodiscard]] Failure too_large() const;
  [[nodiscard]] Failure ended() const;

  const Transfer& transfer_;
  int file_;
  int status_ = 0;
  std::uint64_t size_ = 0;
  std::uint64_t total_ = 0;
  std::uint64_t told_ = 0;
  std::uint64_t from_ = 0;  ///< where the range begins
  bool cut_ = false;
  bool useless_ = false;  ///< too large, or not written
  Validators validators_;
  std::optional<Failure> failure_;
};

HttpRequest Attempt::request(const Validators& known) {
  HttpRequest out{"GET", transfer_.source.url.text(), {}, {}};
  for (const auto& [name, value] : transfer_.source.headers)
    out.headers.push_back({name, value, {}});
  if (transfer_.credentials.header) out.headers.push_back(*transfer_.credentials.header);
  const std::string etag = transfer_.store.partial_etag();
  struct stat facts {};
  if (!etag.empty() && ::fstat(file_, &facts) == 0 && facts.st_size > 0) {
    from_ = static_cast<std::uint64_t>(facts.st_size);
    out.headers.push_back({"range", "bytes=" + std::to_string(from_) + "-", {}});
    out.headers.push_back({"if-range", etag, {}});
    return out;
  }
  if (!known.etag.empty()) out.headers.push_back({"if-none-match", known.etag, {}});
  if (!known.last_modified.empty()) {
    out.headers.push_back({"if-modified-since", known.last_modified, {}});
  }
  return out;
}

bool Attempt::head(int status, const std::vector<HttpHeader>& headers) {
  status_ = status;
  const bool part =
      status == 206 && from_ > 0 && begins_at(header(headers, "content-range"), from_);
  if (status == 200 || part) return begin(headers);
  if (status == 304) return true;
  if (status == 206) {
    failure_ = Failure{QUARRY_UNAVAILABLE, "the server sent another part than asked for", {}, {}};
  } else {
    failure_ = status_failure(transfer_.source, status, headers);
  }
  return false;
}

bool Attempt::begin(const std::vector<HttpHeader>& headers) {
  size_ = status_ == 206 ? from_ : 0;
  validators_ = {std::string(header(headers, "etag")),
                 std::string(header(headers, "last-modified"))};
  const std::string_view length = header(headers, "content-length");
  std::from_chars(length.data(), length.data() + length.size(), total_);
  total_ += size_;
  if (total_ > transfer_.most) {
    failure_ = too_large();
    return false;
  }
  if (status_ == 206) return ::lseek(file_, 0, SEEK_END) >= 0;
  transfer_.store.begin_partial(validators_.etag);
  return ::ftruncate(file_, 0) == 0 && ::lseek(file_, 0, SEEK_SET) == 0;
}

bool Attempt::data(std::string_view bytes) {
  if (status_ != 200 && status_ != 206) return true;
  size_ += bytes.size();
  if (size_ > transfer_.most) {
    failure_ = too_large();
    return false;
  }
  if (!write(bytes)) return false;
  if (size_ - told_ >= kMebibyte) {
    told_ = size_;
    transfer_.call.progress("{\"message\":\"downloading\",\"done\":" + std::to_string(size_) +
                            (total_ >= size_ ? ",\"total\":" + std::to_string(total_) : "") + "}");
  }
  return true;
}

bool Attempt::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(file_, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) {
      failure_ = Failure{
          QUARRY_RESOURCE_EXHAUSTED,
          "the archive cannot be written to the cache: " + std::string(std::strerror(errno)),
          "free some space on that disk, or set another cache.directory",
          {}};
      return false;
    }
    bytes.remove_prefix(static_cast<std::size_t>(done));
  }
  return true;
}

Failure Attempt::too_large() const {
  return {QUARRY_RESOURCE_EXHAUSTED,
          "the archive has more than " + std::to_string(transfer_.most / kMebibyte) + " MiB",
          "raise max_download_mib in [resource_type.archive]",
          {}};
}

Failure Attempt::ended() const {
  Failure failure = transfer_.call.why();
  if (failure.status != QUARRY_DEADLINE_EXCEEDED || size_ == 0) return failure;
  failure.message = "the time for the download was over after " + std::to_string(size_) + " bytes" +
                    (total_ > size_ ? " of " + std::to_string(total_) : "");
  if (!transfer_.store.partial_etag().empty()) {
    failure.hint = "ask again: the download continues where it ended";
  }
  return failure;
}

std::optional<Failure> Attempt::judge(const std::optional<Failure>& said) {
  useless_ = failure_ && (status_ == 200 || status_ == 206);
  if (failure_) return failure_;
  if (!said) return std::nullopt;
  if (transfer_.call.over()) return ended();
  cut_ = status_ == 200 || status_ == 206;
  return refusal(transfer_.source, *said);
}

std::optional<Failure> Attempt::run(const Validators& known) {
  if (file_ < 0) {
    return Failure{
        QUARRY_INTERNAL,
        "the folder for downloads cannot be written: " + std::string(std::strerror(errno)),
        {},
        {}};
  }
  const auto ended = fetch_to(
      transfer_.host, transfer_.call, request(known),
      [this](int status, const auto& headers) { return head(status, headers); },
      [this](std::string_view bytes) { return data(bytes); });
  return judge(ended ? std::nullopt : std::optional<Failure>(ended.failure()));
}

}  // namespace

Outcome<Credentials> credentials_of(const Host& host, const Call& call, const Source& source) {
  Credentials out;
  for (const auto& [name, value] : source.headers) out.identity += name + ":" + value + "\n";
  if (source.token.empty()) return out;
  const auto token = secret(host, call, source.token);
  if (!token) {
    Failure failed = token.failure();
    failed.details = field_failure("/token", "cannot be read").details;
    failed.message = "token cannot be read: " + failed.message;
    return failed;
  }
  out.identity += source.token_header + ":" + *token;
  if (!source.token_header.empty()) {
    out.header = HttpHeader{source.token_header, "", source.token};
  } else if (token->find(':') != std::string::npos) {
    const std::string encoded = to_base64(*token);
    hide(host, encoded);
    out.header = HttpHeader{"authorization", "Basic " + encoded, {}};
  } else {
    out.header = HttpHeader{"authorization", "Bearer ", source.token};
  }
  return out;
}

Outcome<std::string> digest_of(const Call& call, const std::string& file) {
  const int opened = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  resource_files::Digest digest;
  std::array<char, std::size_t{128} << 10U> bytes;
  ssize_t got = opened < 0 ? -1 : 1;
  while (got > 0 && !call.over()) {
    got = ::read(opened, bytes.data(), bytes.size());
    if (got > 0) digest.add({bytes.data(), static_cast<std::size_t>(got)});
  }
  const int number = errno;
  if (opened >= 0) ::close(opened);
  if (call.over()) return call.why();
  if (got == 0) return digest.hex();
  return Failure{QUARRY_INTERNAL,
                 "the downloaded archive cannot be read: " + std::string(std::strerror(number)),
                 {},
                 {}};
}

Outcome<Facts> download(const Transfer& transfer, const Validators& known) {
  constexpr int kAttempts = 4;
  for (int i = 1;; ++i) {
    Attempt attempt(transfer);
    const auto failed = attempt.run(known);
    if (failed) {
      const bool kept = attempt.is_useful() && !transfer.store.partial_etag().empty();
      if (!kept) transfer.store.remove_partial();
      const bool again = attempt.is_stale() || (kept && attempt.was_cut());
      if (again && i < kAttempts && !transfer.call.over()) continue;
      return *failed;
    }
    if (attempt.unchanged()) {
      transfer.store.remove_partial();
      return Facts{};
    }
    Facts facts = attempt.facts();
    auto digest = digest_of(transfer.call, transfer.store.partial());
    if (!digest) return digest.failure();
    facts.sha256 = *digest;
    if (transfer.store.publish(facts)) return facts;
    return Failure{QUARRY_INTERNAL, "the folder for downloads cannot be written", {}, {}};
  }
}

}  // namespace quarry::resource_archive
