#pragma once

#include <quarry/http.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::package_source {

using OnHead = std::function<bool(int status, const std::vector<HttpHeader>& headers)>;
using OnData = std::function<bool(std::string_view bytes)>;

/// Requests of one call. A plugin that follows redirects itself sends them by a function of its
/// own.
struct Exchange {
  const Host& host;
  const Call& call;
  std::function<Outcome<HttpEnd>(const HttpRequest&, const OnHead&, const OnData&)> send;

  Exchange(const Host& own_host, const Call& own_call)
      : host(own_host),
        call(own_call),
        send([&](const auto& request, const auto& on_head, const auto& on_data) {
          return fetch_to(own_host, own_call, request, on_head, on_data);
        }) {}
};

/// What a server says of one state of a file, for conditional requests.
struct Validators {
  std::string etag;
  std::string last_modified;

  static Validators of(const std::vector<HttpHeader>& headers);
  static Validators from(std::string_view json);
  [[nodiscard]] bool empty() const { return etag.empty() && last_modified.empty(); }
  /// As members of a JSON object.
  [[nodiscard]] std::string json() const;
  void add_to(HttpRequest& request) const;
};

/// The response to `request`, of any status. The body of status 200 has at most `most` bytes;
/// `take`, if any, gets it in place of the response, and ends the transfer by returning false. Any
/// other body is cut to kMostAnswer bytes. [worker]
Outcome<HttpResponse> receive(const Exchange& exchange, const HttpRequest& request,
                              std::uint64_t most, const OnData& take = {});

}  // namespace quarry::package_source
