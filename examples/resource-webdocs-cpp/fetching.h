/// The transfer of a site's pages to a snapshot.
#ifndef WEBDOCS_FETCHING_H
#define WEBDOCS_FETCHING_H

#include "page_text.h"
#include "site.h"

#include <quarry/resource.hpp>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace webdocs {

/// Fetches what has changed since the last snapshot. A page that cannot be read now keeps its last
/// text, or is left out with a note: the others stay useful. One that the site no longer has
/// (status 404 or 410) is left out.
class Fetching {
 public:
  /// `last` is that of quarry_resource_v1.fetch.
  Fetching(const quarry::Host& host, const quarry::Call& call, quarry::Tree& tree,
           std::string_view last);

  /// Adds the files; once. Fails when the call is over, the tree accepts no more, or no page could
  /// be read.
  std::optional<quarry::Failure> run(const Site& site);
  /// The version that was fetched.
  [[nodiscard]] const std::string& version() const { return version_; }
  /// The value of fetch.
  [[nodiscard]] std::string value() const;

 private:
  using Response = quarry::Outcome<quarry::HttpResponse>;

  std::optional<quarry::Failure> send(const std::vector<std::size_t>& pages, bool conditional);
  quarry::HttpRequest request_of(const Page& page, bool conditional) const;
  std::optional<quarry::Failure> take(std::size_t i, Response& response);
  std::optional<quarry::Failure> mark_large();
  std::optional<quarry::Failure> keep(std::size_t i);
  std::optional<quarry::Failure> keep_outdated(std::size_t i);
  std::optional<quarry::Failure> add(std::size_t i, const quarry::HttpResponse& response);
  quarry_status write(const Page& page, const PageText& page_text);
  void remember(const Page& page, const std::string& validator);
  void report(std::size_t done) const;
  void write_notes();

  const quarry::Host& host_;
  const quarry::Call& call_;
  quarry::Tree& tree_;
  std::map<std::string, std::string> last_;  ///< validators by path and query
  const std::vector<Page>* pages_ = nullptr;
  std::vector<std::string> marks_;
  std::vector<std::size_t> not_kept_;  ///< unchanged, but missing in the last snapshot
  std::vector<std::size_t> large_;     ///< too large to be read
  std::vector<std::string> notes_;
  std::string version_;
  std::string state_;
  std::size_t files_ = 0;
  std::size_t bytes_ = 0;
  std::size_t outdated_ = 0;
  std::size_t failed_ = 0;
  std::size_t gone_ = 0;
  std::size_t too_large_ = 0;
  std::size_t no_text_ = 0;
};

}  // namespace webdocs

#endif
