#include "stdio_transport.h"

#include "engine_client/settings.h"

#include <utility>

namespace quarry::transport_mcp {
namespace {

using engine_client::Failure;

}  // namespace

std::expected<std::unique_ptr<StdioTransport>, Failure> StdioTransport::create(
    Host host, const quarry::Call&, std::string_view configuration, std::string version) {
  engine_client::Settings settings(configuration);
  mcp::StdioOptions options;
  settings.number("max_message_bytes", options.most_bytes, 1024, 1 << 30);
  settings.milliseconds("max_call_ms", options.longest);
  if (auto failure = settings.finish()) return std::unexpected(std::move(*failure));
  return std::make_unique<StdioTransport>(host, std::move(version), options);
}

StdioTransport::StdioTransport(Host host, std::string version, mcp::StdioOptions options)
    : host_(host), version_(std::move(version)), options_(options) {}

std::expected<std::string, Failure> StdioTransport::start(const quarry_engine& engine) {
  const auto* const work = host_.service<quarry_work_v1>(QUARRY_WORK);
  if (work == nullptr) {
    return std::unexpected(Failure{QUARRY_UNSUPPORTED, {}, "this host offers no threads", {}, {}});
  }
  stopping_ = false;
  calls_ = std::make_unique<engine_client::EngineCalls>(engine);
  catalogue_ = std::make_unique<Catalogue>(*calls_, version_);
  session_ = std::make_unique<mcp::StdioSession>(*catalogue_, options_);
  loop_ = work->start_loop(
      work, "mcp-stdio", [](void* self) { static_cast<StdioTransport*>(self)->serve(); }, this);
  if (loop_ == nullptr) {
    return std::unexpected(Failure{QUARRY_UNAVAILABLE, {}, "the host provides no thread", {}, {}});
  }
  return R"({"listening":[]})";
}

void StdioTransport::serve() {
  session_->run();
  if (stopping_) return;
  calls_->call("host.end", "{}", [](const engine_client::Outcome&) {});
}

void StdioTransport::stop(std::chrono::milliseconds) {
  if (loop_ == nullptr) return;
  stopping_ = true;
  session_->stop();
  const auto* const work = host_.service<quarry_work_v1>(QUARRY_WORK);
  work->join_loop(std::exchange(loop_, nullptr));
  if (!calls_->wait_until_idle(engine_client::kRepliesGrace)) {
    // Late replies use the session: the host destroys it after them.
    return host_.log(QUARRY_LOG_WARNING, "the engine holds unanswered calls after stop");
  }
  session_.reset();
}

}  // namespace quarry::transport_mcp
