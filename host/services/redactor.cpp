#include "services/redactor.h"

#include "base/json.h"

#include <algorithm>
#include <mutex>

#include <nlohmann/json.hpp>

namespace quarry::services {
namespace {

constexpr std::size_t kShortest = 4;
constexpr std::size_t kLongestWord = 11;

bool is_ascii_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_ascii_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// True for letters, also as words that are joined: "lm-studio".
bool is_plain(std::string_view value) {
  return std::ranges::all_of(value,
                             [](char c) { return is_ascii_letter(c) || c == '-' || c == '_'; });
}

bool is_word(std::string_view value) {
  if (value.size() < SecretForms::kShortest) return true;
  return value.size() <= kLongestWord &&
         (is_plain(value) || std::ranges::all_of(value, is_ascii_digit));
}

/// True if no other part of a word adjoins text[begin, end).
bool stands_alone(std::string_view text, std::size_t begin, std::size_t end) {
  const auto adjoins = [](char c) { return is_ascii_letter(c) || is_ascii_digit(c) || c == '_'; };
  return (begin == 0 || !adjoins(text[begin - 1])) && (end == text.size() || !adjoins(text[end]));
}

/// The places in order, of which those that overlap are one, under the name of the longest.
std::vector<FoundSecret> joined(std::vector<FoundSecret> found) {
  std::ranges::sort(found, {},
                    [](const FoundSecret& each) { return std::pair(each.begin, ~each.end); });
  std::vector<FoundSecret> out;
  std::size_t longest = 0;
  for (const FoundSecret& each : found) {
    const std::size_t size = each.end - each.begin;
    if (out.empty() || each.begin >= out.back().end) {
      out.push_back(each);
      longest = size;
      continue;
    }
    out.back().end = std::max(out.back().end, each.end);
    if (size > longest) out.back().secret = each.secret;
    longest = std::max(longest, size);
  }
  return out;
}

/// The end of the JSON string whose first quote is at `begin`, behind its last quote.
std::size_t end_of_string(std::string_view json, std::size_t begin) {
  std::size_t at = begin + 1;
  while (at < json.size() && json[at] != '"') at += json[at] == '\\' ? 2 : 1;
  return std::min(at + 1, json.size());
}

}  // namespace

void Redactor::add(std::string_view name, std::string_view value) {
  if (value.size() < kShortest) return;
  const std::lock_guard lock(mutex_);
  if (std::ranges::find(values_, value) != values_.end()) return;
  const std::size_t secret = values_.size();
  values_.emplace_back(value);
  replacements_.push_back("[secret " + std::string(name) + "]");
  if (is_word(value)) {
    words_.push_back({std::string(value), secret});
  } else {
    forms_.add(value, secret);
  }
  any_ = true;
}

std::vector<FoundSecret> Redactor::find(std::string_view text, Words words) const {
  std::vector<FoundSecret> out = forms_.find(text);
  if (words == Words::kReplaced) {
    for (const auto& [value, secret] : words_) {
      for (std::size_t at = 0; (at = text.find(value, at)) != std::string_view::npos; ++at) {
        const std::size_t end = at + value.size();
        if (stands_alone(text, at, end)) out.push_back({at, end, secret});
      }
    }
  }
  return out;
}

std::string Redactor::replace(std::string_view text, Words words) const {
  std::string out;
  std::size_t done = 0;
  for (const FoundSecret& each : joined(find(text, words))) {
    out += text.substr(done, each.begin - done);
    out += replacements_[each.secret];
    done = each.end;
  }
  return out.append(text.substr(done));
}

std::string Redactor::redact(std::string_view text) const {
  if (!any_) return std::string(text);
  const std::shared_lock lock(mutex_);
  return replace(text, Words::kReplaced);
}

Error Redactor::redact(Error error) const {
  if (!any_) return error;
  error.message = redact(error.message);
  error.hint = redact(error.hint);
  error.facts = redact_json(std::move(error.facts), Words::kReplaced);
  for (FieldError& detail : error.details) detail.message = redact(detail.message);
  return error;
}

std::string Redactor::redact_json(std::string json, Words words) const {
  if (!any_) return json;
  const std::shared_lock lock(mutex_);
  if (find(json, words).empty()) return json;
  std::string out;
  std::size_t done = 0;
  for (std::size_t at = 0; (at = json.find('"', done)) != std::string::npos;) {
    const std::size_t end = end_of_string(json, at);
    const std::string_view quoted = std::string_view(json).substr(at, end - at);
    out.append(json, done, at - done);
    const auto text = parse_json(quoted);
    const bool has_text = text && text->is_string();
    const auto value = has_text ? text->get<std::string>() : std::string();
    const bool clean = has_text && find(value, words).empty();
    out += clean ? std::string(quoted) : json_string(replace(has_text ? value : quoted, words));
    done = end;
  }
  return out.append(json, done);
}

}  // namespace quarry::services
