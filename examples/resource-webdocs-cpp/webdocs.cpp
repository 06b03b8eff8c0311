// A documentation site as a resource. Its pages are those that llms.txt or the sitemap names; each
// becomes a Markdown file with the page's title and address. Only pages that have changed since the
// last snapshot are sent again.
#include "fetching.h"
#include "schema.json.h"
#include "site.h"
#include "url.h"

#include <quarry/json.hpp>
#include <quarry/plugin.hpp>

namespace {

namespace json = quarry::json;
using quarry::Outcome;
using webdocs::Url;

constexpr std::int64_t kDefaultLimit = 100;

/// Hosts of this machine, to which http is permitted: nobody can listen to it.
bool is_local(const Url& url) {
  const std::string host = url.host();
  return host == "localhost" || host == "127.0.0.1" || host == "[::1]";
}

Url url_of(std::string_view resource) {
  return webdocs::parse_url(json::string(resource, "url").value_or("")).value_or(Url{});
}

std::size_t limit_of(std::string_view resource) {
  return static_cast<std::size_t>(json::integer(resource, "limit").value_or(kDefaultLimit));
}

class WebDocs {
 public:
  explicit WebDocs(quarry::Host host) : host_(host) {}

  std::string describe() {
    return R"json({"title": "Documentation site",)json"
           R"json( "examples": ["https://docs.example.org/llms.txt"],)json"
           R"json( "schema": )json" SCHEMA_JSON "}";
  }

  Outcome<std::string> normalise(const quarry::Call&, std::string_view resource) {
    const auto url = webdocs::parse_url(json::string(resource, "url").value_or(""));
    if (!url) {
      return quarry::field_failure("/url", "is no https URL",
                                   "write it as https://docs.example.org/, without a user");
    }
    if (url->origin.starts_with("http:") && !is_local(*url)) {
      return quarry::field_failure("/url", "has http for another machine", "use https");
    }
    if (!url->query.empty()) {
      return quarry::field_failure("/url", "has a query", "leave out everything from \"?\"");
    }
    return "{\"type\":\"webdocs\",\"url\":" + json::quoted(url->text()) +
           ",\"limit\":" + std::to_string(limit_of(resource)) + "}";
  }

  // The version is made of what every page has now, since an unchanged list of pages says nothing
  // about the pages. One HEAD request a page finds that out without their text.
  Outcome<std::string> resolve(const quarry::Call& call, std::string_view resource) {
    const auto site = webdocs::list_site(host_, call, url_of(resource), limit_of(resource));
    if (!site) return site.failure();
    const auto marks = webdocs::read_marks(host_, call, site->pages);
    if (!marks) return marks.failure();
    const std::string id = webdocs::version_of(site->pages, *marks);
    return "{\"id\":" + json::quoted(id) + ",\"immutable\":false,\"display\":" +
           json::quoted(std::to_string(site->pages.size()) + " pages, " + id.substr(0, 8)) +
           ",\"index\":" + json::quoted(site->index) + "}";
  }

  Outcome<std::string> fetch(const quarry::Call& call, std::string_view resource,
                             std::string_view version, std::string_view last, quarry::Tree& tree) {
    const auto site = webdocs::list_site(host_, call, url_of(resource), limit_of(resource));
    if (!site) return site.failure();
    webdocs::Fetching fetching(host_, call, tree, last);
    if (auto failed = fetching.run(*site)) return *failed;
    // A version from a lock file lacks the member of resolve, and cannot be had any more once the
    // site has changed. Otherwise the next resolve notices what changed meanwhile.
    const bool locked = !json::member(version, "index");
    if (locked && json::string(version, "id") != fetching.version()) {
      return quarry::Failure{QUARRY_NOT_FOUND,
                             "the site has changed since it was locked",
                             "lock it again with quarry lock",
                             {}};
    }
    return fetching.value();
  }

  // A low confidence: any site may have such paths, and other types know theirs better.
  std::string parse_reference(std::string_view reference) {
    constexpr std::string_view kScheme = "webdocs:";
    const bool own = reference.starts_with(kScheme);
    if (own) reference.remove_prefix(kScheme.size());
    const auto url = webdocs::parse_url(reference);
    if (!url || !url->query.empty()) return "null";
    const std::string& path = url->path;
    const bool likely =
        url->origin.starts_with("https:") &&
        (path.ends_with("/llms.txt") || path.ends_with("/docs") || path.ends_with("/docs/"));
    if (!own && !likely) return "null";
    return "{\"resource\":{\"type\":\"webdocs\",\"name\":" + json::quoted(url->host()) +
           ",\"url\":" + json::quoted(url->text()) + "},\"confidence\":" + (own ? "100" : "20") +
           "}";
  }

 private:
  const quarry::Host host_;
};

}  // namespace

QUARRY_PLUGIN("org.example.webdocs", "1.0.0", quarry::resource<WebDocs>("webdocs"))
