#pragma once

#include "answers.h"
#include "engine_client/engine_calls.h"
#include "failure.h"
#include "http_server/policy.h"
#include "http_server/server.h"
#include "http_server/traffic.h"
#include "reply.h"
#include "routes.h"

#include <memory>
#include <optional>
#include <string>

namespace quarry::rest {

/// Options of a surface.
struct SurfaceOptions {
  http_server::AccessPolicy policy;
  std::string token;    // for "Authorization: Bearer"; empty = none required
  std::string version;  // of the host
  StreamRules stream;
  const quarry_metrics_v1* metrics = nullptr;
  const quarry_log_v1* log = nullptr;
};

/// The local REST interface: translates between HTTP requests and the engine's methods.
class Surface final : public http_server::Handler {
 public:
  Surface(engine_client::EngineCalls& calls, SurfaceOptions options);

  void handle(const http_server::Request& request, http_server::Responder responder) override;
  std::optional<http_server::Response> refuse_early(const http_server::Request& head) override;
  http_server::Response describe(const http_server::Refusal& refusal) override;

 private:
  struct Admission;

  [[nodiscard]] Admission admission_of(const http_server::Request& request) const;
  [[nodiscard]] std::optional<http_server::Response> check_access(
      const http_server::Request& request) const;
  [[nodiscard]] bool knows_token(std::string_view authorization) const;
  [[nodiscard]] std::string cross_origin_headers(const http_server::Request& request) const;
  [[nodiscard]] std::shared_ptr<const http_server::Traffic::Line> line_about(
      const http_server::Request& request) const;
  void answer(const http_server::Request& request, const Match& match, Reply reply);
  void ready(Reply reply);
  void metrics(Reply reply);

  engine_client::EngineCalls& calls_;
  const SurfaceOptions options_;
  Answers answers_;
  const std::string service_;  // the body of GET /
  http_server::Traffic traffic_;
};

}  // namespace quarry::rest
