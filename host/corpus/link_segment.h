#pragma once

#include <filesystem>

namespace quarry::corpus {

/// Gives the files of a segment, its texts, tables and whatever index has been built so far, names
/// in the new directory `to`. False when that cannot be (another file system, its directory gone);
/// then nothing is left of it.
bool link_segment(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace quarry::corpus
