#include "resource-npm/download.h"

#include "resource-npm/file.h"

#include <quarry/json.hpp>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fcntl.h>
#include <memory>
#include <string>
#include <system_error>

namespace quarry::resource_npm {
namespace {

constexpr std::uint64_t kProgressBytes = std::uint64_t{1} << 20;

class Download {
 public:
  Download(const Call& call, const Asked& asked, const std::vector<Integrity>& integrities,
           File file, const std::filesystem::path& path)
      : call_(call), asked_(asked), file_(std::move(file)), path_(path) {
    for (const Integrity& integrity : integrities) {
      hashers_.push_back(std::make_unique<Hasher>(integrity.algorithm()));
    }
  }

  bool head(int status, const std::vector<HttpHeader>& headers) {
    response_ = {status, headers, {}};
    const std::string_view length = header(headers, "content-length");
    std::from_chars(length.data(), length.data() + length.size(), total_);
    return status != kOk || fits(total_);
  }

  bool data(std::string_view bytes) {
    if (response_.status != kOk) {
      response_.body += bytes.substr(0, kMostErrorBody - response_.body.size());
      return true;
    }
    if (!fits(received_ + bytes.size())) return false;
    if (!write_whole(file_.get(), bytes)) return fail_to_write();
    for (const auto& hasher : hashers_) hasher->add(bytes);
    const bool due = received_ / kProgressBytes != (received_ + bytes.size()) / kProgressBytes;
    received_ += bytes.size();
    if (due) report();
    return true;
  }

  /// The result, once the transfer has ended.
  Outcome<std::uint64_t> finish(const Outcome<HttpEnd>& end,
                                const std::vector<Integrity>& integrities) {
    if (failure_) return *failure_;
    if (!end) return not_reached(asked_, end.failure());
    if (response_.status != kOk) return refused(asked_, response_);
    report();
    for (std::size_t i = 0; i < integrities.size(); ++i) {
      const std::string found = hashers_[i]->finish();
      if (!integrities[i].admits(found)) return not_the_same(found, integrities[i]);
    }
    return received_;
  }

 private:
  void report() const {
    call_.progress(R"({"message":)" + json::quoted("receiving " + asked_.what) +
                   ",\"done\":" + std::to_string(received_) +
                   ",\"total\":" + std::to_string(std::max(total_, received_)) + "}");
  }

  bool fits(std::uint64_t bytes) {
    if (bytes <= kMostPacked) return true;
    failure_ = Failure{QUARRY_RESOURCE_EXHAUSTED,
                       asked_.what + " has more than " + std::to_string(kMostPacked) + " bytes",
                       "Choose another version of the package.",
                       {}};
    return false;
  }

  bool fail_to_write() {
    const std::error_code reason(errno, std::generic_category());
    failure_ =
        Failure{errno == ENOSPC || errno == EDQUOT ? QUARRY_RESOURCE_EXHAUSTED : QUARRY_INTERNAL,
                path_.string() + " cannot be written: " + reason.message(),
                "Free space on the disk of the cache, for example with quarry clear.",
                {}};
    return false;
  }

  [[nodiscard]] Failure not_the_same(const std::string& found, const Integrity& expected) const {
    return {
        QUARRY_DATA_LOSS,
        asked_.what + " failed verification: its integrity is " + found + ", and must be " +
            expected.text(),
        "It was damaged in transit, or replaced; nothing of it was read. If this persists, tell "
        "the operator of " +
            asked_.registry + "; if the version was published again, use quarry clear.",
        {}};
  }

  const Call& call_;
  const Asked& asked_;
  File file_;
  const std::filesystem::path& path_;
  std::vector<std::unique_ptr<Hasher>> hashers_;
  HttpResponse response_;
  std::uint64_t received_ = 0;
  std::uint64_t total_ = 0;  ///< as announced; 0 = unknown
  std::optional<Failure> failure_;
};

}  // namespace

Outcome<std::uint64_t> download(const Host& host, const Call& call, const HttpRequest& request,
                                const Asked& asked, const std::vector<Integrity>& integrities,
                                const std::filesystem::path& path) {
  File file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file) {
    const std::error_code reason(errno, std::generic_category());
    return Failure{QUARRY_INTERNAL, path.string() + " cannot be made: " + reason.message(), {}, {}};
  }
  Download download(call, asked, integrities, std::move(file), path);
  const auto end = fetch_to(
      host, call, request,
      [&](int status, const std::vector<HttpHeader>& headers) {
        return download.head(status, headers);
      },
      [&](std::string_view bytes) { return download.data(bytes); });
  return download.finish(end, integrities);
}

}  // namespace quarry::resource_npm
