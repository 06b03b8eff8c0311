#include "runner/child_exchange.h"

#include <string>

namespace quarry::runner {
namespace {

bool is_whole(const quarry_http_request* request) {
  if (request == nullptr || !QUARRY_HAS(request, reserved)) return false;
  if (request->header_count > 0 && request->headers == nullptr) return false;
  for (std::uint32_t i = 0; i < request->header_count; ++i) {
    const auto* header = request->headers[i];
    if (header == nullptr || !QUARRY_HAS(header, secret)) return false;
  }
  return true;
}

}  // namespace

void stream_request(ChildCall& call, const quarry_http_request* request) {
  std::string written;
  PacketWriter packet(written);
  packet.put(static_cast<std::uint8_t>(is_whole(request)));
  if (is_whole(request)) write_request(packet, *request);
  if (written.size() > kMaxPayload) written.assign(1, '\0');
  call.stream(Kind::kHttpRequest, written.size(), [&](PacketWriter& out) { out.raw(written); });
}

void reply_done(const ChildFunction& asked) {
  asked.reply->value(asked.reply, as_text("{}"));
}

}  // namespace quarry::runner
