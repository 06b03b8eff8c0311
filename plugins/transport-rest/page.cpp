#include "page.h"

#include "failure.h"

#include <algorithm>
#include <string>

namespace quarry::rest {
namespace {

using http_server::Request;
using http_server::Response;

constexpr std::string_view kFolder = "/ui/";

/// No script, style or connection but those of this server, and no frame around the page.
constexpr std::string_view kPageHeaders =
    "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "Cross-Origin-Opener-Policy: same-origin\r\n"
    "Cross-Origin-Resource-Policy: same-origin\r\n"
    "Cache-Control: no-cache\r\n"
    "Vary: Accept-Encoding\r\n";

Response without_page() {
  return error_response(404, "NotFound", "this build of the server has no page",
                        "Run scripts/install-npm-packages build and build it again.");
}

Response redirect(std::string_view to) {
  Response response;
  response.status = 303;
  response.content_type = {};
  response.headers = "Location: " + std::string(to) + "\r\nVary: Accept\r\n";
  return response;
}

/// True if the list of an Accept-Encoding field forbids gzip. Without the field any is accepted.
bool refuses_gzip(std::string_view accepted) {
  return !accepted.empty() && accepted.find("gzip") == accepted.npos &&
         accepted.find('*') == accepted.npos;
}

}  // namespace

bool wants_page(const Request& request) {
  return request.list("Accept").find("text/html") != std::string::npos;
}

Response way_to_page() {
  return redirect(kFolder);
}

Response page_response(const Request& request, std::string_view first) {
  if (page_files().empty()) return without_page();
  if (!request.path.starts_with(kFolder)) return way_to_page();
  std::string_view name = request.path.substr(kFolder.size());
  if (name.empty()) name = first;
  const auto file = std::ranges::find(page_files(), name, &PageFile::name);
  if (file == page_files().end()) {
    return error_response(404, "NotFound", "the page has no file " + std::string(name),
                          "It begins at /ui/.");
  }
  if (refuses_gzip(request.list("Accept-Encoding"))) {
    return error_response(406, "NotAcceptable", "the page is sent compressed with gzip",
                          "Send \"Accept-Encoding: gzip\".");
  }
  Response response;
  response.headers = std::string(kPageHeaders) + "ETag: " + std::string(file->etag) + "\r\n";
  if (request.list("If-None-Match").find(file->etag) != std::string::npos) {
    response.status = 304;
    response.content_type = {};
    return response;
  }
  response.headers += "Content-Encoding: gzip\r\n";
  response.content_type = file->content_type;
  response.body = file->gzip;
  return response;
}

}  // namespace quarry::rest
