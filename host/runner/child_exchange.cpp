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

quarry_status stream_usage(ChildCall& call, const quarry_usage* usage) {
  const bool said = usage != nullptr && QUARRY_HAS(usage, cache_write_tokens);
  return stream_frame(call, Kind::kUsage, said ? 41 : 1, [&](PacketWriter& packet) {
    packet.put(static_cast<std::uint8_t>(said));
    if (!said) return;
    packet.put(usage->input_tokens).put(usage->output_tokens).put(usage->reasoning_tokens);
    packet.put(usage->cache_read_tokens).put(usage->cache_write_tokens);
  });
}

void stream_error(ChildCall& call, const quarry_model_error* error) {
  const bool said = error != nullptr && QUARRY_HAS(error, message);
  stream_frame(call, Kind::kModelError, said ? 21 + error->message.size : 1,
               [&](PacketWriter& packet) {
                 packet.put(static_cast<std::uint8_t>(said));
                 if (!said) return;
                 packet.put(error->status).put(error->http_status).put(error->retry_after_ms);
                 packet.text(as_view(error->message));
               });
}

void stream_request(ChildCall& call, const quarry_http_request* request) {
  std::string written;
  PacketWriter packet(written);
  packet.put(static_cast<std::uint8_t>(is_whole(request)));
  if (is_whole(request)) write_request(packet, *request);
  call.stream(Kind::kHttpRequest, written.size(), [&](PacketWriter& out) { out.raw(written); });
}

void reply_done(const ChildFunction& asked) {
  asked.reply->value(asked.reply, as_text("{}"));
}

}  // namespace quarry::runner
