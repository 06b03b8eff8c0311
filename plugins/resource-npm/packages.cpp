#include "resource-npm/packages.h"

#include "resource-npm/choice.h"
#include "resource-npm/download.h"
#include "resource-npm/file.h"
#include "resource-npm/gunzip.h"
#include "resource-npm/page.h"
#include "resource-npm/registry_failure.h"
#include "resource-npm/tarball.h"

#include <quarry/json.hpp>
#include <quarry/paths.h>

#include <filesystem>

namespace quarry::resource_npm {
namespace {

constexpr std::size_t kMostPackument = std::size_t{256} << 20;
constexpr std::size_t kMostNote = 300;
constexpr const char* kAbbreviated =
    "application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8, */*";

std::string display_of(const Resource& resource, const std::string& version) {
  std::string out = resource.package + " " + version;
  if (resource.wanted.version() == nullptr) out += " (" + resource.wanted.text + ")";
  return out;
}

Asked asked_for(const Resource& resource, const Registry& registry, const std::string& what,
                const std::vector<HttpHeader>& shown) {
  return {resource.package, registry.url(), what, !shown.empty(), registry.missing_variable()};
}

/// Its whole text, unpacked if the registry packed it.
Outcome<HttpResponse> get(const Host& host, const Call& call, HttpRequest request,
                          const Asked& asked) {
  request.headers.push_back({"Accept-Encoding", "gzip", {}});
  auto response = fetch(host, call, request, kMostPackument);
  if (!response) return not_reached(asked, response.failure());
  if (header(response->headers, "content-encoding") != "gzip") return response;
  auto text = gunzip(response->body, kMostPackument);
  if (!text) {
    return Failure{QUARRY_UNAVAILABLE,
                   asked.registry + " sent a damaged answer to the question for " + asked.what,
                   "Try again.",
                   {}};
  }
  (*response).body = std::move(*text);
  return response;
}

Failure no_packument(const Asked& asked) {
  return {QUARRY_UNAVAILABLE,
          asked.registry + " answers the question for " + asked.what +
              " with something else than what it knows of the package",
          "Check that this is the URL of an npm registry, and that no log-in page is before it.",
          {}};
}

/// What the tarball must hash to: what the registry says now, and what it said when the version was
/// resolved, which may not differ.
Outcome<std::vector<Integrity>> integrities_of(const std::string& what, const Release& release,
                                               std::string_view resolved) {
  const auto now = Integrity::parse(release.integrity);
  const auto then = Integrity::parse(resolved);
  if (!resolved.empty() && !then) {
    return Failure{QUARRY_INVALID_ARGUMENT,
                   "\"" + std::string(resolved) + "\" is no integrity of " + what,
                   "Resolve it again.",
                   {}};
  }
  if (!now && !then) {
    return Failure{QUARRY_UNSUPPORTED,
                   "the registry tells no integrity of " + what + ", so nothing shows what it is",
                   "Choose another version, or a registry that tells it.",
                   {}};
  }
  std::vector<Integrity> out;
  if (then) out.push_back(*then);
  if (!now) return out;
  if (then && then->algorithm() == now->algorithm()) {
    if (then->agrees_with(*now)) return out;
    return Failure{QUARRY_INVALID_ARGUMENT,
                   what + " has changed: its integrity was " + then->text() +
                       ", and the registry says now " + now->text(),
                   "A version must never change; ask whoever publishes it. If it is meant, resolve "
                   "or lock it again.",
                   {}};
  }
  out.push_back(*now);
  return out;
}

std::string answer_of(const Resource& resource, const Registry& registry,
                      const std::vector<std::string>& notes) {
  std::string out = "{\"notes\":[";
  for (std::size_t i = 0; i < notes.size(); ++i) {
    out += (i == 0 ? "" : ",") + json::quoted(notes[i].substr(0, kMostNote));
  }
  out += "]";
  if (registry.is_public()) {
    out += ",\"permalink\":" + json::quoted("https://unpkg.com/" + resource.package +
                                            "@{version}/{path}#L{start}-L{end}");
  }
  return out + "}";
}

}  // namespace

KeptPackuments Packages::kept() const {
  const auto* paths = host_.service<quarry_paths_v1>(QUARRY_PATHS);
  return KeptPackuments(paths ? std::filesystem::path(as_view(paths->cache(paths)))
                              : std::filesystem::path());
}

Outcome<Registry> Packages::registry_of(const Resource& resource) const {
  return Registry::choose(resource, settings_,
                          settings_.npmrc ? read_npmrc(environment_) : Npmrc());
}

Outcome<Packument> Packages::ask(const Call& call, const Resource& resource,
                                 const Registry& registry) const {
  const std::string url = registry.packument_url(resource.package);
  auto shown = registry.headers(host_, call, *Url::parse(url));
  if (!shown) return shown.failure();
  const Asked asked = asked_for(resource, registry, resource.package, *shown);
  auto known = kept().load(url);
  HttpRequest request{"GET", url, *shown, {}};
  request.headers.push_back({"Accept", kAbbreviated, {}});
  if (known && !known->etag.empty()) request.headers.push_back({"If-None-Match", known->etag, {}});
  const auto response = get(host_, call, std::move(request), asked);
  if (!response) return response.failure();
  if (response->status == 304 && known) return std::move(*known);
  if (response->status != 200) return refused(asked, *response);
  auto packument = Packument::read(response->body);
  if (!packument) return no_packument(asked);
  packument->name = resource.package;
  packument->etag = header(response->headers, "etag");
  if (const std::string wrong = kept().store(url, *packument); !wrong.empty()) {
    host_.log(QUARRY_LOG_WARNING, wrong);
  }
  return std::move(*packument);
}

Outcome<Packument> Packages::packument_with(const Call& call, const Resource& resource,
                                            const Registry& registry,
                                            const std::string& version) const {
  auto known = kept().load(registry.packument_url(resource.package));
  if (known && known->releases.contains(version)) return std::move(*known);
  return ask(call, resource, registry);
}

Outcome<std::string> Packages::resolve(const Call& call, std::string_view text) const {
  const auto resource = Resource::read(text);
  if (!resource) return resource.failure();
  const auto registry = registry_of(*resource);
  if (!registry) return registry.failure();
  const auto packument = resource->wanted.version() != nullptr
                             ? packument_with(call, *resource, *registry, resource->wanted.text)
                             : ask(call, *resource, *registry);
  if (!packument) return packument.failure();
  const auto version = choose(*packument, resource->wanted);
  if (!version) return version.failure();
  const Release& release = packument->releases.at(*version);
  std::string out = "{\"id\":" + json::quoted(*version) + ",\"immutable\":true";
  if (!release.integrity.empty()) out += ",\"integrity\":" + json::quoted(release.integrity);
  return out + ",\"display\":" + json::quoted(display_of(*resource, *version)) + "}";
}

Outcome<std::string> Packages::fetch(const Call& call, std::string_view text,
                                     std::string_view version, Tree& tree) const {
  const auto resource = Resource::read(text);
  if (!resource) return resource.failure();
  const auto registry = registry_of(*resource);
  if (!registry) return registry.failure();
  const std::string id = json::string(version, "id").value_or("");
  const auto packument = packument_with(call, *resource, *registry, id);
  if (!packument) return packument.failure();
  const auto chosen = choose(*packument, {id, Version::parse(id).value_or(Version{})});
  if (!chosen) return chosen.failure();
  const Release& release = packument->releases.at(*chosen);
  const std::string what = resource->package + " " + id;
  const auto integrities =
      integrities_of(what, release, json::string(version, "integrity").value_or(""));
  if (!integrities) return integrities.failure();

  const auto url = registry->tarball_url(release.tarball);
  if (!url) return url.failure();
  const auto shown = registry->headers(host_, call, *url);
  if (!shown) return shown.failure();
  const Asked asked = asked_for(*resource, *registry, "the tarball of " + what, *shown);
  const std::string_view scratch = tree.scratch();
  if (scratch.empty()) return Failure{QUARRY_INTERNAL, "there is no room to work in", {}, {}};
  const std::filesystem::path path = std::filesystem::path(scratch) / "package.tgz";
  const auto size =
      download(host_, call, {"GET", url->text(), *shown, {}}, asked, *integrities, path);
  if (!size) return size.failure();
  const Mapped packed(path);
  auto tarball = unpack(packed.bytes(), {}, call, tree);
  if (!tarball) return tarball.failure();

  const std::string name = page_name(tarball->names);
  if (!tree.add_file(name, page_of(tarball->package_json, tarball->readme, release.deprecated))) {
    return std::string("{}");
  }
  std::vector<std::string> notes;
  if (!release.deprecated.empty()) {
    notes.push_back(what + " is deprecated: " + release.deprecated);
  }
  notes.push_back(name +
                  " is no file of the package: it is generated from its readme and its "
                  "package.json.");
  notes.insert(notes.end(), tarball->notes.begin(), tarball->notes.end());
  return answer_of(*resource, *registry, notes);
}

}  // namespace quarry::resource_npm
