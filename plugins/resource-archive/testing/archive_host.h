#pragma once

#include "resource-archive/testing/archives.h"

#include <quarry/paths.h>
#include <quarry/secrets.h>
#include <quarry/testing.hpp>

#include <map>
#include <string>
#include <vector>

namespace quarry::resource_archive::testing {

/// The plugin with a cache, secrets, and a server of one archive.
class ArchiveHost {
 public:
  explicit ArchiveHost(const std::string& configuration = "{}");
  ArchiveHost(const ArchiveHost&) = delete;
  ArchiveHost& operator=(const ArchiveHost&) = delete;

  Outcome<std::string> resolve(const std::string& resource, const std::string& last = {});
  Outcome<std::string> fetch(const std::string& resource, const std::string& version,
                             quarry::testing::Tree& tree);
  /// resolve, then fetch.
  Outcome<std::string> get(const std::string& resource, quarry::testing::Tree& tree);
  /// A header of the request `number`, from 0; empty when it had none.
  [[nodiscard]] std::string sent(std::size_t number, const char* name) const;

  TempDirectory directory;
  quarry::testing::FakeHttp http;
  quarry::testing::FakeCall call;
  std::string body;              ///< the archive on the server
  std::string etag = "\"one\"";  ///< empty = the server sends none
  std::map<std::string, std::string> secrets;

 private:
  [[nodiscard]] HttpResponse serve(const HttpRequest& request) const;

  std::string cache_;
  quarry_paths_v1 paths_;
  quarry_secrets_v1 secrets_;

 public:
  quarry::testing::Component<quarry_resource_v1> type;
};

inline constexpr char kPlain[] = R"({"url":"https://example.org/x.tar"})";
/// The outcome of one fetch of an archive.
struct FetchedArchive {
  /// `members` as in R"(,"strip":1)".
  explicit FetchedArchive(const std::string& body, const std::string& members = "",
                          const std::string& configuration = "{}");

  quarry::testing::Tree tree;
  std::vector<std::string> notes;
  Failure failure{QUARRY_OK, {}, {}, {}};
};

/// kPlain with more members, as in R"("strip":1)".
std::string plain_with(const std::string& members);

}  // namespace quarry::resource_archive::testing
