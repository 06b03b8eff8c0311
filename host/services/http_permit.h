#pragma once

#include "services/http_client.h"

namespace quarry::services {

/// Implements HttpClient::permit; resolves the name on `io`.
Result<HttpPermit> find_permit(boost::asio::io_context& io, const EgressPolicy& policy,
                               const ProxySettings& proxies, const Call& call, std::string_view url,
                               const std::vector<std::string>& hosts);

}  // namespace quarry::services
