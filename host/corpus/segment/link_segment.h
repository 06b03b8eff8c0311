#pragma once

#include <filesystem>

namespace quarry::corpus {

/// Hard-links the files of a segment (text, tables, indexes built so far) into the new directory
/// `to`. False on failure (another file system, `from` removed, damaged tables); `to` is removed
/// then.
bool link_segment(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace quarry::corpus
