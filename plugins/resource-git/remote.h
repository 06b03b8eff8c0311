#pragma once

#include "resource-git/credentials.h"
#include "resource-git/fields.h"
#include "resource-git/program.h"
#include "resource-git/refs.h"

#include <quarry/http.hpp>

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace quarry::resource_git {

/// State of a repository's server, known from the first request.
struct Server {
  std::string url;          ///< of the repository, after redirects
  Credentials credentials;  ///< empty when they belong to another host
  bool version2 = false;    ///< protocol version 2
  bool filters = false;     ///< supports partial fetches
  bool unborn = false;      ///< reports the branch of an empty repository
};

/// Parameters of git's access to a repository.
struct Access {
  Pairs configuration;
  std::vector<std::string> environment;
  bool filters = false;
  Credentials credentials = {};                    ///< already included in the configuration
  std::optional<MinimumSpeed> minimum_speed = {};  ///< for a transport where git enforces none
};

/// The repositories' servers. Over HTTP refs are requested through the host's own client, which
/// keeps connections, follows redirects under the egress policy, and distinguishes refusals; over
/// ssh through git. Thread-safe.
class Remotes {
 public:
  Remotes(Host host, Settings settings) : host_(host), settings_(std::move(settings)) {}

  /// The refs whose names begin with one of `prefixes`, possibly with others. [worker]
  Outcome<Refs> refs(const Call& call, const Fields& fields,
                     const std::vector<std::string>& prefixes);
  /// Parameters for a run of git that connects to the repository. [worker]
  Outcome<Access> access(const Call& call, const Fields& fields);
  /// Identifies the credentials used: readers do not share fetched data. Without a token the owner
  /// and projects are distinct too, since the owner's helpers or keys may grant access.
  [[nodiscard]] std::string reader_of(const Fields& fields) const;
  /// Discards the server's state, so that the next call requests it again. [any]
  void forget(const Fields& fields);

 private:
  struct Greeting {
    Server server;
    Refs refs;  ///< all of them, from a server without version 2
  };
  static std::string key_of(const Fields& fields);
  [[nodiscard]] std::optional<Server> known(const Fields& fields);
  Outcome<Greeting> greet(const Call& call, const Fields& fields);
  Outcome<Greeting> greet_with(const Call& call, const Fields& fields,
                               const Credentials& credentials, int& status);
  Outcome<Server> server(const Call& call, const Fields& fields);
  Outcome<Refs> list(const Call& call, const Server& server,
                     const std::vector<std::string>& prefixes);
  Outcome<Refs> list_by_ssh(const Call& call, const Fields& fields,
                            const std::vector<std::string>& prefixes);
  Outcome<Access> access_by_ssh(const Call& call, const Fields& fields);

  Host host_;
  Settings settings_;
  std::mutex mutex_;
  std::map<std::string, Server> servers_;
};

}  // namespace quarry::resource_git
