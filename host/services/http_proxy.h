#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::services {

/// The proxies of the environment, read as curl reads them: http_proxy (lower case only: a CGI
/// could set the other), https_proxy and HTTPS_PROXY, all_proxy and ALL_PROXY, no_proxy and
/// NO_PROXY. Immutable. [any thread]
class ProxySettings {
 public:
  using Environment = std::function<const char*(const char* name)>;

  ProxySettings() = default;
  explicit ProxySettings(const Environment& environment);

  /// True if no URL has a proxy.
  [[nodiscard]] bool empty() const { return http_.empty() && https_.empty(); }
  /// The proxy for a URL of `scheme` and `host`; empty = none. Always empty for this machine
  /// itself.
  [[nodiscard]] std::string choose(std::string_view scheme, std::string_view host) const;

 private:
  [[nodiscard]] bool excluded(std::string_view host) const;

  std::string http_;
  std::string https_;
  std::vector<std::string> excluded_;
};

}  // namespace quarry::services
