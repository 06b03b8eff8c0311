#pragma once

#include "runner/packet.h"

#include <quarry/http_types.h>

#include <cstdint>
#include <vector>

namespace quarry::runner {

/// Headers in a packet: count u32, then name, value and secret of each. A head: status i32 before
/// them. A request: method, URL, body, milliseconds i64 and redirects i32 before them.
void write_headers(PacketWriter& packet, std::uint32_t count, const quarry_header* const* headers);
void write_request(PacketWriter& packet, const quarry_http_request& request);

/// Headers read from a packet, whose bytes must outlive this.
class HeaderList {
 public:
  /// Reads at most 10,000; more are malformed.
  explicit HeaderList(PacketReader& packet);
  HeaderList(const HeaderList&) = delete;
  HeaderList& operator=(const HeaderList&) = delete;
  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(pointers_.size()); }
  [[nodiscard]] const quarry_header* const* data() const { return pointers_.data(); }

 private:
  std::vector<quarry_header> headers_;
  std::vector<const quarry_header*> pointers_;
};

/// Likewise a request.
class ReceivedRequest {
 public:
  explicit ReceivedRequest(PacketReader& packet);
  [[nodiscard]] const quarry_http_request* get() const { return &table_; }

 private:
  quarry_http_request table_;
  HeaderList headers_;
};

}  // namespace quarry::runner
