#pragma once

#include <cstddef>

namespace quarry {

/// A page of a mapped file that cannot be had any more (the file was cut short, the disk failed)
/// raises SIGBUS where it is read. Within a guarded range such a page becomes zeros instead, for as
/// long as the mapping lives: whoever reads it has to compare what it read with a digest anyway.
/// Outside of guarded ranges the signal does what it did before. [any thread]
///
/// The first call installs the handler of the process; handlers have no owner to pass a context to,
/// so the ranges are global.
void guard_mapping(const void* begin, std::size_t size);

/// Ends what guard_mapping began, before the range is unmapped. [any thread]
void unguard_mapping(const void* begin);

}  // namespace quarry
