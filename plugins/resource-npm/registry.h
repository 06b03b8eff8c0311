#pragma once

#include "resource-npm/npmrc.h"
#include "resource-npm/resource.h"
#include "resource-npm/settings.h"

#include <quarry/http.hpp>

#include <string>
#include <vector>

namespace quarry::resource_npm {

/// The registry of a package, with the credentials for it.
class Registry {
 public:
  /// The registry of the resource, else of the configuration, else of .npmrc (of the package's
  /// scope before the usual one), else the public one. Fails when .npmrc names no URL. For projects
  /// it is one of Settings::registries.
  static Outcome<Registry> choose(const Resource& resource, const Settings& settings, Npmrc npmrc);

  /// Identifies the reader: readers share no cached data. One line or two, and empty for the owner
  /// without a token in the resource.
  [[nodiscard]] std::string reader() const { return reader_prefix_ + token_; }
  /// True if it is used on behalf of a project.
  [[nodiscard]] bool for_projects() const { return !reader_prefix_.empty(); }
  /// Ends with "/".
  [[nodiscard]] std::string url() const { return url_.text(); }
  [[nodiscard]] bool is_public() const;
  [[nodiscard]] std::string packument_url(std::string_view package) const;
  /// The URL of a tarball that the registry gives as `told`: a mirror of the public registry may
  /// still give the public one's URLs.
  [[nodiscard]] Outcome<Url> tarball_url(std::string_view told) const;

  /// The authentication headers for a URL of this registry; none without credentials. http is
  /// refused except on this machine and in private networks, because it proves no origin. Secrets
  /// of .npmrc are hidden from the host's output. [worker]
  [[nodiscard]] Outcome<std::vector<HttpHeader>> headers(const Host& host, const Call& call,
                                                         const Url& url) const;
  /// Name of an unset variable of .npmrc that it needs.
  [[nodiscard]] std::string missing_variable() const { return npmrc_.missing_variable(url_); }

 private:
  Registry(Url url, std::string token, Npmrc npmrc, std::string reader_prefix)
      : url_(std::move(url)),
        token_(std::move(token)),
        npmrc_(std::move(npmrc)),
        reader_prefix_(std::move(reader_prefix)) {}
  static Outcome<Registry> choose_for_project(const Resource& resource, const Settings& settings);

  Url url_;
  std::string token_;  // name of a secret
  Npmrc npmrc_;
  std::string reader_prefix_;  // empty = the owner's
};

/// The user's .npmrc: NPM_CONFIG_USERCONFIG, else $HOME/.npmrc. A missing file is empty.
Npmrc read_npmrc(const Npmrc::Environment& environment);

}  // namespace quarry::resource_npm
