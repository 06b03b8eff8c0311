#include "resource-debian/sources.h"

#include "package_source/digest.h"
#include "resource-debian/archive.h"
#include "resource-debian/version.h"

#include <quarry/percent.hpp>

namespace quarry::resource_debian {
namespace {

constexpr std::uint64_t kMostPacked = std::uint64_t{256} << 20;
constexpr std::uint64_t kMostUnpacked = std::uint64_t{2} << 30;

struct Candidates {
  std::vector<Found> by_source;
  std::vector<Found> by_binary;
};

bool names_binary(std::string_view stanza, std::string_view package) {
  const std::string binaries = field(stanza, "Binary");
  for (const auto name : words(binaries, ",")) {
    if (name == package) return true;
  }
  return false;
}

std::optional<Found> read_stanza(std::string_view stanza, const std::string& component) {
  Found out{field(stanza, "Package"),
            field(stanza, "Version"),
            component,
            field(stanza, "Directory"),
            listed_files(field(stanza, "Checksums-Sha256")),
            field(stanza, "Extra-Source-Only") == "yes",
            false};
  while (out.directory.starts_with("./")) out.directory.erase(0, 2);
  if (out.directory == ".") out.directory.clear();
  const bool plain = is_package_name(out.package) && is_version(out.version) &&
                     (out.directory.empty() || is_plain_path(out.directory)) &&
                     std::all_of(out.files.begin(), out.files.end(),
                                 [](const Listed& file) { return is_plain_name(file.name); });
  if (!plain || out.dsc() == nullptr) return std::nullopt;
  return out;
}

Failure malformed_entry(const std::string& label, std::string_view package) {
  return failure(QUARRY_DATA_LOSS,
                 label + " describes " + std::string(package) +
                     " in a way that is not permitted: its names, paths or digests are malformed",
                 "report it to the archive, or use another mirror");
}

// The components to read: those named, else all that the suite has sources of.
Outcome<std::vector<std::string>> components_of(const Wanted& wanted, const Suite& suite) {
  const Release& release = suite.release;
  for (std::size_t i = 0; i < wanted.components.size(); ++i) {
    if (release.sources_of(wanted.components[i]) != nullptr) continue;
    return quarry::field_failure(
        "/components/" + std::to_string(i),
        "names \"" + wanted.components[i] + "\", which this suite has no sources of",
        "it has the components " + joined(release.components, ", "));
  }
  if (!wanted.components.empty()) return wanted.components;
  std::vector<std::string> out;
  for (const auto& component : release.components) {
    if (release.sources_of(component) != nullptr) out.push_back(component);
  }
  if (!out.empty()) return out;
  return failure(QUARRY_NOT_FOUND,
                 wanted.suite_url() + "InRelease lists no index of sources with a SHA-256",
                 "this archive has no source packages: name another mirror");
}

Expected expected_index(const Wanted& wanted, const Suite& suite, const Listed& index) {
  Expected out{{}, index.name, index.size, index.sha256, true, true};
  const std::string base = wanted.suite_url();
  const std::string folder = index.name.substr(0, index.name.rfind('/') + 1);
  if (suite.release.by_hash) {
    out.urls.push_back(base + quarry::to_percent_encoded(folder, "/") + "by-hash/SHA256/" +
                       index.sha256);
  }
  out.urls.push_back(base + quarry::to_percent_encoded(index.name, "/"));
  return out;
}

// The size that the signed index states for the unpacked index, else a limit.
std::uint64_t most_unpacked(const Suite& suite, const std::string& component) {
  const auto plain = suite.release.files.find(component + "/source/Sources");
  return plain == suite.release.files.end() ? kMostUnpacked
                                            : std::min(plain->second.size, kMostUnpacked);
}

Problem read_index(const Call& call, const Store& store, const Wanted& wanted, const Suite& suite,
                   const std::string& component, Candidates& out) {
  const Listed& index = *suite.release.sources_of(component);
  if (index.size > kMostPacked) {
    return failure(QUARRY_RESOURCE_EXHAUSTED,
                   index.name + " has " + std::to_string(index.size) + " bytes",
                   "name the components that are needed in the field components");
  }
  if (index.size == 0) return std::nullopt;
  auto blob = store.get(call, expected_index(wanted, suite, index));
  if (!blob) return blob.failure();
  Problem wrong;
  StanzaReader reader([&](std::string_view stanza) {
    const bool source = field(stanza, "Package") == wanted.package;
    if (!source && !names_binary(stanza, wanted.package)) return true;
    auto found = read_stanza(stanza, component);
    if (!found) {
      wrong = malformed_entry(index.name, wanted.package);
      return false;
    }
    (source ? out.by_source : out.by_binary).push_back(std::move(*found));
    return true;
  });
  auto failed = unpack_stream(call, (*blob).file(), most_unpacked(suite, component), index.name,
                              [&](std::string_view bytes) { return reader.feed(bytes); });
  if (wrong) return wrong;
  if (reader.too_large()) return malformed_entry(index.name, "a package");
  if (failed) return failed;
  reader.end();
  return wrong;
}

bool is_better(const Found& a, const Found& b) {
  if (a.extra != b.extra) return !a.extra;
  return compare_versions(a.version, b.version) > 0;
}

const Found* newest(const std::vector<Found>& list, std::string_view version) {
  const Found* best = nullptr;
  for (const Found& found : list) {
    if (!version.empty() && compare_versions(found.version, version) != 0) continue;
    if (best == nullptr || is_better(found, *best)) best = &found;
  }
  return best;
}

Failure not_found(const Wanted& wanted, const std::vector<Found>& list,
                  const std::vector<std::string>& components) {
  const std::string where = "the suite " + wanted.suite + " of " + wanted.mirror;
  if (list.empty()) {
    return failure(
        QUARRY_NOT_FOUND,
        where + " has no source or binary package " + wanted.package + " (components " +
            joined(components, ", ") + ")",
        "check the name, or name another suite such as sid; https://packages.debian.org/" +
            wanted.package + " tells which have it");
  }
  std::vector<std::string> versions;
  for (const Found& found : list) versions.push_back(found.version);
  return failure(QUARRY_NOT_FOUND,
                 where + " does not have version " + wanted.version + " of " + wanted.package +
                     ", it has " + joined(versions, ", "),
                 "leave the version out, name the suite that has it, or name a past archive as the "
                 "mirror, as in https://snapshot.debian.org/archive/debian/20240101T000000Z");
}

}  // namespace

const Listed* Found::dsc() const {
  const Listed* out = nullptr;
  for (const Listed& file : files) {
    if (!file.name.ends_with(".dsc")) continue;
    if (out != nullptr) return nullptr;
    out = &file;
  }
  return out;
}

bool is_plain_name(std::string_view name) {
  return !name.empty() && name.size() <= 255 && name.front() != '.' && name.front() != '-' &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return is_digit(c) || is_letter(c) ||
                  std::string_view("+-._~:%@^").find(c) != std::string_view::npos;
         });
}

bool is_plain_path(std::string_view path) {
  if (path.empty() || path.front() == '/' || path.back() == '/') return false;
  const auto parts = words(path, "/");
  return path.find("//") == std::string_view::npos &&
         std::all_of(parts.begin(), parts.end(), is_plain_name);
}

Outcome<std::string> indices_of(const Wanted& wanted, const Suite& suite) {
  const auto components = components_of(wanted, suite);
  if (!components) return components.failure();
  std::string all;
  for (const auto& component : *components) {
    all += component + ' ' + suite.release.sources_of(component)->sha256 + '\n';
  }
  return package_source::sha256_hex(all);
}

Outcome<Found> find_source(const Call& call, const Store& store, const Wanted& wanted,
                           const Suite& suite) {
  const auto components = components_of(wanted, suite);
  if (!components) return components.failure();
  Candidates all;
  for (const auto& component : *components) {
    if (auto failed = read_index(call, store, wanted, suite, component, all)) return *failed;
  }
  const auto& list = all.by_source.empty() ? all.by_binary : all.by_source;
  const Found* best = newest(list, wanted.version);
  if (best == nullptr) best = newest(list, without_rebuild(wanted.version));
  if (best == nullptr) return not_found(wanted, list, *components);
  return *best;
}

}  // namespace quarry::resource_debian
