#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/ip/address.hpp>

namespace quarry::http_server {

/// Counts connections by peer: an IPv4 address, or the /64 network of an IPv6 address, since one
/// customer commonly has a whole /64. Addresses that many clients share are not counted:
/// `proxies` and, unless `counts_loopback`, this machine itself, where a proxy may run. [any]
class Peers {
 public:
  /// `most`: limit of connections per peer. `proxies` that are not IP addresses are ignored.
  Peers(std::size_t most, const std::vector<std::string>& proxies, bool counts_loopback);
  Peers(const Peers&) = delete;
  Peers& operator=(const Peers&) = delete;

 private:
  using Key = std::pair<std::uint64_t, std::uint64_t>;
  using Counts = std::map<Key, std::atomic<std::size_t>>;

 public:
  /// One connection, counted during the lifetime of this object. Must not outlive the Peers.
  class Place {
   public:
    Place() = default;
    Place(Place&& other) noexcept
        : peers_(std::exchange(other.peers_, nullptr)), entry_(other.entry_) {}
    Place& operator=(Place&&) = delete;
    ~Place();

    /// Connections of the same peer, this one included; 0 if they are not counted.
    [[nodiscard]] std::size_t connections() const;

   private:
    friend class Peers;
    Place(Peers& peers, Counts::iterator entry) : peers_(&peers), entry_(entry) {}

    Peers* peers_ = nullptr;  // null: not counted
    Counts::iterator entry_;
  };
  [[nodiscard]] Place take(const boost::asio::ip::address& address);
  [[nodiscard]] std::size_t most() const { return most_; }

 private:
  [[nodiscard]] static Key key_of(const boost::asio::ip::address& address);
  [[nodiscard]] bool is_shared_address(const boost::asio::ip::address& address) const;

  const std::size_t most_;
  const bool counts_loopback_;
  std::vector<Key> proxies_;
  std::mutex mutex_;
  Counts counts_;  // under mutex_, except reading one count
};

}  // namespace quarry::http_server
