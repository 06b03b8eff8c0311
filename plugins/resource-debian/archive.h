// Reads compressed files and tar archives by libarchive, within limits.
#pragma once

#include "resource-debian/store.h"
#include "resource_files/unpack_budget.h"

namespace quarry::resource_debian {

/// Passes on the unpacked bytes of a compressed file (gz, bz2, xz, lzma, or none of these). More
/// than `most` bytes are a failure; so is `take` returning false.
Problem unpack_stream(const Call& call, const Blob& blob, std::uint64_t most,
                      const std::string& label, const std::function<bool(std::string_view)>& take);

/// One member of a tar archive.
struct Member {
  enum class Kind { kFile, kDirectory, kLink, kHardLink, kOther };
  Kind kind = Kind::kOther;
  std::string path;    ///< as it stands in the archive
  std::string target;  ///< of a link
  bool executable = false;
};

/// Reads the bytes of the present member, piece by piece; empty at its end, nullopt on failure.
using ReadMember = std::function<std::optional<std::string_view>()>;

/// The failure for an archive that unpacks to `exceeded`, as UnpackBudget says it.
Failure too_much(const std::string& label, const std::string& exceeded);

/// Size of the file as it was downloaded.
std::uint64_t size_of(const Blob& blob);

/// Passes on the members of a tar archive in order; `take` returns its failure. Beyond `limits` it
/// fails before the member that exceeds them is read.
Problem unpack_tar(const Call& call, const Blob& blob, const std::string& label,
                   const resource_files::UnpackLimits& limits,
                   const std::function<Problem(const Member&, const ReadMember&)>& take);

}  // namespace quarry::resource_debian
