// The current index of a suite, by one conditional request.
#pragma once

#include "package_source/kept_document.h"
#include "resource-debian/release.h"
#include "resource-debian/store.h"

namespace quarry::resource_debian {

struct Suite {
  Release release;
  std::string sha256;  ///< of the whole InRelease
  std::string etag;    ///< what the server said of it, for the next request
  std::string modified;
  bool unchanged = false;  ///< the server says so, and the text is no longer there
};

/// What is remembered of the last look at the suite, in the version of a resource.
struct Seen {
  std::string sha256;
  std::int64_t date = 0;
  std::int64_t valid_until = 0;
  std::string etag;
  std::string modified;
};
/// Empty when it was another suite, archive or keyring.
Seen seen_of(const Wanted& wanted, std::string_view version);
std::string seen_json(const Wanted& wanted, const Suite& suite);

class Suites {
 public:
  Suites(const Host& host, const Store& store) : host_(host), store_(store) {}

  /// The index as it is now, verified and neither expired nor older than one seen before.
  Outcome<Suite> current(const Call& call, const Wanted& wanted, const Seen& seen) const;

 private:
  /// The text of InRelease; an empty one: that seen before.
  Outcome<package_source::Document> ask(const Call& call, const std::string& url,
                                        const package_source::Document& kept) const;
  Outcome<Suite> unchanged(const Wanted& wanted, const Seen& seen) const;
  Problem check(const Wanted& wanted, const Release& release) const;
  Problem check_times(const Wanted& wanted, const Release& release) const;
  [[nodiscard]] std::int64_t now() const;

  Host host_;
  const Store& store_;
};

}  // namespace quarry::resource_debian
