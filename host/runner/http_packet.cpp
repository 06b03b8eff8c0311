#include "runner/http_packet.h"

#include "runner/fields.h"

namespace quarry::runner {
namespace {

constexpr std::uint32_t kMostHeaders = 10'000;

}  // namespace

void write_headers(PacketWriter& packet, std::uint32_t count, const quarry_header* const* headers) {
  packet.put(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    Fields<quarry_header>::write(packet, *headers[i]);
  }
}

void write_request(PacketWriter& packet, const quarry_http_request& request) {
  Fields<quarry_http_request>::write(packet, request);
  write_headers(packet, request.header_count, request.headers);
}

HeaderList::HeaderList(PacketReader& packet) {
  const auto count = packet.get<std::uint32_t>();
  for (std::uint32_t i = 0; i < count && i < kMostHeaders && packet.good(); ++i) {
    headers_.push_back(Fields<quarry_header>::read<quarry_header>(packet));
  }
  for (const auto& header : headers_) pointers_.push_back(&header);
}

ReceivedRequest::ReceivedRequest(PacketReader& packet)
    : table_(Fields<quarry_http_request>::read<quarry_http_request>(packet)), headers_(packet) {
  table_.header_count = headers_.count();
  table_.headers = headers_.data();
}

}  // namespace quarry::runner
