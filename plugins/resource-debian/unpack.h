// The source tree of a package, as dpkg-source -x makes it.
#pragma once

#include "resource-debian/content.h"
#include "resource-debian/control.h"

namespace quarry::resource_debian {

/// A .dsc, the description of a source package.
struct Description {
  std::string format;
  std::string source;
  std::string version;
  std::vector<Listed> files;
};
/// Reads a .dsc, signed or not. The signature is not needed: its digest is in the signed index.
Outcome<Description> read_description(std::string_view text, const std::string& name);

/// The part that each file of a package has. Names are as they stand in the .dsc.
struct Parts {
  std::string format;
  const Listed* main = nullptr;  ///< the upstream archive, or that of a native package
  std::vector<std::pair<std::string, const Listed*>> extra;  ///< folder and archive, in order
  const Listed* debian = nullptr;                            ///< debian.tar
  const Listed* diff = nullptr;                              ///< diff.gz
  [[nodiscard]] std::vector<const Listed*> all() const;
};
Outcome<Parts> parts_of(const Description& description);

/// The parts, downloaded, by name.
using Blobs = std::map<std::string, package_source::FileSlot>;
struct Notes {
  std::vector<std::string> generated;  ///< paths of files that the package does not have
  package_source::LeftOut devices;
  package_source::LeftOut long_paths;
};
Outcome<Nodes> put_together(const Call& call, const Parts& parts, Blobs& blobs, Spill& spill,
                            Notes& notes);

/// Applies one patch to `nodes`. `removes_empty`: a file that becomes empty is removed.
Problem apply_patch(Nodes& nodes, Spill& spill, const std::string& name, std::string_view text,
                    bool removes_empty);

}  // namespace quarry::resource_debian
