#include "runner/http_packet.h"

#include <quarry/outcome.hpp>

namespace quarry::runner {
namespace {

constexpr std::uint32_t kMostHeaders = 10'000;

}  // namespace

void write_headers(PacketWriter& packet, std::uint32_t count, const quarry_header* const* headers) {
  packet.put(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto& header = *headers[i];
    packet.text(as_view(header.name)).text(as_view(header.value)).text(as_view(header.secret));
  }
}

void write_request(PacketWriter& packet, const quarry_http_request& request) {
  packet.text(as_view(request.method)).text(as_view(request.url)).text(as_view(request.body));
  packet.put(request.timeout_ms).put(request.max_redirects);
  write_headers(packet, request.header_count, request.headers);
}

HeaderList::HeaderList(PacketReader& packet) {
  const auto count = packet.get<std::uint32_t>();
  for (std::uint32_t i = 0; i < count && i < kMostHeaders && packet.good(); ++i) {
    const auto name = as_text(packet.text());
    const auto value = as_text(packet.text());
    headers_.push_back({sizeof(quarry_header), name, value, as_text(packet.text())});
  }
  for (const auto& header : headers_) pointers_.push_back(&header);
}

ReceivedRequest::ReceivedRequest(PacketReader& packet)
    : table_{.struct_size = sizeof(quarry_http_request),
             .header_count = 0,
             .method = as_text(packet.text()),
             .url = as_text(packet.text()),
             .headers = nullptr,
             .body = as_text(packet.text()),
             .timeout_ms = packet.get<std::int64_t>(),
             .max_redirects = packet.get<std::int32_t>(),
             .reserved = 0},
      headers_(packet) {
  table_.header_count = headers_.count();
  table_.headers = headers_.data();
}

}  // namespace quarry::runner
