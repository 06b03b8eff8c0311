#include "cli/mcp/mcp_bridge.h"

#include "base/json_member.h"
#include "base/text.h"
#include "cli/event_stream.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace quarry::cli {
namespace {

// Codes of JSON-RPC.
constexpr int kNoJson = -32700;
constexpr int kBridgeFailed = -32000;  // in the range that is reserved for implementations

bool fits_a_header(const std::string& text) {
  return !text.empty() &&
         std::ranges::all_of(text, [](unsigned char c) { return c >= 0x20 && c < 0x7f; });
}

std::string header_of(const services::HttpHead& head, std::string_view name) {
  for (const auto& header : head.headers) {
    if (to_lower(header.name) == to_lower(name)) return header.value;
  }
  return {};
}

/// True for the response to the request of this id.
bool is_response(const Json& message, const Json& id) {
  return message.is_object() && !message.contains("method") && message.value("id", Json()) == id;
}

/// Error message for a response without one of JSON-RPC.
std::string refusal(int status, const std::string& body) {
  std::string out = "the server answered " + std::to_string(status);
  if (status < 400) out += " without a response to this request";
  const auto parsed = parse_json(body);
  if (parsed && parsed->is_object()) {
    for (const char* key : {"message", "hint"}) {
      const std::string text = text_of(*parsed, key);
      if (!text.empty()) out += ": " + text;
    }
  }
  return out;
}

}  // namespace

std::vector<services::HttpHeader> mirrored_headers(const Json& message) {
  std::vector<services::HttpHeader> out;
  const auto add = [&](const char* name, const std::string& value) {
    if (fits_a_header(value)) out.push_back({name, value});
  };
  const Json none = Json::object();
  const Json* given = find_member(message, "params");
  const Json& params = given != nullptr && given->is_object() ? *given : none;
  const Json* meta = find_member(params, "_meta");
  if (meta != nullptr && meta->is_object()) {
    add("MCP-Protocol-Version", text_of(*meta, "io.modelcontextprotocol/protocolVersion"));
  }
  const std::string method = text_of(message, "method");
  add("Mcp-Method", method);
  const bool named = method == "tools/call" || method == "prompts/get";
  if (named) add("Mcp-Name", text_of(params, "name"));
  if (method == "resources/read") add("Mcp-Name", text_of(params, "uri"));
  return out;
}

/// One posted message, until the server has responded.
struct McpBridge::Transfer {
  explicit Transfer(McpBridge& owner)
      : events([this, &owner](std::string_view, std::string_view data) {
          owner.on_event(*this, data);
        }) {}
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  Json id;  ///< null for notifications
  bool initializes = false;
  bool has_response = false;
  int status = 0;
  bool streams = false;
  std::string session;
  std::string body;
  EventStream events;
};

McpBridge::~McpBridge() {
  std::unique_lock lock(mutex_);
  const auto running = running_;
  lock.unlock();
  for (const auto& [transfer, handle] : running) parts_.client.cancel(handle);
  finish();
}

bool McpBridge::is_idle() {
  const std::lock_guard lock(mutex_);
  return running_.empty();
}

void McpBridge::finish() {
  std::unique_lock lock(mutex_);
  idle_.wait(lock, [this] { return running_.empty(); });
}

void McpBridge::take(std::string_view line) {
  if (trim(line).empty()) return;
  const auto message = parse_json(line);
  if (!message) return fail(nullptr, kNoJson, message.error().message);
  const auto transfer = std::make_shared<Transfer>(*this);
  if (message->is_object()) {
    if (const Json* id = find_member(*message, "id")) transfer->id = *id;
    transfer->initializes = text_of(*message, "method") == "initialize";
  }
  send(*message, transfer);
}

void McpBridge::send(const Json& message, const std::shared_ptr<Transfer>& transfer) {
  services::HttpRequest request{
      "POST",
      parts_.url,
      {{"Content-Type", "application/json"}, {"Accept", "application/json, text/event-stream"}},
      to_text(message)};
  if (!parts_.token.empty()) {
    request.headers.push_back({"Authorization", "Bearer " + parts_.token});
  }
  auto mirrored =
      message.is_object() ? mirrored_headers(message) : std::vector<services::HttpHeader>();
  const std::lock_guard lock(mutex_);
  const bool says_version = std::ranges::any_of(
      mirrored, [](const auto& header) { return header.name == "MCP-Protocol-Version"; });
  if (!says_version && !version_.empty()) mirrored.push_back({"MCP-Protocol-Version", version_});
  if (!session_.empty()) mirrored.push_back({"Mcp-Session-Id", session_});
  std::ranges::move(mirrored, std::back_inserter(request.headers));
  // on_end waits for this lock, so that it finds the transfer in running_.
  running_[transfer.get()] = parts_.client.start(
      std::move(request),
      {.on_head =
           [transfer](const services::HttpHead& head) {
             transfer->status = head.status;
             transfer->streams = header_of(head, "Content-Type").starts_with("text/event-stream");
             transfer->session = header_of(head, "Mcp-Session-Id");
           },
       .on_data =
           [transfer](std::string_view bytes) {
             if (transfer->streams) {
               transfer->events.feed(bytes);
             } else {
               transfer->body += bytes;
             }
           },
       .on_end = [this,
                  transfer](const Result<services::HttpOutcome>& end) { on_end(transfer, end); }});
}

/// A message of the stream may span several lines.
void McpBridge::on_event(Transfer& transfer, std::string_view json) {
  const auto message = parse_json(json);
  if (!message) return;
  transfer.has_response = transfer.has_response || is_response(*message, transfer.id);
  write(*message);
}

void McpBridge::on_end(const std::shared_ptr<Transfer>& transfer,
                       const Result<services::HttpOutcome>& end) {
  const auto answer = transfer->body.empty() ? Result<Json>(Json()) : parse_json(transfer->body);
  if (end && answer && (answer->is_array() || answer->contains("jsonrpc"))) {
    if (transfer->initializes && answer->contains("result")) {
      const std::lock_guard lock(mutex_);
      session_ = transfer->session;
      version_ = text_of((*answer)["result"], "protocolVersion");
    }
    transfer->has_response = true;
    write(*answer);
  }
  const bool is_cancelled = !end && end.error().code == Code::kCancelled;
  if (!transfer->id.is_null() && !transfer->has_response && !is_cancelled) {
    fail(transfer->id, kBridgeFailed,
         end ? refusal(transfer->status, transfer->body) : end.error().message);
  }
  const std::lock_guard lock(mutex_);
  running_.erase(transfer.get());
  if (!running_.empty()) return;
  parts_.on_idle();
  idle_.notify_all();
}

void McpBridge::write(const Json& message) {
  // In ASCII: some readers take U+2028 and others for the end of a line.
  const std::string line = message.dump(-1, ' ', true, Json::error_handler_t::replace);
  const std::lock_guard lock(write_mutex_);
  parts_.write(line);
}

void McpBridge::fail(const Json& id, int code, const std::string& message) {
  write({{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", code}, {"message", message}}}});
}

}  // namespace quarry::cli
