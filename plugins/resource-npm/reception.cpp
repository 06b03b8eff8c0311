#include "resource-npm/reception.h"

#include "resource-npm/gunzip.h"

#include <optional>

namespace quarry::resource_npm {
namespace {

constexpr int kNotModified = 304;

class Reception {
 public:
  Reception(const Asked& asked, const std::function<bool(std::string_view)>& take)
      : asked_(asked), take_(take) {}

  bool head(int status, const std::vector<HttpHeader>& headers) {
    response_ = {status, headers, {}};
    packed_ = header(headers, "content-encoding") == "gzip";
    return true;
  }

  bool data(std::string_view bytes) {
    if (!packed_) return plain(bytes);
    any_ = any_ || !bytes.empty();
    const bool good =
        gunzip_.feed(bytes, [this](std::string_view unpacked) { return plain(unpacked); });
    if (!good && !failure_ && !declined_) failure_ = damaged(QUARRY_DATA_LOSS);
    return good;
  }

  /// The result, once the transfer has ended.
  Outcome<HttpResponse> finish(const Outcome<HttpEnd>& end, bool may_be_known) {
    if (failure_) return *failure_;
    if (!end) return not_reached(asked_, end.failure());
    // A connection that is closed early ends a response without a length.
    if (packed_ && any_ && !gunzip_.whole()) return damaged(QUARRY_UNAVAILABLE);
    const bool known = response_.status == kNotModified && may_be_known;
    if (response_.status == kOk || known) return std::move(response_);
    return refused(asked_, response_);
  }

 private:
  bool plain(std::string_view bytes) {
    received_ += bytes.size();
    if (received_ > kMostAnswer) {
      failure_ = Failure{QUARRY_RESOURCE_EXHAUSTED,
                         asked_.registry + " responded to the request for " + asked_.what +
                             " with more than " + std::to_string(kMostAnswer >> 20) + " MiB",
                         "No package's document is that large: ask the registry's operator.",
                         {}};
      return false;
    }
    if (response_.status == kOk) return take(bytes);
    response_.body += bytes.substr(0, kMostErrorBody - response_.body.size());
    return true;
  }

  bool take(std::string_view bytes) {
    declined_ = !take_(bytes);
    return !declined_;
  }

  [[nodiscard]] Failure damaged(quarry_status status) const {
    return {status,
            asked_.registry + " sent a damaged response to the request for " + asked_.what,
            "Try again.",
            {}};
  }

  const Asked& asked_;
  const std::function<bool(std::string_view)>& take_;
  HttpResponse response_;
  Gunzip gunzip_;
  std::optional<Failure> failure_;
  std::uint64_t received_ = 0;  ///< after decompression
  bool packed_ = false;
  bool any_ = false;  ///< of a compressed body
  bool declined_ = false;
};

}  // namespace

Outcome<HttpResponse> receive(const Host& host, const Call& call, const HttpRequest& request,
                              const Asked& asked,
                              const std::function<bool(std::string_view bytes)>& take) {
  Reception reception(asked, take);
  const auto end = fetch_to(
      host, call, request,
      [&](int status, const std::vector<HttpHeader>& headers) {
        return reception.head(status, headers);
      },
      [&](std::string_view bytes) { return reception.data(bytes); });
  return reception.finish(end, !header(request.headers, "if-none-match").empty());
}

}  // namespace quarry::resource_npm
