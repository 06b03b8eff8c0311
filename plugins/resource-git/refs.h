#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::resource_git {

/// One line of what a remote has.
struct Ref {
  std::string name;    ///< "HEAD", "refs/heads/main", …
  std::string id;      ///< of the object it names; empty for a branch without a commit yet
  std::string peeled;  ///< of the commit behind an annotated tag; may be empty
  std::string target;  ///< the branch that HEAD stands for; may be empty
};
using Refs = std::vector<Ref>;

/// What a remote answered to the first question of the protocol (gitprotocol-http(5)).
struct Advertisement {
  int version = 0;                        ///< 2, else the refs are already here (0 and 1)
  std::vector<std::string> capabilities;  ///< one a line ("fetch=shallow filter"), or one a word
  Refs refs;

  /// Whether `command` is offered with `feature` ("fetch", "filter"), of version 2.
  [[nodiscard]] bool offers(std::string_view command, std::string_view feature) const;
};

/// Nothing when `body` is no such answer, as a web page is none. An "ERR" line of the server is in
/// `error`.
std::optional<Advertisement> parse_advertisement(std::string_view body, std::string& error);

/// The request for the refs that begin with these prefixes (protocol version 2). `unborn`: also for
/// a HEAD whose branch has no commit yet, when the server offers that.
std::string ls_refs_request(const std::vector<std::string>& prefixes, bool unborn);

/// The answer to it; nothing when it is none.
std::optional<Refs> parse_ls_refs(std::string_view body, std::string& error);

/// What `git ls-remote --symref` printed.
Refs parse_ls_remote(std::string_view text);

/// What a resource's branch means at the remote.
struct Found {
  std::string ref;     ///< "refs/heads/main", "refs/tags/v1"
  std::string commit;  ///< its digits, or those of a tag's object that leads to it
};

/// The prefixes that find_ref needs the refs of.
std::vector<std::string> wanted_prefixes(const std::string& branch);

/// A branch before a tag of that name; HEAD's when `branch` is empty; nothing when there is none.
std::optional<Found> find_ref(const Refs& refs, const std::string& branch);

/// "main" of "refs/heads/main", "v1" of "refs/tags/v1".
std::string_view short_name(std::string_view ref);

/// The names of `refs` (branches before tags) that are most like `wanted`, at most `most`.
std::vector<std::string> nearest(const Refs& refs, std::string_view wanted, std::size_t most);

}  // namespace quarry::resource_git
