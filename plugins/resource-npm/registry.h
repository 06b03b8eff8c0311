#pragma once

#include "resource-npm/npmrc.h"
#include "resource-npm/resource.h"
#include "resource-npm/settings.h"

#include <quarry/http.hpp>

#include <string>
#include <vector>

namespace quarry::resource_npm {

/// Where a package is asked for, and how to show there who asks.
class Registry {
 public:
  /// The registry of the resource, else of the configuration, else of .npmrc (of the package's
  /// scope before the usual one), else the public one. Fails when .npmrc names no URL. For projects
  /// it is one of Settings::registries.
  static Outcome<Registry> choose(const Resource& resource, const Settings& settings, Npmrc npmrc);

  /// Who reads there: what one reader was given is kept for no other. One line or two, and empty
  /// for the owner without a token in the resource.
  [[nodiscard]] std::string reader() const { return whose_ + token_; }
  /// Whether it is asked on behalf of a project.
  [[nodiscard]] bool for_projects() const { return !whose_.empty(); }
  /// Ends with "/".
  [[nodiscard]] std::string url() const { return url_.text(); }
  [[nodiscard]] bool is_public() const;
  [[nodiscard]] std::string packument_url(std::string_view package) const;
  /// Where a tarball is, that the registry says to be at `told`: a registry in the place of the
  /// public one may still tell the public one's URLs.
  [[nodiscard]] Outcome<Url> tarball_url(std::string_view told) const;

  /// The headers that show who asks, for a URL of this registry; none when nothing is known for it.
  /// http is refused but on this machine and in private networks, as what comes by it may be
  /// anybody's. Secrets of .npmrc are hidden from the host's output. [worker]
  [[nodiscard]] Outcome<std::vector<HttpHeader>> headers(const Host& host, const Call& call,
                                                         const Url& url) const;
  /// Name of a variable of .npmrc that is needed for it and not set.
  [[nodiscard]] std::string missing_variable() const { return npmrc_.missing_variable(url_); }

 private:
  Registry(Url url, std::string token, Npmrc npmrc, std::string whose)
      : url_(std::move(url)),
        token_(std::move(token)),
        npmrc_(std::move(npmrc)),
        whose_(std::move(whose)) {}
  static Outcome<Registry> choose_for_project(const Resource& resource, const Settings& settings);

  Url url_;
  std::string token_;  // name of a secret
  Npmrc npmrc_;
  std::string whose_;  // empty = the owner's
};

/// The user's .npmrc: of NPM_CONFIG_USERCONFIG, else $HOME/.npmrc. One that is not there is empty.
Npmrc read_npmrc(const Npmrc::Environment& environment);

}  // namespace quarry::resource_npm
