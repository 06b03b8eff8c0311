#pragma once

#include "engine_client/engine_calls.h"
#include "mcp_server/access.h"
#include "mcp_server/more_routes.h"
#include "transport-rest/answers.h"

#include <set>
#include <string>
#include <string_view>

namespace quarry::transport_mcp {

/// The page at /ui/, and what it calls: the paths of docs/http-api.md beneath /ui/api whose methods
/// of the engine act for callers with tokens. GET /ui/api/ describes the caller. The header
/// X-Project names a project of the token.
class PageRoutes final : public mcp::MoreRoutes {
 public:
  /// `calls` and `access` must outlive this. Asks the engine for its methods.
  PageRoutes(engine_client::EngineCalls& calls, mcp::Access& access, std::string version);

  [[nodiscard]] std::string label() const override { return "/ui/"; }
  [[nodiscard]] bool serves(std::string_view path) const override;
  [[nodiscard]] bool needs_token(std::string_view path) const override;
  [[nodiscard]] std::optional<http_server::Response> refuse_early(
      const http_server::Request& head) const override;
  Answer read(const http_server::Request& request) override;

 private:
  [[nodiscard]] rest::Match find(const http_server::Request& request) const;
  [[nodiscard]] bool is_for_tokens(const rest::Route& route) const;

  mcp::Access& access_;
  const std::string version_;
  const std::set<std::string, std::less<>> methods_;  // that take a principal
  rest::Answers answers_;
};

}  // namespace quarry::transport_mcp
