/// Requests to an index and to the hosts of its files.
#pragma once

#include "package_source/download.h"
#include "package_source/url.h"
#include "resource-pypi/digest.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace quarry::resource_pypi {

using package_source::Url;
using package_source::Validators;

/// Bytes of the largest file that is read.
inline constexpr std::uint64_t kMostFile = std::uint64_t{2} << 30;

/// The failure of a file with another hash than it must have.
Failure changed(const std::string& file, const Hash& wanted, const std::string& found);

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

  /// The response of status 200, or of 304 to a conditional request, of at most `most` bytes. Any
  /// other is a failure.
  Outcome<HttpResponse> get(const Url& url, std::string_view accept, const Validators& known,
                            std::uint64_t most) const;
  /// The download of a file, which must have `hash` if that is known.
  [[nodiscard]] package_source::Download download_of(const std::string& file,
                                                     const std::string& url,
                                                     const std::optional<Hash>& hash) const;
  /// The name of the cache's entry for the file at `url`. Those who send another authorization
  /// share none.
  [[nodiscard]] std::string entry_name(const std::string& url) const;
  [[nodiscard]] package_source::Exchange exchange() const;

 private:
  /// Follows redirects among the permitted hosts, because the credentials belong to one origin.
  Outcome<HttpEnd> send(const HttpRequest& request, const package_source::OnHead& on_head,
                        const package_source::OnData& on_data) const;
  [[nodiscard]] bool is_permitted(const Url& url) const;
  [[nodiscard]] Failure refused(const HttpResponse& response) const;

  Host host_;
  const Call& call_;
  Url home_;
  std::string files_;
  std::string authorization_;
};

}  // namespace quarry::resource_pypi
