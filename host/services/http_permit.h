#pragma once

#include "services/http_client.h"

namespace quarry::services {

/// As HttpClient::permit, with its parts; the name is resolved by way of `io`.
Result<HttpPermit> find_permit(boost::asio::io_context& io, const EgressPolicy& policy,
                               const ProxySettings& proxies, const Call& call, std::string_view url,
                               const std::vector<std::string>& hosts);

}  // namespace quarry::services
