#include "package_source/digest.h"
#include "resource-archive/download.h"
#include "resource-archive/forge.h"
#include "resource-archive/source.h"
#include "resource-archive/unpack.h"
#include "schema.json.h"

#include <quarry/json.hpp>
#include <quarry/plugin.hpp>
#include <quarry/resource.hpp>

#include <string>
#include <string_view>

namespace quarry::resource_archive {
namespace {

using package_source::FileFacts;
using package_source::FileSlot;
using package_source::Validators;

constexpr std::string_view kIdPrefix = "sha256:";

std::string version_of(const Source& source, const std::string& digest) {
  constexpr std::size_t kShort = 12;
  const std::string file = source.url.file_name();
  const std::string shown = (file.empty() ? source.url.host : file.substr(0, 200)) + " (sha256 " +
                            digest.substr(0, kShort) + ")";
  return "{\"id\":\"" + std::string(kIdPrefix) + digest +
         "\",\"immutable\":true,\"display\":" + json::quoted(shown) + "}";
}

Failure other_digest(const Source& source, const std::string& expected, const std::string& got) {
  if (!source.sha256.empty()) {
    return field_failure("/sha256", "is " + expected + ", but the archive has " + got,
                         "compare both with what its publisher states; if the archive was "
                         "replaced and you trust it, correct sha256");
  }
  return {
      QUARRY_NOT_FOUND,
      source.url.text() + " has another archive now: its sha256 is " + got + ", not " + expected,
      "run quarry sync, or quarry lock if quarry.lock names the old one",
      {}};
}

/// Tar and zip archives; <quarry/resource.h> documents the functions. Any thread.
class Archives {
 public:
  Archives(Host host, std::string_view configuration)
      : host_(host), acts_for_(json::string(configuration, "acts_for").value_or("owner")) {
    const auto mib = [configuration](const char* key, std::uint64_t standard) {
      const auto said = json::integer(configuration, key);
      return said ? static_cast<std::uint64_t>(*said) << 20U : standard;
    };
    limits_.download = mib("max_download_mib", limits_.download);
    limits_.unpacked = mib("max_unpacked_mib", limits_.unpacked);
  }

  std::string describe() {
    return std::string(R"({"type":"archive","title":"Tar or zip archive","schema":)") +
           SCHEMA_JSON +
           R"(,"examples":["https://example.org/x-1.2.tar.gz",)"
           R"("archive:https://example.org/download?id=7"]})";
  }
  Outcome<std::string> normalise(const Call&, std::string_view resource) {
    const auto source = read_source(resource);
    if (!source) return source.failure();
    return source->canonical();
  }

  Outcome<std::string> resolve(const Call& call, std::string_view resource, std::string_view last) {
    const auto source = read_source(resource);
    if (!source) return source.failure();
    if (!source->sha256.empty()) return version_of(*source, source->sha256);
    const auto credentials = credentials_of(host_, call, *source);
    if (!credentials) return credentials.failure();
    auto store = open_store(call, *source, *credentials, {});
    if (!store) return store.failure();
    return resolve_by(call, *source, *credentials, *store, last);
  }

  Outcome<std::string> fetch(const Call& call, std::string_view resource, std::string_view version,
                             Tree& tree) {
    const auto source = read_source(resource);
    if (!source) return source.failure();
    const std::string id = json::string(version, "id").value_or("");
    if (!id.starts_with(kIdPrefix)) {
      return Failure{QUARRY_INVALID_ARGUMENT,
                     "the version " + id + " is not one of an archive",
                     "run quarry lock again",
                     {}};
    }
    const auto credentials = credentials_of(host_, call, *source);
    if (!credentials) return credentials.failure();
    auto store = open_store(call, *source, *credentials, tree.scratch());
    if (!store) return store.failure();
    const auto facts = provide(call, *source, *credentials, *store, id.substr(kIdPrefix.size()));
    if (!facts) return facts.failure();
    return unpack_from(call, *source, *store, *facts, tree);
  }

  std::string parse_reference(std::string_view reference) {
    return resource_of_reference(reference);
  }

 private:
  Outcome<FileSlot> open_store(const Call& call, const Source& source,
                               const Credentials& credentials, std::string_view scratch) const {
    const std::string key = package_source::sha256_hex(acts_for_ + "\n" + source.url.text() + "\n" +
                                                       credentials.identity);
    return FileSlot::open(host_, call, key, limits_.download, scratch);
  }

  Outcome<FileFacts> get(const Call& call, const Source& source, const Credentials& credentials,
                         FileSlot& store, const Validators& known) const {
    auto wanted = download_of(source, credentials, limits_.download);
    wanted.known = known;
    return package_source::download({host_, call}, store, wanted);
  }

  Outcome<std::string> resolve_by(const Call& call, const Source& source,
                                  const Credentials& credentials, FileSlot& store,
                                  std::string_view last) const {
    // The archive here may be newer than the last snapshot: its server may have sent the same
    // bytes with another ETag, which the host does not learn of.
    const auto here = store.facts();
    const auto known =
        here ? here->validators : Validators::from(json::member(last, "state").value_or("{}"));
    const auto got = get(call, source, credentials, store, known);
    if (!got) return got.failure();
    if (!got->sha256.empty()) return version_of(source, got->sha256);
    if (here) return version_of(source, here->sha256);
    return std::string(json::member(last, "version").value_or("{}"));
  }

  /// Makes sure that the store has the archive with this digest.
  Outcome<FileFacts> provide(const Call& call, const Source& source, const Credentials& credentials,
                             FileSlot& store, const std::string& digest) const {
    if (const auto here = store.facts(); here && here->sha256 == digest) {
      const auto is = package_source::sha256_of(call, store.file());
      if (is && *is == digest) return *here;
      if (call.over()) return call.why();
      store.remove_file();
    }
    const auto got = get(call, source, credentials, store, {});
    if (!got) return got.failure();
    if (got->sha256 != digest) return other_digest(source, digest, got->sha256);
    return *got;
  }

  Outcome<std::string> unpack_from(const Call& call, const Source& source, FileSlot& store,
                                   const FileFacts& facts, Tree& tree) const {
    const package_source::File& file = store.file();
    const auto pages = pages_of(source, commit_of(call, file));
    const auto notes = unpack(call, source, file, limits_, pages, tree);
    if (!notes) {
      // The next download may be whole.
      if (!call.over() && source.sha256.empty()) store.remove_file();
      return notes.failure();
    }
    std::string list;
    for (const auto& note : *notes) list += (list.empty() ? "" : ",") + json::quoted(note);
    std::string out = "{\"notes\":[" + list + "],\"state\":{" + facts.validators.json() + "}";
    if (pages && !pages->each) out += ",\"permalink\":" + json::quoted(pages->all());
    return out + "}";
  }

  Host host_;
  std::string acts_for_;
  Limits limits_;
};

}  // namespace
}  // namespace quarry::resource_archive

QUARRY_PLUGIN("io.quarry.resource-archive", QUARRY_VERSION,
              quarry::resource<quarry::resource_archive::Archives>("archive"))
