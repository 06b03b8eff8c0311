#include "model_http/ollama_address.h"

#include <algorithm>

namespace quarry::model_http {
namespace {

constexpr std::string_view kPort = ":11434";

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kAround = " \t\"'";
  const std::size_t begin = text.find_first_not_of(kAround);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kAround) - begin + 1);
}

/// A host and its optional ":port".
struct Place {
  std::string host;
  std::string port;
};

Place place_of(std::string_view text) {
  if (std::count(text.begin(), text.end(), ':') > 1 && !text.starts_with('[')) {
    return {"[" + std::string(text) + "]", ""};  // a bare IPv6 address
  }
  const std::size_t bracket = text.rfind(']');
  const std::size_t colon = text.find(':', bracket == std::string_view::npos ? 0 : bracket);
  const std::size_t end = std::min(colon, text.size());
  return {std::string(text.substr(0, end)), std::string(text.substr(end))};
}

}  // namespace

std::string ollama_base_url(std::string_view ollama_host) {
  std::string_view rest = trimmed(ollama_host);
  const std::size_t separator = rest.find("://");
  const bool has_scheme = separator != std::string_view::npos;
  const std::string scheme(has_scheme ? rest.substr(0, separator) : "http");
  if (has_scheme) rest.remove_prefix(separator + 3);
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  Place place = place_of(rest.substr(0, slash));
  if (place.host.empty() || place.host == "0.0.0.0") place.host = "127.0.0.1";
  if (place.host == "[::]") place.host = "[::1]";
  if (place.port.empty() && !has_scheme) place.port = kPort;
  return scheme + "://" + place.host + place.port + std::string(rest.substr(slash));
}

}  // namespace quarry::model_http
