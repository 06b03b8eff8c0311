// A type of resource: the source of a Debian package, from the archive that has it.
#include "resource-debian/package.h"
#include "schema.json.h"

#include <quarry/plugin.hpp>

namespace quarry::resource_debian {
namespace {

class DebianResource {
 public:
  DebianResource(Host host, std::string_view configuration)
      : host_(host),
        settings_(settings_of(configuration)),
        store_(host, settings_),
        suites_(host, store_) {}

  std::string describe() {
    return "{\"title\": \"Source of a Debian package\", \"schema\": " + std::string(SCHEMA_JSON) +
           R"(, "examples": ["debian:curl", "debian:curl@7.88.1-10+deb12u5", "debian:curl/bookworm",
  "https://sources.debian.org/src/curl/", "https://tracker.debian.org/pkg/curl",
  "pkg:deb/debian/curl"]})";
  }

  Outcome<std::string> normalise(const Call&, std::string_view resource) {
    const auto wanted = wanted_of(settings_, resource);
    if (!wanted) return wanted.failure();
    return canonical(*wanted);
  }

  Outcome<std::string> resolve(const Call& call, std::string_view resource, std::string_view last) {
    const auto wanted = wanted_of(settings_, resource);
    if (!wanted) return wanted.failure();
    const auto last_version = quarry::json::member(last, "version").value_or("{}");
    const Seen seen = seen_of(*wanted, last_version);
    const auto suite = suites_.current(call, *wanted, seen);
    if (!suite) return suite.failure();
    if (suite->unchanged) return std::string(last_version);
    const auto indices = indices_of(*wanted, *suite);
    if (!indices) return indices.failure();
    if (quarry::json::string(last_version, "indices") == *indices) {
      if (seen.sha256 == suite->sha256) return std::string(last_version);
      if (auto found = found_of(last_version))
        return version_json(*wanted, *found, *suite, *indices);
    }
    const auto found = find_source(call, store_, *wanted, *suite);
    if (!found) return found.failure();
    return version_json(*wanted, *found, *suite, *indices);
  }

  Outcome<std::string> fetch(const Call& call, std::string_view resource, std::string_view version,
                             quarry::Tree& tree) {
    const auto wanted = wanted_of(settings_, resource);
    if (!wanted) return wanted.failure();
    auto found = found_of(version);
    if (!found) {
      auto locked = locate(call, store_, suites_, *wanted, version);
      if (!locked) return locked.failure();
      found = *locked;
    }
    return fetch_package(call, store_, *wanted, *found, tree);
  }

  std::string parse_reference(std::string_view reference) { return read_reference(reference); }

 private:
  Host host_;
  Settings settings_;
  Store store_;
  Suites suites_;
};

}  // namespace
}  // namespace quarry::resource_debian

QUARRY_PLUGIN("io.quarry.resource-debian", QUARRY_VERSION,
              quarry::resource<quarry::resource_debian::DebianResource>("debian"))
