#include "resource-debian/package.h"

#include "package_source/unpack.h"
#include "resource-debian/version.h"

#include <quarry/json.hpp>
#include <quarry/percent.hpp>

namespace quarry::resource_debian {
namespace {

constexpr std::uint64_t kMostDescription = std::uint64_t{4} << 20;

std::string file_json(const Listed& file) {
  return "{\"name\":" + json::quoted(file.name) + ",\"size\":" + std::to_string(file.size) +
         ",\"sha256\":\"" + file.sha256 + "\"}";
}

bool is_in_sources(std::string_view origin) {
  return origin == "Debian" || origin == "Debian Backports";
}

std::string url_of(const Wanted& wanted, const Found& found, const std::string& name) {
  const std::string folder = found.directory.empty() ? "" : found.directory + '/';
  return wanted.mirror + '/' + quarry::to_percent_encoded(folder + name, "/+~:@");
}

Failure contradiction(const std::string& name, const std::string& what) {
  return failure(QUARRY_DATA_LOSS, name + " " + what,
                 "the archive is inconsistent: report it, or use another mirror");
}

// What the signed index and the .dsc say of one file must be the same.
Problem check_against_index(const Found& found, const Description& description) {
  for (const Listed& file : description.files) {
    for (const Listed& said : found.files) {
      if (said.name != file.name) continue;
      if (said.sha256 != file.sha256 || said.size != file.size) {
        return contradiction(found.dsc()->name,
                             "and the index state different digests of " + file.name);
      }
    }
  }
  return std::nullopt;
}

// The files of the package; an old .dsc has no SHA-256, then those of the signed index are used.
Outcome<Description> describe_package(const Call& call, const Store& store, const Wanted& wanted,
                                      const Found& found) {
  const Listed& dsc = *found.dsc();
  if (dsc.size > kMostDescription) {
    return failure(QUARRY_RESOURCE_EXHAUSTED,
                   dsc.name + " has " + std::to_string(dsc.size) + " bytes",
                   "a description of a source package is not that large");
  }
  const bool exact = dsc.size != 0;
  const auto text = store.get_text(call, {{url_of(wanted, found, dsc.name)},
                                          dsc.name,
                                          exact ? dsc.size : kMostDescription,
                                          dsc.sha256,
                                          exact});
  if (!text) return text.failure();
  auto read = read_description(*text, dsc.name);
  if (!read) return read.failure();
  if (read->source != found.package || compare_versions(read->version, found.version) != 0) {
    return contradiction(dsc.name, "describes " + shown(read->source) + " " + shown(read->version) +
                                       ", not " + found.package + " " + found.version);
  }
  if (auto wrong = check_against_index(found, *read)) return *wrong;
  if ((*read).files.empty()) {
    for (const Listed& file : found.files) {
      if (&file != &dsc) (*read).files.push_back(file);
    }
  }
  return read;
}

Outcome<Blobs> download_parts(const Call& call, const Store& store, const Wanted& wanted,
                              const Found& found, const Parts& parts) {
  Blobs out;
  for (const Listed* part : parts.all()) {
    auto blob = store.get(
        call, {{url_of(wanted, found, part->name)}, part->name, part->size, part->sha256, true});
    if (!blob) {
      Failure failed = blob.failure();
      if (failed.status == QUARRY_NOT_FOUND) {
        failed.hint =
            "the archive may have replaced this version meanwhile: try again, or name a "
            "past archive such as https://snapshot.debian.org/archive/debian/20240101T000000Z";
      }
      return failed;
    }
    out.emplace(part->name, std::move(*blob));
  }
  return out;
}

Problem give(const Call& call, const Nodes& nodes, const Spill& spill, quarry::Tree& tree) {
  const auto stopped = [&] {
    return call.over()
               ? call.why()
               : failure(QUARRY_RESOURCE_EXHAUSTED, "the files of the package were not accepted");
  };
  std::size_t done = 0;
  for (const auto& [path, node] : nodes) {
    if (call.over()) return call.why();
    if (++done % 1000 == 0) {
      call.progress("{\"message\":\"reading files\",\"done\":" + std::to_string(done) +
                    ",\"total\":" + std::to_string(nodes.size()) + "}");
    }
    bool taken = false;
    if (node.kind == Node::Kind::kLink) {
      taken = tree.add_link(path);
    } else if (!node.kept || node.size > tree.file_limit()) {
      taken = tree.add_large(path, node.size);
    } else {
      const auto bytes = spill.read(node);
      if (!bytes) return spill_failure();
      taken = tree.add_file(path, *bytes);
    }
    if (!taken) return stopped();
  }
  return std::nullopt;
}

std::string metadata(const Wanted& wanted, const Found& found, const Notes& notes) {
  std::vector<std::string> sentences;
  if (wanted.package != found.package) {
    sentences.push_back(
        json::quoted(wanted.package + " is built from the source package " + found.package + "."));
  }
  package_source::Unpacked left_out;
  left_out.special = notes.devices;
  left_out.long_paths = notes.long_paths;
  for (const auto& note : left_out.notes()) sentences.push_back(json::quoted(note));
  std::string out = "{\"notes\":[" + joined(sentences, ",") + "],\"generated\":[";
  std::vector<std::string> generated;
  for (const auto& path : notes.generated) generated.push_back(json::quoted(path));
  out += joined(generated, ",") + "]";
  if (found.in_sources) {
    out += ",\"permalink\":" + json::quoted("https://sources.debian.org/src/" +
                                            quarry::to_percent_encoded(found.package, "+") + "/" +
                                            quarry::to_percent_encoded(found.version, "+~:") +
                                            "/{path}/?hl={start}:{end}#L{start}");
  }
  return out + "}";
}

// The parts of the pool that may have the package: those of the components, and in Debian's
// security archive "updates/main" and so on.
std::vector<std::string> pool_parts(const Wanted& wanted) {
  std::vector<std::string> components = wanted.components;
  if (components.empty()) components = {"main", "contrib", "non-free", "non-free-firmware"};
  std::vector<std::string> out;
  if (is_security_suite(wanted.suite)) {
    for (const auto& component : components) out.push_back("updates/" + component);
  }
  out.insert(out.end(), components.begin(), components.end());
  return out;
}

// "pool/main/libc/libcap2", where archives of Debian's layout keep a package.
std::string pool_folder(std::string_view part, std::string_view package) {
  const std::size_t letters = package.starts_with("lib") && package.size() > 3 ? 4 : 1;
  return "pool/" + std::string(part) + '/' + std::string(package.substr(0, letters)) + '/' +
         std::string(package);
}

// "curl_7.88.1-10@<digest>" as a package without a folder.
std::optional<Found> locked_of(std::string_view version) {
  const std::string id = json::string(version, "id").value_or("");
  const std::size_t under = id.find('_');
  const std::size_t at = id.rfind('@');
  if (under == std::string::npos || at == std::string::npos || at < under) return std::nullopt;
  Found out;
  out.package = id.substr(0, under);
  out.version = id.substr(under + 1, at - under - 1);
  const std::string digest = id.substr(at + 1);
  if (!is_package_name(out.package) || !is_version(out.version) || !is_sha256(digest)) {
    return std::nullopt;
  }
  out.files.push_back(
      {out.package + '_' + std::string(without_epoch(out.version)) + ".dsc", 0, lower(digest)});
  return out;
}

}  // namespace

std::string version_json(const Wanted& wanted, const Found& found, const Suite& suite,
                         const std::string& indices) {
  const std::string& digest = found.dsc()->sha256;
  const Release& release = suite.release;
  const std::string name = release.codename.empty() ? release.suite : release.codename;
  std::vector<std::string> files;
  for (const Listed& file : found.files) files.push_back(file_json(file));
  return "{\"id\":" + json::quoted(found.package + '_' + found.version + '@' + digest) +
         ",\"immutable\":true,\"display\":" +
         json::quoted(found.package + ' ' + found.version + " (" + shown(name) + ")") +
         ",\"integrity\":\"sha256:" + digest +
         "\",\"resource\":{\"version\":" + json::quoted(found.version) +
         "},\"source\":" + json::quoted(found.package) +
         ",\"version\":" + json::quoted(found.version) +
         ",\"component\":" + json::quoted(found.component) +
         ",\"directory\":" + json::quoted(found.directory) + ",\"files\":[" + joined(files, ",") +
         "],\"inSources\":" +
         (found.in_sources || is_in_sources(release.origin) ? "true" : "false") +
         ",\"indices\":\"" + indices + "\",\"release\":" + seen_json(wanted, suite) + "}";
}

std::optional<Found> found_of(std::string_view version) {
  Found out;
  out.package = json::string(version, "source").value_or("");
  out.version = json::string(version, "version").value_or("");
  out.component = json::string(version, "component").value_or("");
  out.directory = json::string(version, "directory").value_or("");
  out.in_sources = json::member(version, "inSources") == "true";
  for (const auto file : json::elements(version, "files")) {
    const auto size = json::integer(file, "size");
    out.files.push_back({json::string(file, "name").value_or(""),
                         size && *size > 0 ? static_cast<std::uint64_t>(*size) : 0,
                         json::string(file, "sha256").value_or("")});
  }
  if (out.package.empty() || out.dsc() == nullptr) return std::nullopt;
  return out;
}

Outcome<Found> locate(const Call& call, const Store& store, const Suites& suites,
                      const Wanted& wanted, std::string_view version) {
  auto locked = locked_of(version);
  if (!locked) {
    return failure(QUARRY_INVALID_ARGUMENT,
                   "the locked version \"" + shown(json::string(version, "id").value_or("")) +
                       "\" is not one of this type",
                   "run quarry lock again");
  }
  const Listed dsc = *locked->dsc();
  Expected locked_dsc{{}, dsc.name, kMostDescription, dsc.sha256, false};
  for (const auto& part : pool_parts(wanted)) {
    locked->directory = pool_folder(part, locked->package);
    locked->in_sources = wanted.mirror.find("://deb.debian.org/") != std::string::npos;
    locked_dsc.urls = {url_of(wanted, *locked, dsc.name)};
    const auto text = store.get_text(call, locked_dsc);
    if (text) return *locked;
    if (call.over()) return call.why();
  }
  const auto suite = suites.current(call, wanted, {});
  if (!suite) return suite.failure();
  Wanted exact = wanted;
  exact.package = locked->package;
  exact.version = locked->version;
  auto found = find_source(call, store, exact, *suite);
  if (!found) return found.failure();
  if (found->dsc()->sha256 != dsc.sha256) {
    return failure(QUARRY_NOT_FOUND,
                   "the archive has another " + dsc.name + " than the one that was locked",
                   "run quarry lock again if that is intended");
  }
  return found;
}

Outcome<std::string> fetch_package(const Call& call, const Store& store, const Wanted& wanted,
                                   const Found& found, quarry::Tree& tree) {
  const auto description = describe_package(call, store, wanted, found);
  if (!description) return description.failure();
  const auto parts = parts_of(*description);
  if (!parts) return parts.failure();
  auto blobs = download_parts(call, store, wanted, found, *parts);
  if (!blobs) return blobs.failure();
  Spill spill(tree.scratch());
  Notes notes;
  const auto nodes = put_together(call, *parts, *blobs, spill, notes);
  if (!nodes) return nodes.failure();
  std::uint64_t packed = 0;
  for (auto& [name, blob] : *blobs) packed += blob.file().size();
  if (auto failed = check_total(*nodes, packed, found.package, tree.file_limit())) return *failed;
  if (auto failed = give(call, *nodes, spill, tree)) return *failed;
  return metadata(wanted, found, notes);
}

}  // namespace quarry::resource_debian
