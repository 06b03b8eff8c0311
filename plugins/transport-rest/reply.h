#pragma once

#include "http_server/responder.h"

#include <string>

namespace quarry::rest {

/// The way back to one client, with the header lines every answer to it carries.
struct Reply {
  http_server::Responder responder;
  std::string headers;  // for a browser's page of a configured origin; mostly empty

  void send(http_server::Response response) const {
    response.headers += headers;
    responder.send(std::move(response));
  }
};

}  // namespace quarry::rest
