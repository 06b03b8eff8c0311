#pragma once

#include <string>
#include <string_view>

namespace quarry {

/// The host of an absolute URL: lower case, without user, port, brackets and a final dot. Empty if
/// `url` is not an absolute URL.
std::string host_of_url(std::string_view url);

}  // namespace quarry
