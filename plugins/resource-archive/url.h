#pragma once

#include "package_source/url.h"

#include <optional>
#include <string>
#include <string_view>

namespace quarry::resource_archive {

using package_source::Url;

/// `file` without the extension of an archive; nothing when it has none.
std::optional<std::string> without_extension(std::string_view file);

/// 64 digits of a fragment "sha256=…", in lower case; empty when it has another form.
std::string sha256_of_fragment(std::string_view fragment);

bool is_hex(std::string_view text);

}  // namespace quarry::resource_archive
