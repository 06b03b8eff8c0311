#include "resource-pypi/source.h"

#include "package_source/digest.h"
#include "resource-pypi/metadata.h"

#include <quarry/json.hpp>
#include <quarry/percent.hpp>

#include <utility>

#include <nlohmann/json.hpp>

namespace quarry::resource_pypi {
namespace {

using Json = nlohmann::json;
constexpr std::size_t kMostPage = std::size_t{32} << 20;
constexpr std::size_t kMostMetadata = std::size_t{1} << 20;

/// Only files.pythonhosted.org is shown by PyPI's Inspector.
constexpr std::string_view kFiles = "https://files.pythonhosted.org";

}  // namespace

Outcome<HttpResponse> Source::page(const Validators& known) const {
  const auto url = fields_.index.resolve(fields_.requirement.package + "/");
  auto got = transfer_.get(*url, kAccept, known, kMostPage);
  if (got || got.failure().status != QUARRY_NOT_FOUND) return got;
  Failure failure =
      field_failure("/package", "is not a project of the index",
                    "Check the spelling, or name the project's index in the field index.");
  failure.status = QUARRY_NOT_FOUND;
  failure.message =
      "the index " + fields_.requirement.index + " has no project " + fields_.requirement.package;
  return failure;
}

Outcome<Page> Source::read(const HttpResponse& got) const {
  const auto url = Url::parse(got.url);
  return read_page(got.body, header(got.headers, "content-type"), url ? *url : fields_.index,
                   fields_.requirement.package);
}

Outcome<std::string> Source::resolve(std::string_view last) const {
  const auto last_version = json::member(last, "version");
  std::optional<Release> known;
  if (last_version) known = Release::read(*last_version);
  auto got = page(known ? known->page : Validators{});
  if (!got) return got.failure();
  if (got->status == 304) return unchanged(*last_version, std::move(*known));
  auto offered = read(*got);
  if (!offered) return offered.failure();
  auto release = chosen(*offered, known);
  if (!release) return release.failure();
  (*release).page = Validators::of(got->headers);
  return release->json(!fields_.requirement.specifier.empty());
}

Outcome<std::string> Source::unchanged(std::string_view version, Release release) const {
  if (release.listed) return std::string(version);
  // The page states no hash, so the file may have changed behind it.
  const auto differs = measure(release, std::nullopt);
  if (!differs) return differs.failure();
  if (!*differs) return std::string(version);
  return release.json(!fields_.requirement.specifier.empty());
}

/// The release of `file`, its hash still unknown.
Release Source::release_of(const Page& page, const PageFile& file) const {
  Release out;
  out.package = fields_.requirement.package;
  out.version = file.parts.version.text();
  out.file = file.name;
  out.url = file.url.text();
  out.requires_python = file.requires_python;
  out.notes = notes_about(file, page, fields_.requirement);
  if (const PageFile* described = metadata_of(page, file)) {
    Url url = described->url;
    url.path += ".metadata";
    out.metadata_url = url.text();
    out.metadata_hash = described->metadata_hash;
  }
  return out;
}

Outcome<Release> Source::chosen(const Page& page, const std::optional<Release>& known) const {
  const auto choice = choose(page, fields_.requirement);
  if (!choice) return choice.failure();
  const PageFile& file = *choice->file;
  if (file.size && *file.size > kMostFile) {
    return Failure{QUARRY_RESOURCE_EXHAUSTED,
                   file.name + " has " + std::to_string(*file.size) +
                       " bytes, more than the limit of " + std::to_string(kMostFile),
                   "Choose another version or format.",
                   {}};
  }
  Release out = release_of(page, file);
  out.listed = file.hash && file.hash->is_strong();
  if (out.listed) {
    out.hash = *file.hash;
    return out;
  }
  // A weak hash of the page is compared with all of the file.
  if (!file.hash && known && !known->listed && known->url == out.url) {
    out.hash = known->hash;
    out.content = known->content;
  }
  if (const auto read = measure(out, file.hash); !read) {
    return read.failure();
  }
  return out;
}

Outcome<bool> Source::measure(Release& release, const std::optional<Hash>& stated) const {
  auto wanted = transfer_.download_of(release.file, release.url, stated);
  wanted.known = release.content;
  auto slot =
      package_source::FileSlot::open(host_, call_, transfer_.entry_name(release.url), kMostFile);
  if (!slot) return slot.failure();
  const auto facts = package_source::download(transfer_.exchange(), *slot, wanted);
  if (!(*slot).file()) (*slot).remove();
  if (!facts) return facts.failure();
  if (facts->sha256.empty()) return false;
  const Hash before = std::exchange(release.hash, {"sha256", facts->sha256});
  release.content = facts->validators;
  if (before != release.hash) return true;
  (*slot).remove();
  return false;
}

/// Finds the file of a lock file's version, which has no URL, in the index.
Outcome<Release> Source::locate(const Release& locked) const {
  const auto got = page({});
  if (!got) return got.failure();
  const auto offered = read(*got);
  if (!offered) return offered.failure();
  for (const PageFile& file : offered->files) {
    if (file.name != locked.file) continue;
    const bool comparable = file.hash && file.hash->algorithm == locked.hash.algorithm;
    if (comparable && !(*file.hash == locked.hash)) {
      return changed(file.name, locked.hash, file.hash->text());
    }
    Release out = release_of(*offered, file);
    out.hash = locked.hash;
    return out;
  }
  return Failure{QUARRY_NOT_FOUND,
                 "the index " + fields_.requirement.index + " no longer offers " + locked.file,
                 "Lock another version.",
                 {}};
}

/// The metadata of PEP 658; empty where it cannot be had, since the archive has some as well.
Outcome<std::string> Source::metadata(const Release& release) const {
  const auto url = Url::parse(release.metadata_url);
  if (!url) return std::string();
  const auto got = transfer_.get(*url, "*/*", {}, kMostMetadata);
  if (call_.over()) return call_.why();
  if (!got) return std::string();
  if (release.metadata_hash) {
    package_source::Digest digest(openssl_name_of(release.metadata_hash->algorithm));
    digest.add(got->body);
    const Hash found{release.metadata_hash->algorithm, digest.hex()};
    if (found != *release.metadata_hash) {
      return changed(release.metadata_url, *release.metadata_hash, found.text());
    }
  }
  return got->body;
}

std::string Source::permalink(const Release& release, const std::string& root) const {
  const auto url = Url::parse(release.url);
  if (fields_.requirement.index != kPypi || !url || url->origin() != kFiles) return {};
  std::string out = "https://inspector.pypi.io/project/" + release.package + "/" +
                    to_percent_encoded(release.version) + url->path + "/";
  if (!root.empty()) out += to_percent_encoded(root) + "/";
  return out + "{path}#line.{start}";
}

std::optional<Failure> Source::add_overview(const Release& release, Unpacked& unpacked,
                                            Tree& tree) const {
  const auto complete = metadata(release);
  if (!complete) return complete.failure();
  const OverviewFacts facts{release.package, release.version, release.file, release.hash.text(),
                            release.requires_python};
  const Metadata whole = read_metadata(*complete);
  const Metadata own = unpacked.metadata.empty() ? whole : read_metadata(unpacked.metadata);
  std::string text = overview(facts, own, whole);
  if (text.size() > tree.file_limit()) text.resize(tree.file_limit());
  const std::string page = fields_.requirement.index == kPypi
                               ? "https://pypi.org/project/" + release.package + "/" +
                                     to_percent_encoded(release.version) + "/"
                               : std::string();
  const std::string title = release.package + " " + release.version;
  if (!tree.add_file({kOverview, page, title, "text/markdown"}, text)) {
    return Failure{QUARRY_RESOURCE_EXHAUSTED, "the files were not accepted", {}, {}};
  }
  return std::nullopt;
}

Outcome<std::string> Source::fetch(std::string_view version, Tree& tree) const {
  auto release = Release::read(version);
  if (!release) {
    return Failure{QUARRY_INVALID_ARGUMENT,
                   "the version \"" + json::string(version, "id").value_or("").substr(0, 200) +
                       "\" is not one of this type",
                   "Write the lock file again with quarry lock.",
                   {}};
  }
  if (release->url.empty()) {
    auto found = locate(*release);
    if (!found) return found.failure();
    release = std::move(*found);
  }
  auto slot = package_source::obtain(
      transfer_.exchange(), transfer_.entry_name(release->url),
      transfer_.download_of(release->file, release->url, release->hash), tree.scratch());
  if (!slot) return slot.failure();
  auto done = add_files(*release, (*slot).file(), tree);
  if (done) (*slot).remove();  // the snapshot has what was in it
  return done;
}

Outcome<std::string> Source::add_files(const Release& release, const package_source::File& file,
                                       Tree& tree) const {
  auto unpacked = unpack(call_, file, release.file, tree);
  if (!unpacked) return unpacked.failure();
  Json out{{"notes", release.notes}};
  for (const std::string& note : (*unpacked).notes) out["notes"].push_back(note);
  if (!unpacked->has_overview) {
    if (auto failed = add_overview(release, *unpacked, tree)) return *failed;
    // With the project's page as its permalink it is no generated file to the host.
    if (fields_.requirement.index != kPypi) out["generated"] = {kOverview};
  }
  if (auto link = permalink(release, unpacked->root); !link.empty()) out["permalink"] = link;
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace quarry::resource_pypi
