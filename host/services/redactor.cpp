#include "services/redactor.h"

#include <algorithm>
#include <mutex>

namespace quarry::services {
namespace {

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

}  // namespace

void Redactor::add(std::string_view name, std::string_view value) {
  if (value.size() < kShortest) return;
  std::lock_guard lock(mutex_);
  const auto same = [&](const Known& known) { return known.value == value; };
  if (std::ranges::any_of(known_, same)) return;
  const auto shorter = std::ranges::find_if(
      known_, [&](const Known& known) { return known.value.size() < value.size(); });
  known_.insert(shorter, {std::string(value), "[secret " + std::string(name) + "]"});
  any_ = true;
}

std::string Redactor::redact(std::string_view text) const {
  std::string out(text);
  if (!any_) return out;
  std::shared_lock lock(mutex_);
  for (const Known& known : known_) replace_all(out, known.value, known.replacement);
  return out;
}

Error Redactor::redact(Error error) const {
  if (!any_) return error;
  error.message = redact(error.message);
  error.hint = redact(error.hint);
  error.facts = redact(error.facts);
  for (FieldError& detail : error.details) detail.message = redact(detail.message);
  return error;
}

}  // namespace quarry::services
