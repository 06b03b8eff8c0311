#include "package_source/answer.h"

#include "package_source/text.h"

#include <quarry/json.hpp>

#include <algorithm>

namespace quarry::package_source {
namespace {

constexpr std::size_t kMostWords = 300;

/// `text` on one line, cut between characters.
std::string on_one_line(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool space = static_cast<unsigned char>(c) <= ' ';
    if (!space) out += c;
    if (space && !out.empty() && !out.ends_with(' ')) out += ' ';
  }
  if (out.size() > kMostWords) {
    std::size_t end = kMostWords;
    while (end > 0 && (static_cast<unsigned char>(out[end]) & 0xC0U) == 0x80) --end;
    out.resize(end);
  }
  while (out.ends_with(' ')) out.pop_back();
  return out;
}

/// The message of an object, at most `levels` deep; of registries that list several errors, that of
/// the first.
std::string message_in(std::string_view object, int levels = 4) {
  if (levels == 0) return {};
  for (const char* key : {"error", "message", "reason", "detail", "title"}) {
    if (auto text = json::string(object, key); text && !text->empty()) return *text;
    if (const auto inner = json::member(object, key); inner && inner->starts_with('{')) {
      return message_in(*inner, levels - 1);
    }
  }
  const auto errors = json::elements(object, "errors");
  return errors.empty() ? std::string() : message_in(errors.front(), levels - 1);
}

std::string title_in(std::string_view page) {
  const std::string small = lower(page);
  const std::size_t tag = small.find("<title");
  const std::size_t begin = tag == small.npos ? tag : small.find('>', tag);
  const std::size_t end = begin == small.npos ? begin : small.find('<', begin);
  return end == small.npos ? "" : std::string(page.substr(begin + 1, end - begin - 1));
}

std::string_view without_blanks_before(std::string_view body) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (body.starts_with(kByteOrderMark)) body.remove_prefix(kByteOrderMark.size());
  body.remove_prefix(std::min(body.find_first_not_of(" \t\r\n"), body.size()));
  return body;
}

}  // namespace

std::string words_of_answer(std::string_view body) {
  body = without_blanks_before(body.substr(0, kMostAnswer));
  if (is_web_page(body)) return on_one_line(title_in(body));
  if (body.starts_with('{')) return on_one_line(message_in(body));
  const bool plain = std::ranges::all_of(
      body, [](unsigned char c) { return c >= ' ' || c == '\n' || c == '\r' || c == '\t'; });
  return plain && !body.starts_with('<') && !body.starts_with('[') ? on_one_line(body) : "";
}

std::string answered(int status, std::string_view body) {
  const std::string words = words_of_answer(body);
  return "HTTP " + std::to_string(status) + (words.empty() ? "" : ", \"" + words + "\"");
}

bool is_web_page(std::string_view body) {
  const std::string begin = lower(without_blanks_before(body).substr(0, 1024));
  return begin.starts_with("<!doctype html") || begin.starts_with("<html") ||
         begin.starts_with("<head") || (begin.starts_with('<') && begin.contains("<html"));
}

std::string hint_for_web_page(std::string_view url) {
  return "Open " + std::string(url) +
         " in a browser: a log-in page, a proxy or the page of a network may answer in its place.";
}

Failure web_page_failure(std::string_view body, const std::string& url) {
  const std::string title = words_of_answer(body);
  return {QUARRY_UNAVAILABLE,
          url + " is a web page" + (title.empty() ? "" : ", \"" + title + "\""),
          hint_for_web_page(url),
          {}};
}

std::string when_to_ask_again(std::string_view retry_after) {
  if (retry_after.empty()) return "Try again later.";
  const bool seconds = retry_after.find_first_not_of("0123456789") == retry_after.npos;
  return seconds ? "Try again in " + std::string(retry_after) + " seconds."
                 : "Try again after " + on_one_line(retry_after) + ".";
}

}  // namespace quarry::package_source
