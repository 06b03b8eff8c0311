#include "package_source/address.h"
#include "resource-pypi/fields.h"
#include "resource-pypi/source.h"
#include "schema.json.h"

#include <quarry/base64.hpp>
#include <quarry/json.hpp>
#include <quarry/plugin.hpp>
#include <quarry/secrets.hpp>

#include <memory>
#include <string>
#include <utility>

namespace {

namespace pypi = quarry::resource_pypi;
using quarry::Call;
using quarry::Outcome;

class PythonPackage {
 public:
  static Outcome<std::unique_ptr<PythonPackage>> create(quarry::Host host,
                                                        std::string_view configuration) {
    auto settings = pypi::Settings::read(configuration);
    if (!settings) return settings.failure();
    return std::make_unique<PythonPackage>(host, std::move(*settings));
  }
  PythonPackage(quarry::Host host, pypi::Settings settings)
      : host_(host), settings_(std::move(settings)) {}

  std::string describe() {
    return std::string(R"({"type":"pypi","title":"Python package","schema":)") + SCHEMA_JSON +
           R"(,"examples":["pypi:requests","pypi:requests@2.31",)"
           R"("https://pypi.org/project/requests/","pkg:pypi/requests@2.31.0"]})";
  }
  Outcome<std::string> normalise(const Call&, std::string_view resource) {
    return pypi::normalise(settings_, resource);
  }
  Outcome<std::string> resolve(const Call& call, std::string_view resource, std::string_view last) {
    const auto source = source_of(call, resource);
    if (!source) return source.failure();
    return source->resolve(last);
  }
  Outcome<std::string> fetch(const Call& call, std::string_view resource, std::string_view version,
                             quarry::Tree& tree) {
    const auto source = source_of(call, resource);
    if (!source) return source.failure();
    return source->fetch(version, tree);
  }
  std::string parse_reference(std::string_view reference) {
    return pypi::parse_reference(reference);
  }

 private:
  Outcome<pypi::Source> source_of(const Call& call, std::string_view resource) {
    auto fields = pypi::read_fields(resource);
    if (!fields) return fields.failure();
    auto authorization = authorization_for(call, resource, fields->index);
    if (!authorization) return authorization.failure();
    return pypi::Source(host_, call, std::move(*fields), std::move(*authorization));
  }

  /// The Authorization header for the index; empty when the resource has no token.
  Outcome<std::string> authorization_for(const Call& call, std::string_view resource,
                                         const pypi::Url& index) {
    const auto secret = quarry::json::string(resource, "token");
    if (!secret || secret->empty()) return std::string();
    const auto token = quarry::secret(host_, call, *secret);
    if (!token) return token.failure();
    if (token->empty()) return std::string();
    if (index.scheme == "http" && !quarry::package_source::is_private_host(index.host)) {
      return quarry::field_failure("/index", "is http, over which the token is not sent",
                                   "Write an https URL, or remove the token.");
    }
    const bool has_user = token->find(':') != std::string::npos;
    const std::string code = quarry::to_base64(has_user ? *token : "__token__:" + *token);
    quarry::hide(host_, code);
    return "Basic " + code;
  }

  quarry::Host host_;
  pypi::Settings settings_;
};

}  // namespace

QUARRY_PLUGIN("io.quarry.resource-pypi", QUARRY_VERSION, quarry::resource<PythonPackage>("pypi"))
