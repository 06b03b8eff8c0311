#pragma once

#include "engine_client/engine_calls.h"
#include "mcp_server/access.h"

namespace quarry::transport_mcp {

/// Checks tokens and sessions with the engine's methods access.* and sessions.*.
class EngineAccess final : public mcp::Access {
 public:
  /// `calls` must outlive this.
  explicit EngineAccess(engine_client::EngineCalls& calls) : calls_(calls) {}

  void admit(const mcp::Credentials& credentials, bool count, Admitted done) override;
  void open_session(const std::string& principal,
                    std::function<void(std::string session)> done) override;
  void check_session(const std::string& principal, const std::string& session,
                     std::function<void(bool live)> done) override;
  void end_session(const std::string& principal, const std::string& session,
                   std::function<void(bool ended)> done) override;
  void record(const mcp::Record& record) override;

 private:
  void ask_of_session(const char* method, const char* member, const std::string& principal,
                      const std::string& session, std::function<void(bool)> done);

  engine_client::EngineCalls& calls_;
};

}  // namespace quarry::transport_mcp
