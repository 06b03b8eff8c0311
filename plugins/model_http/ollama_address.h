#pragma once

#include <string>
#include <string_view>

namespace quarry::model_http {

/// Ollama's own service, which requires a key.
inline constexpr std::string_view kOllamaCloud = "https://ollama.com";

/// The base URL for OLLAMA_HOST: a host, "host:port", ":port" or a URL; empty = this machine. A
/// listening address (0.0.0.0) becomes the loopback one.
std::string ollama_base_url(std::string_view ollama_host);

}  // namespace quarry::model_http
