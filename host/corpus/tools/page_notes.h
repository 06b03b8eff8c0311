#pragma once

#include "base/error.h"
#include "corpus/query/collection.h"

#include <string>
#include <string_view>

namespace quarry::corpus {

/// The addition to the note of a page if a text is damaged, because the results may be incomplete;
/// empty if no damage was found.
[[nodiscard]] std::string damage_notice(const Collection& collection);

/// A note for the reader of an answer, who does not see what the tools told, in the same case.
[[nodiscard]] std::string damage_note(const Collection& collection);

/// The error of a tool that found nothing if a text is damaged; success if none is.
[[nodiscard]] Status damage_status(const Collection& collection);

/// The files at or beneath `path` that a search did not read, since they look binary, are too large
/// or could not be read, for a search that found nothing; empty if there are none.
[[nodiscard]] std::string unread_notice(const Collection& collection, std::string_view path);

}  // namespace quarry::corpus
