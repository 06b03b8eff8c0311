#pragma once

#include "http_server/responder.h"
#include "traffic.h"

#include <memory>
#include <string>
#include <utility>

namespace quarry::rest {

/// The way back to one client, with the header lines every answer to it carries.
struct Reply {
  http_server::Responder responder;
  std::string headers;  // for a browser's page of a configured origin; mostly empty
  Traffic& traffic;
  const Route* route = nullptr;                         // null: none
  std::shared_ptr<const Traffic::Line> line = nullptr;  // null: not wanted

  void send(http_server::Response response) const {
    traffic.answered(route, response.status, line.get());
    response.headers += headers;
    responder.send(std::move(response));
  }
  void start_stream(http_server::Response head) const {
    traffic.answered(route, head.status, line.get());
    head.headers += headers;
    responder.start_stream(head);
  }
};

}  // namespace quarry::rest
