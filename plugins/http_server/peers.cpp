#include "peers.h"

#include <algorithm>

namespace quarry::http_server {
namespace {

using boost::asio::ip::address;
using boost::asio::ip::address_v4;
using boost::asio::ip::address_v6;

/// Converts the "::ffff:…" form, which an IPv6 socket reports, to an IPv4 address.
address plain(const address& given) {
  if (!given.is_v6() || !given.to_v6().is_v4_mapped()) return given;
  return boost::asio::ip::make_address_v4(boost::asio::ip::v4_mapped, given.to_v6());
}

std::uint64_t number_of(const address_v6::bytes_type& bytes, std::size_t begin) {
  std::uint64_t number = 0;
  for (std::size_t i = begin; i < begin + 8; ++i) number = number << 8 | bytes[i];
  return number;
}

/// Both halves of an address; an IPv4 address is in the second.
std::pair<std::uint64_t, std::uint64_t> whole(const address& given) {
  if (given.is_v4()) return {0, given.to_v4().to_uint()};
  const auto bytes = given.to_v6().to_bytes();
  return {number_of(bytes, 0), number_of(bytes, 8)};
}

}  // namespace

Peers::Peers(std::size_t most, const std::vector<std::string>& proxies, bool counts_loopback)
    : most_(most), counts_loopback_(counts_loopback) {
  for (const std::string& proxy : proxies) {
    boost::system::error_code error;
    const auto parsed = boost::asio::ip::make_address(proxy, error);
    if (!error) proxies_.push_back(whole(plain(parsed)));
  }
}

Peers::Key Peers::key_of(const address& given) {
  Key key = whole(given);
  if (given.is_v6()) key.second = 0;
  return key;
}

bool Peers::is_shared_address(const address& given) const {
  return (given.is_loopback() && !counts_loopback_) ||
         std::ranges::find(proxies_, whole(given)) != proxies_.end();
}

Peers::Place Peers::take(const address& from) {
  const address given = plain(from);
  if (is_shared_address(given)) return {};
  const std::lock_guard lock(mutex_);
  const auto entry = counts_.try_emplace(key_of(given)).first;
  ++entry->second;
  return {*this, entry};
}

Peers::Place::~Place() {
  if (peers_ == nullptr) return;
  const std::lock_guard lock(peers_->mutex_);
  if (--entry_->second == 0) peers_->counts_.erase(entry_);
}

std::size_t Peers::Place::connections() const {
  return peers_ == nullptr ? 0 : entry_->second.load();
}

}  // namespace quarry::http_server
