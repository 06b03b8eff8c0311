#pragma once

#include <quarry/outcome.hpp>

#include <string>
#include <string_view>

namespace quarry::package_source {

/// Bytes of a body that are enough for words_of_answer and is_web_page.
inline constexpr std::size_t kMostAnswer = std::size_t{64} << 10;

/// The words for a reader in the body of a response that is not what was asked for: the message of
/// a JSON object, the title of a web page, or plain text. One line of at most 300 bytes; empty if
/// there are none.
std::string words_of_answer(std::string_view body);

/// "HTTP 503, "the words of the body"".
std::string answered(int status, std::string_view body);

/// True if `body` is a web page.
bool is_web_page(std::string_view body);

/// The failure for a web page in place of what `url` should lead to, such as that of a log-in.
Failure web_page_failure(std::string_view body, const std::string& url);

/// A hint for a web page in place of data: that of a log-in, a proxy or a captive portal.
std::string hint_for_web_page(std::string_view url);

/// When to ask again, as a sentence. `retry_after`: value of the header, seconds or a date; empty
/// if there is none.
std::string when_to_ask_again(std::string_view retry_after);

}  // namespace quarry::package_source
