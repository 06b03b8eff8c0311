#include "services/secret_forms.h"

#include "base/hash.h"
#include "services/canonical_text.h"

#include <quarry/base64.hpp>

#include <algorithm>
#include <array>
#include <cstring>

namespace quarry::services {
namespace {

/// The digits of base64 that `value` alone decides when `before` bytes, modulo 3, come before it.
std::string base64_of(std::string_view value, std::size_t before) {
  constexpr std::array<std::size_t, 3> kShared = {0, 2, 3};
  const std::string all = to_base64(std::string(before, '\0').append(value));
  const std::size_t whole = (before + value.size()) * 8 / 6;
  return all.substr(kShared[before], whole - kShared[before]);
}

/// The least part of a form of this size that is found where a text is cut.
std::size_t least_part(std::size_t size) {
  return std::clamp<std::size_t>(size / 2, SecretForms::kShortest, 16);
}

constexpr std::array<std::string_view, 6> kCuts = {"\"", "'", "*", "`", "...", "…"};

bool is_cut_after(std::string_view text, std::size_t end) {
  const std::string_view rest = text.substr(end);
  return rest.empty() ||
         std::ranges::any_of(kCuts, [rest](auto cut) { return rest.starts_with(cut); });
}

bool is_cut_before(std::string_view text, std::size_t begin) {
  const std::string_view rest = text.substr(0, begin);
  return rest.empty() ||
         std::ranges::any_of(kCuts, [rest](auto cut) { return rest.ends_with(cut); });
}

/// The number of equal bytes at the beginnings.
std::size_t common(std::string_view a, std::string_view b) {
  return static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

/// The number of equal bytes at the ends.
std::size_t common_end(std::string_view a, std::string_view b) {
  const std::size_t most = std::min(a.size(), b.size());
  std::size_t count = 0;
  while (count < most && a[a.size() - 1 - count] == b[b.size() - 1 - count]) ++count;
  return count;
}

}  // namespace

void SecretForms::add(std::string_view value, std::size_t secret) {
  add_form(canonical(value), secret);
  if (may_be_encoded(value)) add_form(decoded(value, ByteOrigins::kLeft).bytes, secret);
  for (const std::size_t before : {0U, 1U, 2U}) {
    add_form(canonical(base64_of(value, before)), secret);
  }
  add_form(to_hex(value), secret);
}

void SecretForms::add_form(std::string_view bytes, std::size_t secret) {
  if (bytes.size() < kShortest) return;
  forms_.push_back({std::string(bytes), secret});
  const std::size_t form = forms_.size() - 1;
  add_handle(form, 0);
  const std::size_t last_part = bytes.size() - std::min(bytes.size(), least_part(bytes.size()));
  if (last_part != 0) add_handle(form, last_part);
}

void SecretForms::add_handle(std::size_t form, std::size_t offset) {
  const std::uint64_t bytes = load(forms_[form].bytes.data() + offset);
  handles_.emplace(bytes, Handle{form, offset});
  slots_.set(slot(bytes));
}

std::uint64_t SecretForms::load(const char* bytes) {
  std::uint64_t out = 0;
  static_assert(sizeof out == kShortest);
  std::memcpy(&out, bytes, sizeof out);
  return out;
}

std::size_t SecretForms::slot(std::uint64_t bytes) {
  constexpr std::uint64_t kOdd = 0x9E37'79B9'7F4A'7C15;
  return static_cast<std::size_t>(bytes * kOdd >> 48);
}

std::vector<FoundSecret> SecretForms::find(std::string_view text) const {
  if (text.size() < kShortest) return {};
  std::vector<FoundSecret> found = find_in(canonical(text));
  if (!may_be_encoded(text)) return found;
  std::vector<FoundSecret> encoded = find_in(decoded(text, ByteOrigins::kLeft).bytes);
  if (encoded.empty()) return found;
  const DecodedText places = decoded(text, ByteOrigins::kKept);
  for (const auto& [begin, end, secret] : encoded) {
    found.push_back({places.begins[begin], places.ends[end - 1], secret});
  }
  return found;
}

std::vector<FoundSecret> SecretForms::find_in(std::string_view text) const {
  std::vector<FoundSecret> found;
  for (std::size_t i = 0; i + kShortest <= text.size(); ++i) {
    const std::uint64_t bytes = load(text.data() + i);
    if (!slots_.test(slot(bytes))) continue;
    const auto [first, last] = handles_.equal_range(bytes);
    for (auto handle = first; handle != last; ++handle) {
      if (const auto place = place_of(text, i, handle->second)) found.push_back(*place);
    }
  }
  return found;
}

std::optional<FoundSecret> SecretForms::place_of(std::string_view text, std::size_t at,
                                                 const Handle& handle) const {
  const auto& [value, secret] = forms_[handle.form];
  const std::string_view form = value;
  const std::size_t before = common_end(text.substr(0, at), form.substr(0, handle.offset));
  const std::size_t after = common(text.substr(at), form.substr(handle.offset));
  const std::size_t begin = at - before;
  const std::size_t end = at + after;
  if (end - begin < least_part(form.size())) return std::nullopt;
  const bool has_begin = before == handle.offset;
  const bool has_end = handle.offset + after == form.size();
  if (!has_begin && !is_cut_before(text, begin)) return std::nullopt;
  if (!has_end && !is_cut_after(text, end)) return std::nullopt;
  return FoundSecret{begin, end, secret};
}

}  // namespace quarry::services
