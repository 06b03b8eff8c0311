#include "cli/connection.h"

namespace quarry::cli {

Result<std::unique_ptr<Connection>> connect_to_server(const std::string& url) {
  return Error{Code::kUnsupported, "cannot reach " + url + " yet"};
}

}  // namespace quarry::cli
