#include "resource-npm/reception.h"

#include "package_source/exchange.h"
#include "resource-npm/gunzip.h"

#include <optional>

namespace quarry::resource_npm {
namespace {

constexpr int kNotModified = 304;

/// Decompresses a body that begins as gzip does; JSON and web pages do not.
class Body {
 public:
  Body(const Asked& asked, const std::function<bool(std::string_view)>& take)
      : asked_(asked), take_(take) {}

  bool data(std::string_view bytes) {
    if (is_first_) packed_ = bytes.starts_with('\x1f');
    is_first_ = is_first_ && bytes.empty();
    if (!packed_) return plain(bytes);
    const bool good =
        gunzip_.feed(bytes, [this](std::string_view unpacked) { return plain(unpacked); });
    if (!good && !failure_) failure_ = damaged(QUARRY_DATA_LOSS);
    return good;
  }
  /// The failure of a body that has ended.
  std::optional<Failure> finish() {
    // A connection that is closed early ends a response without a length.
    if (!failure_ && packed_ && !gunzip_.whole()) failure_ = damaged(QUARRY_UNAVAILABLE);
    return failure_;
  }
  [[nodiscard]] const std::optional<Failure>& failure() const { return failure_; }

 private:
  bool plain(std::string_view bytes) {
    received_ += bytes.size();
    if (received_ <= kMostAnswer && take_(bytes)) return true;
    failure_ = received_ <= kMostAnswer ? damaged(QUARRY_UNAVAILABLE) : too_large();
    return false;
  }

  [[nodiscard]] Failure too_large() const {
    return {QUARRY_RESOURCE_EXHAUSTED,
            asked_.registry + " responded to the request for " + asked_.what + " with more than " +
                std::to_string(kMostAnswer >> 20) + " MiB",
            "No package's document is that large: ask the registry's operator.",
            {}};
  }
  [[nodiscard]] Failure damaged(quarry_status status) const {
    return {status,
            asked_.registry + " sent a damaged response to the request for " + asked_.what,
            "Try again.",
            {}};
  }

  const Asked& asked_;
  const std::function<bool(std::string_view)>& take_;
  Gunzip gunzip_;
  std::optional<Failure> failure_;
  std::uint64_t received_ = 0;  ///< after decompression
  bool is_first_ = true;
  bool packed_ = false;
};

/// The beginning of an error's body, decompressed.
std::string unpacked(const Asked& asked, std::string_view body) {
  std::string out;
  const std::function<bool(std::string_view)> take = [&](std::string_view bytes) {
    out += bytes.substr(0, kMostErrorBody - out.size());
    return true;
  };
  Body(asked, take).data(body);
  return out;
}

}  // namespace

Outcome<HttpResponse> receive(const Host& host, const Call& call, const HttpRequest& request,
                              const Asked& asked,
                              const std::function<bool(std::string_view bytes)>& take) {
  Body body(asked, take);
  auto response = package_source::receive({host, call}, request, kMostAnswer,
                                          [&](std::string_view bytes) { return body.data(bytes); });
  if (body.failure()) return *body.failure();
  if (!response) return not_reached(asked, response.failure());
  const bool may_be_known = !header(request.headers, "if-none-match").empty();
  if (response->status == kNotModified && may_be_known) return response;
  if (response->status == kOk) {
    if (const auto failed = body.finish()) return *failed;
    return response;
  }
  (*response).body = unpacked(asked, response->body);
  return refused(asked, *response);
}

}  // namespace quarry::resource_npm
