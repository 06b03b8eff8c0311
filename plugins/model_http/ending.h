#pragma once

#include <string_view>

namespace quarry::model_http {

/// The meaning of a provider's reason for the end of an answer. kAborted is an error that names the
/// reason: the host asks again after one for a tool call that could not be read.
enum class Ending { kDone, kLength, kFiltered, kAborted };

/// Reads the words of any provider, in any case: servers that translate pass on foreign ones.
/// Unknown ones mean kDone.
Ending read_ending(std::string_view reason);

}  // namespace quarry::model_http
