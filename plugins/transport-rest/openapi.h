#pragma once

#include <string>
#include <string_view>

namespace quarry::rest {

/// OpenAPI 3.1 of the routes, with the JSON Schemas that the engine validates with: `schemas` and
/// `methods` are the values of its methods of these names. Without a description of a method, its
/// body and value are any objects.
[[nodiscard]] std::string openapi_document(std::string_view schemas, std::string_view methods);

}  // namespace quarry::rest
