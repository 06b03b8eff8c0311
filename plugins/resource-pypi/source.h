/// The versions and files of one project in an index.
#pragma once

#include "resource-pypi/fields.h"
#include "resource-pypi/transfer.h"
#include "resource-pypi/unpack.h"

#include <quarry/resource.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::resource_pypi {

/// What resolve finds, and fetch needs; the value of resolve.
struct Release {
  std::string package;
  std::string version;
  std::string file;
  std::string url;
  Hash hash;            ///< strong: of the index, or computed where it states none
  bool listed = false;  ///< the index states `hash`
  std::string requires_python;
  std::string metadata_url;  ///< of the metadata alone; empty = none
  std::optional<Hash> metadata_hash;
  Validators page;
  Validators content;  ///< of the file, where it has to be compared by itself
  std::vector<std::string> notes;

  /// "requests-2.31.0.tar.gz#sha256=…", which alone is enough to find the file again.
  [[nodiscard]] std::string id() const { return file + "#" + hash.text(); }
  [[nodiscard]] std::string json(bool version_was_named) const;
  /// Reads a value of json(), or of a lock file: then without a URL.
  static std::optional<Release> read(std::string_view json);
};

class Source {
 public:
  Source(Host host, const Call& call, Fields fields, std::string authorization)
      : host_(host),
        call_(call),
        fields_(std::move(fields)),
        transfer_(host, call, fields_.index, fields_.files, std::move(authorization)) {}

  /// The value of resolve. `last` is the parameter of resolve.
  Outcome<std::string> resolve(std::string_view last) const;
  /// Adds the files of `version`; the value of fetch.
  Outcome<std::string> fetch(std::string_view version, Tree& tree) const;

 private:
  Outcome<HttpResponse> page(const Validators& known) const;
  Outcome<Page> read(const HttpResponse& got) const;
  [[nodiscard]] Release release_of(const Page& page, const PageFile& file) const;
  /// `known` is the release of the last snapshot, if any.
  Outcome<Release> chosen(const Page& page, const std::optional<Release>& known) const;
  Outcome<std::string> unchanged(std::string_view version, Release release) const;
  /// Reads a file for its SHA-256, and keeps it for the fetch; false when it has not changed.
  Outcome<bool> measure(Release& release, const std::optional<Hash>& stated) const;
  Outcome<Release> locate(const Release& locked) const;
  /// Unpacks the file; the value of fetch.
  Outcome<std::string> add_files(const Release& release, const package_source::File& file,
                                 Tree& tree) const;
  Outcome<std::string> metadata(const Release& release) const;
  std::optional<Failure> add_overview(const Release& release, Unpacked& unpacked, Tree& tree) const;
  [[nodiscard]] std::string permalink(const Release& release, const std::string& root) const;

  Host host_;
  const Call& call_;
  Fields fields_;
  Transfer transfer_;
};

}  // namespace quarry::resource_pypi
