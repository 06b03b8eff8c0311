#pragma once

#include <string>
#include <string_view>

namespace quarry::rest {

/// OpenAPI 3.1 of the routes, with the JSON Schemas that the engine validates with: `schemas` is
/// the value of its method of that name.
[[nodiscard]] std::string openapi_document(std::string_view schemas);

}  // namespace quarry::rest
