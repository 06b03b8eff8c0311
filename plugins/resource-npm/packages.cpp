#include "resource-npm/packages.h"

#include "resource-npm/choice.h"
#include "resource-npm/client.h"
#include "resource-npm/page.h"
#include "resource-npm/resource.h"
#include "resource-npm/tarball.h"

#include <quarry/json.hpp>

namespace quarry::resource_npm {
namespace {

constexpr std::size_t kMostNote = 300;

std::string display_of(const Resource& resource, const std::string& version) {
  std::string out = resource.package + " " + version;
  if (!resource.wanted.version) out += " (" + resource.wanted.text + ")";
  return out;
}

/// The expected hashes of the tarball: the registry's current one, and the one from when the
/// version was resolved, which must agree.
Outcome<std::vector<Integrity>> integrities_of(const std::string& what, const Release& release,
                                               std::string_view resolved) {
  const auto now = Integrity::parse(release.integrity);
  const auto then = Integrity::parse(resolved);
  if (!resolved.empty() && !then) {
    return Failure{QUARRY_INVALID_ARGUMENT,
                   "\"" + std::string(resolved) + "\" is no integrity of " + what,
                   "Resolve or lock it again.",
                   {}};
  }
  if (!now && !then) {
    return Failure{QUARRY_UNSUPPORTED,
                   "the registry gives no integrity for " + what + ", so it cannot be verified",
                   "Choose another version, or a registry that gives it.",
                   {}};
  }
  std::vector<Integrity> out;
  if (then) out.push_back(*then);
  if (!now) return out;
  const bool comparable = then && then->algorithm() == now->algorithm();
  if (comparable && !then->agrees_with(*now)) {
    return Failure{QUARRY_DATA_LOSS,
                   what + " has changed: its integrity was " + then->text() +
                       ", and the registry now gives " + now->text(),
                   "A version must never change: ask its publisher. If the change is intended, "
                   "resolve or lock it again.",
                   {}};
  }
  if (!comparable) out.push_back(*now);
  return out;
}

/// At most kMostNote bytes, whole characters.
std::string_view shortened(std::string_view note) {
  if (note.size() <= kMostNote) return note;
  std::size_t size = kMostNote;
  while (size > 0 && (static_cast<unsigned char>(note[size]) & 0xc0) == 0x80) --size;
  return note.substr(0, size);
}

std::string metadata_of(const std::string& package, const Registry& registry,
                        const std::string& page, const std::vector<std::string>& notes) {
  std::string out = "{\"notes\":[";
  for (std::size_t i = 0; i < notes.size(); ++i) {
    out += (i == 0 ? "" : ",") + json::quoted(shortened(notes[i]));
  }
  out += "]";
  if (registry.is_public()) {
    const std::string files = "https://unpkg.com/" + package + "@{version}/";
    out += ",\"permalink\":" + json::quoted(files + "{path}#L{start}-L{end}");
  }
  if (!page.empty()) out += ",\"generated\":[" + json::quoted(page) + "]";
  return out + "}";
}

/// The readme of the tarball, else of the registry. A failure of the registry is ignored: the files
/// are complete, so a page without a readme is acceptable.
std::string readme_of(const Client& client, const Call& call, const std::string& version,
                      const Tarball& tarball) {
  if (!tarball.readme.empty()) return tarball.readme;
  const auto readme = client.readme(call, version);
  return readme ? *readme : std::string();
}

}  // namespace

Npmrc Packages::npmrc() const {
  return settings_.npmrc ? read_npmrc(environment_) : Npmrc();
}

Outcome<Packages::Asked> Packages::read(std::string_view text) const {
  auto resource = Resource::read(text);
  if (!resource) return resource.failure();
  auto registry = Registry::choose(*resource, settings_, npmrc());
  if (!registry) return registry.failure();
  return Asked{std::move(*resource), std::move(*registry)};
}

Outcome<std::string> Packages::normalise(std::string_view text) const {
  auto canonical = resource_npm::normalise(text);
  if (!canonical || !settings_.for_projects) return canonical;
  const auto asked = read(*canonical);
  if (!asked) return asked.failure();
  return canonical;
}

Outcome<std::string> Packages::resolve(const Call& call, std::string_view text) const {
  const auto asked = read(text);
  if (!asked) return asked.failure();
  const Wanted& wanted = asked->resource.wanted;
  const Client client(host_, asked->registry, asked->resource.package);
  const auto packument =
      wanted.version ? client.packument_with(call, wanted.text) : client.packument(call);
  if (!packument) return packument.failure();
  const auto version = choose(*packument, wanted);
  if (!version) return version.failure();
  const Release& release = packument->releases.at(*version);
  std::string out = "{\"id\":" + json::quoted(*version) + ",\"immutable\":true";
  if (!release.integrity.empty()) out += ",\"integrity\":" + json::quoted(release.integrity);
  return out + ",\"display\":" + json::quoted(display_of(asked->resource, *version)) + "}";
}

Outcome<std::string> Packages::fetch(const Call& call, std::string_view text,
                                     std::string_view version, Tree& tree) const {
  const auto asked = read(text);
  if (!asked) return asked.failure();
  const std::string& package = asked->resource.package;
  const Client client(host_, asked->registry, package);
  const std::string id = json::string(version, "id").value_or("");
  const auto packument = client.packument_with(call, id);
  if (!packument) return packument.failure();
  const auto found = packument->releases.find(id);
  if (found == packument->releases.end()) return no_version(*packument, id);
  const Release& release = found->second;
  const std::string what = package + " " + id;
  const auto integrities =
      integrities_of(what, release, json::string(version, "integrity").value_or(""));
  if (!integrities) return integrities.failure();
  auto packed = client.tarball(call, id, release, *integrities, tree.scratch());
  if (!packed) return packed.failure();
  const auto tarball = unpack((*packed).file(), kTarballLimits, call, tree);
  if (!tarball) return tarball.failure();

  const std::string page = page_name(tarball->names);
  const bool added = tree.add_file(
      page,
      page_of(tarball->package_json, readme_of(client, call, id, *tarball), release.deprecated));
  std::vector<std::string> notes;
  if (!release.deprecated.empty()) notes.push_back(what + " is deprecated: " + release.deprecated);
  if (added) {
    notes.push_back(page +
                    " is no file of the package: it is made of its readme and package.json.");
  }
  notes.insert(notes.end(), tarball->notes.begin(), tarball->notes.end());
  return metadata_of(package, asked->registry, added ? page : std::string(), notes);
}

}  // namespace quarry::resource_npm
