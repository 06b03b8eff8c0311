// Reads compressed files and tar archives, within limits.
#pragma once

#include "package_source/archive_reader.h"
#include "resource-debian/store.h"

namespace quarry::resource_debian {

/// A tar archive in any of the compressions of source packages. `label` is its name in messages.
package_source::ArchiveFile tar_archive(const Call& call, const package_source::File& file,
                                        const std::string& label);

/// Passes on the unpacked bytes of a compressed file (gz, bz2, xz, lzma, or none of these). More
/// than `most` bytes are a failure; so is `take` returning false.
Problem unpack_stream(const Call& call, const package_source::File& file, std::uint64_t most,
                      const std::string& label, const std::function<bool(std::string_view)>& take);

}  // namespace quarry::resource_debian
