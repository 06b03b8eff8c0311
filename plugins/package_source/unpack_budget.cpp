#include "package_source/unpack_budget.h"

#include <algorithm>
#include <limits>

namespace quarry::package_source {

namespace {

/// The sum, or the largest number: sizes in headers may be any.
std::uint64_t sum(std::uint64_t a, std::uint64_t b) {
  return a + std::min(b, std::numeric_limits<std::uint64_t>::max() - a);
}

}  // namespace

UnpackBudget::Exceeded UnpackBudget::add_entry() {
  if (++entries_ <= limits_.entries) return std::nullopt;
  return "more than " + std::to_string(limits_.entries) + " entries";
}

UnpackBudget::Exceeded UnpackBudget::add_file(std::uint64_t size, bool is_hard_link) {
  if (is_hard_link) ++hard_links_;
  written_ = sum(written_, size);
  if (auto exceeded = check_bytes(sum(written_, listed_))) return exceeded;
  return check_ratio(written_);
}

UnpackBudget::Exceeded UnpackBudget::add_listed(std::uint64_t size) {
  listed_ = sum(listed_, size);
  return check_bytes(sum(written_, listed_));
}

UnpackBudget::Exceeded UnpackBudget::reach(std::uint64_t position, std::uint64_t ahead) {
  const std::uint64_t end = sum(position, ahead);
  if (auto exceeded = check_bytes(end)) return exceeded;
  return check_ratio(end);
}

UnpackBudget::Exceeded UnpackBudget::check_bytes(std::uint64_t bytes) const {
  if (bytes <= limits_.bytes) return std::nullopt;
  return "more than " + std::to_string(limits_.bytes) + " bytes" + cause();
}

UnpackBudget::Exceeded UnpackBudget::check_ratio(std::uint64_t bytes) const {
  if (bytes <= limits_.always_bytes || bytes / limits_.ratio <= packed_) return std::nullopt;
  return "more than " + std::to_string(limits_.ratio) + " times its size of " +
         std::to_string(packed_) + " bytes" + cause();
}

std::string UnpackBudget::cause() const {
  if (hard_links_ == 0) return {};
  return ", counting " + std::to_string(hard_links_) +
         (hard_links_ == 1 ? " hard link as a copy" : " hard links as copies");
}

}  // namespace quarry::package_source
