#include "services/http_permit.h"

#include "base/text.h"

#include <algorithm>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>

namespace quarry::services {
namespace {

using boost::asio::ip::tcp;

/// Result of a name lookup, passed from the I/O thread to the waiting thread.
struct Lookup {
  explicit Lookup(boost::asio::io_context& io) : resolver(io) {}

  tcp::resolver resolver;  // of the I/O thread
  std::mutex mutex;
  std::condition_variable wake;
  std::optional<boost::system::error_code> ended;
  std::vector<tcp::endpoint> addresses;
};

void begin(boost::asio::io_context& io, const std::shared_ptr<Lookup>& lookup,
           const std::string& host) {
  boost::asio::post(io, [lookup, host] {
    lookup->resolver.async_resolve(
        host, "", [lookup](const boost::system::error_code& error, const auto& results) {
          const std::lock_guard lock(lookup->mutex);
          lookup->ended = error;
          for (const auto& result : results) lookup->addresses.push_back(result.endpoint());
          lookup->wake.notify_one();
        });
  });
}

Result<std::vector<tcp::endpoint>> resolve(boost::asio::io_context& io, const Call& call,
                                           const std::string& host) {
  const auto lookup = std::make_shared<Lookup>(io);
  begin(io, lookup, host);
  std::unique_lock lock(lookup->mutex);
  while (!lookup->ended) {
    if (auto wanted = call.check(); !wanted) {
      boost::asio::post(io, [lookup] { lookup->resolver.cancel(); });
      return wanted.error();
    }
    lookup->wake.wait_for(lock, call.max_wait());
  }
  if (!*lookup->ended) return std::move(lookup->addresses);
  return Error{Code::kUnavailable,
               "the name " + host + " could not be resolved: " + lookup->ended->message(),
               "check the spelling and the network's name service"};
}

Result<Endpoint> endpoint_of(std::string_view url) {
  auto endpoint = parse_endpoint(url);
  if (!endpoint) endpoint = parse_ssh_endpoint(url);
  // Of a URL with a backslash, programs read different hosts.
  if (endpoint && !url.contains('\\')) return *endpoint;
  return Error{Code::kInvalidArgument, "not an http, https or ssh URL with a host", {}};
}

}  // namespace

Result<HttpPermit> find_permit(boost::asio::io_context& io, const EgressPolicy& policy,
                               const ProxySettings& proxies, const Call& call, std::string_view url,
                               const std::vector<std::string>& hosts) {
  const auto endpoint = endpoint_of(url);
  if (!endpoint) return endpoint.error();
  HttpPermit permit{endpoint->host, endpoint->port, {}, false};
  const auto refused = [&](const Status& status, Refusal by) {
    return refused_host(status.error(), permit.host, by, false);
  };
  if (auto listed = check_listed(hosts, permit.host); !listed)
    return refused(listed, Refusal::kManifest);
  if (auto allowed = policy.check(permit.host); !allowed)
    return refused(allowed, Refusal::kNetwork);
  const std::string scheme = to_lower(url.substr(0, url.find(':')));
  permit.proxied = scheme != "ssh" && !proxies.choose(scheme, permit.host).empty();
  if (permit.proxied) return permit;
  const auto addresses = resolve(io, call, permit.host);
  if (!addresses) return addresses.error();
  for (const tcp::endpoint& address : *addresses) {
    const auto allowed = policy.check(permit.host, *address.data());
    if (!allowed) return refused(allowed, Refusal::kNetwork);
    const std::string text = address.address().to_string();
    const bool known = std::ranges::find(permit.addresses, text) != permit.addresses.end();
    if (!known) permit.addresses.push_back(text);
  }
  return permit;
}

}  // namespace quarry::services
