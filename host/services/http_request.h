#pragma once

#include <string>
#include <vector>

namespace quarry::services {

struct HttpHeader {
  std::string name;
  std::string value;
  std::string secret = {};  ///< name of a secret whose value is appended to `value`; may be empty
  bool credential = false;  ///< `value` holds a secret: a redirect to another origin drops it
};

struct HttpRequest {
  std::string method = "GET";
  std::string url;  ///< http or https, without user and password
  std::vector<HttpHeader> headers = {};
  std::string body = {};
};

}  // namespace quarry::services
