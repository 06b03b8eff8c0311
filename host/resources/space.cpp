#include "resources/space.h"

#include "base/size_text.h"
#include "resources/disk_usage.h"

#include <algorithm>
#include <utility>

namespace quarry::resources {
namespace {

constexpr std::uint64_t kSmall = 4u << 20;
constexpr std::uint64_t kStep = 32u << 20;
constexpr std::uint64_t kWithIndexes = 2;  // approximate size as a multiple of the text

/// Reservation for `bytes`, in large steps because each check of the cache is slow.
std::uint64_t rounded(std::uint64_t bytes) {
  const std::uint64_t step = bytes < kStep ? kSmall : kStep;
  return (bytes + step - 1) / step * step;
}

Error does_not_fit(std::uint64_t wanted, std::uint64_t others, std::uint64_t most) {
  Error error{Code::kResourceExhausted,
              "it does not fit into the cache: it takes more than " + size_text(wanted) +
                  ", and of the " + size_text(most) + " that cache.max_size allows, " +
                  size_text(others) + " are taken by resources in use and by other fetches",
              "Raise max_size in [cache], or choose a part of the resource."};
  error.tag = "CollectionError";
  return error;
}

}  // namespace

Space::Reservation::Reservation(Space& space, std::string source)
    : space_(space), source_(std::move(source)), bytes_(kSmall) {
  for (const auto& entry : space_.caches_.unfinished()) others_.insert(entry.path);
  const std::lock_guard lock(space_.mutex_);
  space_.reserved_ += bytes_;
}

Space::Reservation::~Reservation() {
  const std::lock_guard lock(space_.mutex_);
  space_.reserved_ -= bytes_;
}

Status Space::Reservation::cover(std::uint64_t bytes) {
  const std::lock_guard lock(space_.mutex_);
  written_ = std::max(written_, bytes);
  const std::uint64_t wanted = rounded(kWithIndexes * written_);
  if (wanted <= bytes_) return {};
  Status fits = space_.check(*this, wanted - bytes_);
  if (!fits) return fits;
  space_.reserved_ += wanted - bytes_;
  bytes_ = wanted;
  return {};
}

Status Space::Reservation::check() {
  const std::lock_guard lock(space_.mutex_);
  return space_.check(*this, 0);
}

/// Requires the mutex.
Status Space::check(const Reservation& by, std::uint64_t more) const {
  std::uint64_t plugins = 0;
  std::uint64_t own = kWithIndexes * by.written_;
  for (const auto& entry : caches_.unfinished()) {
    plugins += entry.bytes;
    if (!by.others_.contains(entry.path)) own += entry.bytes;
  }
  if (own <= kSmall) return {};
  const std::uint64_t all = eviction_.last_state_bytes(by.source_) + plugins + reserved_ + more;
  if (all <= most_) return {};
  return does_not_fit(own, all - std::min(all, std::max(own, by.bytes_ + more)), most_);
}

}  // namespace quarry::resources
