#pragma once

#include <cstddef>

namespace quarry {

/// Guards a mapped range. A page of a mapped file that is no longer readable (the file was
/// truncated, the disk failed) raises SIGBUS when read. Within a guarded range such a page becomes
/// zeros instead, for the lifetime of the mapping: readers must verify a digest in any case.
/// Outside guarded ranges the previous handler runs. [any thread]
///
/// The first call installs the handler of the process; handlers have no owner to pass a context to,
/// so the ranges are global.
void guard_mapping(const void* begin, std::size_t size);

/// True if a page of the guarded range that begins at `begin` has become zeros. [any thread]
[[nodiscard]] bool lost_pages(const void* begin);

/// Removes the guard; call before the range is unmapped. [any thread]
void unguard_mapping(const void* begin);

}  // namespace quarry
