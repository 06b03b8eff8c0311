#pragma once

#include <string>
#include <string_view>

namespace quarry::resource_archive {

/// True if `name` is `folder` or beneath it; every name is beneath the empty folder.
bool is_beneath(std::string_view name, std::string_view folder);

/// True if `text` is well-formed UTF-8.
bool is_utf8(std::string_view text);

/// Text in code page 437 as UTF-8.
std::string from_cp437(std::string_view text);

}  // namespace quarry::resource_archive
