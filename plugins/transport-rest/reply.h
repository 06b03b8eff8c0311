#pragma once

#include "http_server/responder.h"
#include "http_server/traffic.h"
#include "routes.h"

#include <memory>
#include <string>
#include <utility>

namespace quarry::rest {

/// Learns what becomes of a request. [the connection's loop, or a thread of the engine]
class Observer {
 public:
  virtual ~Observer() = default;
  /// The request has asked this question. Before answered.
  virtual void asked(const std::string& question) = 0;
  /// Its response is sent, or the head of its stream.
  virtual void answered(int status) = 0;
};

/// Responder of one request, with the header lines of every response to it.
struct Reply {
  http_server::Responder responder;
  std::string headers;  // CORS fields for a page of a configured origin; mostly empty
  http_server::Traffic& traffic;
  std::size_t route = http_server::Traffic::kNoRoute;
  std::shared_ptr<const http_server::Traffic::Line> line = nullptr;  // null = not logged
  std::shared_ptr<Observer> observer = nullptr;                      // may be null

  void send(http_server::Response response) const {
    if (observer) observer->answered(response.status);
    traffic.answered(route, response.status, line.get());
    response.headers += headers;
    responder.send(std::move(response));
  }
  void start_stream(http_server::Response head) const {
    if (observer) observer->answered(head.status);
    traffic.answered(route, head.status, line.get());
    head.headers += headers;
    responder.start_stream(head);
  }
};

}  // namespace quarry::rest
