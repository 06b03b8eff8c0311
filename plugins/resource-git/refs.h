#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::resource_git {

/// One ref of a remote.
struct Ref {
  std::string name;    ///< "HEAD", "refs/heads/main", …
  std::string id;      ///< of the object; empty for a branch without a commit
  std::string peeled;  ///< of an annotated tag's commit; may be empty
  std::string target;  ///< the branch that HEAD refers to; may be empty
};
using Refs = std::vector<Ref>;

/// A remote's response to the first request of the protocol (gitprotocol-http(5)).
struct Advertisement {
  int version = 0;                        ///< 2; with 0 and 1 the refs are included
  std::vector<std::string> capabilities;  ///< one per line ("fetch=shallow filter") or word
  Refs refs;

  /// True if `command` is offered with `feature` ("fetch", "filter"), in version 2.
  [[nodiscard]] bool offers(std::string_view command, std::string_view feature) const;
};

/// nullopt when `body` is something else, a web page for example. `error` receives an "ERR" line of
/// the server.
std::optional<Advertisement> parse_advertisement(std::string_view body, std::string& error);

/// The request for the refs that begin with these prefixes (protocol version 2). `unborn`: also a
/// HEAD whose branch has no commit yet, if the server offers that.
std::string ls_refs_request(const std::vector<std::string>& prefixes, bool unborn);

/// Parses the response to it; nullopt when it is something else.
std::optional<Refs> parse_ls_refs(std::string_view body, std::string& error);

/// Parses the output of `git ls-remote --symref`.
Refs parse_ls_remote(std::string_view text);

/// The remote's ref for a resource's branch.
struct Found {
  std::string ref;     ///< "refs/heads/main", "refs/tags/v1"
  std::string commit;  ///< its id, or that of a tag object that refers to it
};

/// Prefixes of the refs that find_ref needs.
std::vector<std::string> wanted_prefixes(const std::string& branch);

/// The branch, else the tag, of that name; HEAD's branch when `branch` is empty; nullopt when there
/// is none.
std::optional<Found> find_ref(const Refs& refs, const std::string& branch);

/// A branch or tag whose name goes on in a path.
struct ContinuedRef {
  Found found;
  std::string rest;  ///< the path behind the name; empty = all of it was the name's
};

/// The ref that `branch` and the first parts of `path` name together, which have only '/' between
/// them in a forge's URL: the longest one. Needs what wanted_prefixes(branch) asks for.
std::optional<ContinuedRef> find_continued_ref(const Refs& refs, const std::string& branch,
                                               std::string_view path);

/// True for the first digits of a commit's id, at least seven.
bool is_short_commit(std::string_view text);

/// The commits that refs lead to and that begin with these digits, each once.
std::vector<std::string> commits_beginning_with(const Refs& refs, std::string_view digits);

/// "main" of "refs/heads/main", "v1" of "refs/tags/v1".
std::string_view short_name(std::string_view ref);

/// The names of `refs` (branches before tags) nearest to `wanted`, at most `most`.
std::vector<std::string> nearest(const Refs& refs, std::string_view wanted, std::size_t most);

}  // namespace quarry::resource_git
