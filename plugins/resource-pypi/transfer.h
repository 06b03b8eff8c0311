/// Requests to an index and to the hosts of its files.
#pragma once

#include "resource-pypi/digest.h"
#include "resource-pypi/url.h"

#include <quarry/http.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::resource_pypi {

/// What identifies one state of a page or file for a conditional request.
struct Validators {
  std::string etag;
  std::string modified;
  [[nodiscard]] bool empty() const { return etag.empty() && modified.empty(); }
};

struct Received {
  int status = 0;
  Url url;  ///< after redirects
  std::string content_type;
  Validators validators;
  std::string body;         ///< unless it went elsewhere; of a refusal, its beginning
  std::string retry_after;  ///< value of the header
};

/// Takes a piece of a body; false ends the transfer.
using Take = std::function<bool(std::string_view)>;

struct Ask {
  Url url;
  std::string accept = "*/*";
  std::string title;     ///< for messages: "the index"
  Validators known;      ///< makes the request conditional
  std::size_t most = 0;  ///< bytes of the body; more are a failure
  bool as_sent = false;  ///< no content coding, since the bytes have a hash
  Take take = {};        ///< else the body is kept
};

/// The transfers of one call.
class Transfer {
 public:
  /// `authorization` goes to `home` alone, the origin of the index; empty = none.
  /// `files` is the host that the field of this name permits; empty = none.
  Transfer(Host host, const Call& call, Url home, std::string files, std::string authorization)
      : host_(host),
        call_(call),
        home_(std::move(home)),
        files_(std::move(files)),
        authorization_(std::move(authorization)) {}

  /// The response of status 200 or 304; any other, and a body that is too large, is a failure.
  Outcome<Received> get(const Ask& ask) const;

 private:
  Outcome<Received> once(const Ask& ask, const Url& url, std::string& location) const;
  [[nodiscard]] bool is_permitted(const Url& url) const;
  [[nodiscard]] HttpRequest request_for(const Ask& ask, const Url& url) const;
  [[nodiscard]] Failure refused(const Ask& ask, const Received& got) const;

  Host host_;
  const Call& call_;
  Url home_;
  std::string files_;
  std::string authorization_;
};

}  // namespace quarry::resource_pypi
