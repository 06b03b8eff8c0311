#include "access/guesses.h"

#include <algorithm>
#include <cstring>

#include <arpa/inet.h>

namespace quarry::access {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::size_t kNetworkBytes = 8;  // of an IPv6 address: usually one customer's network

/// Key of peers that count as one: the network of an IPv6 address, any other text unchanged.
std::string key_of(std::string_view peer) {
  std::string text(peer);
  in6_addr address{};
  if (inet_pton(AF_INET6, text.c_str(), &address) != 1) return text;
  const bool is_mapped = IN6_IS_ADDR_V4MAPPED(&address);
  std::string out(is_mapped ? INET_ADDRSTRLEN : kNetworkBytes, '\0');
  if (!is_mapped) {
    std::memcpy(out.data(), address.s6_addr, out.size());
    return out;
  }
  inet_ntop(AF_INET, address.s6_addr + 12, out.data(), INET_ADDRSTRLEN);
  out.resize(std::strlen(out.c_str()));
  return out;
}

}  // namespace

milliseconds Guesses::wait(std::string_view peer, Clock::Steady now) const {
  if (peer.empty()) return {};
  const auto found = peers_.find(key_of(peer));
  if (found == peers_.end() || found->second.until <= now) return {};
  return std::chrono::ceil<milliseconds>(found->second.until - now);
}

void Guesses::note(std::string_view peer, Clock::Steady now) {
  if (peer.empty()) return;
  std::string key = key_of(peer);
  if (!peers_.contains(key) && peers_.size() >= kMostPeers) evict(now);
  Failures& failures = peers_[std::move(key)];
  if (now - failures.last > kMemory) failures.count = 0;
  failures.last = now;
  if (++failures.count <= kFree) return;
  const std::uint32_t doubled = std::min(failures.count - kFree - 1, 6u);
  failures.until = now + std::min(seconds(1) * (1 << doubled), kLongest);
}

void Guesses::evict(Clock::Steady now) {
  std::erase_if(peers_, [&](const auto& each) { return now - each.second.last > kMemory; });
  if (peers_.size() < kMostPeers) return;
  // Peers that wait are removed last.
  std::erase_if(peers_, [&](const auto& each) { return each.second.until <= now; });
  if (peers_.size() >= kMostPeers) peers_.clear();
}

}  // namespace quarry::access
