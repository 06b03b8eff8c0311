#pragma once

#include "package_source/exchange.h"

#include <optional>
#include <string>

namespace quarry::package_source {

/// A document of a server, with what it said of it.
struct Document {
  std::string body;
  Validators validators;
};

/// The document in the entry `name` of the plugin's cache; nullopt when there is no intact one.
/// [worker]
std::optional<Document> kept_document(const Host& host, const std::string& name);

/// Replaces it atomically. Returns the failure's message; empty on success, and without a cache.
/// [worker]
std::string keep_document(const Host& host, const std::string& name, const Document& document);

}  // namespace quarry::package_source
