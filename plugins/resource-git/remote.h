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

/// What is known of a repository's server since it was first asked.
struct Server {
  std::string url;          ///< where the repository is, after redirects
  Credentials credentials;  ///< empty when they are not for that host
  bool version2 = false;    ///< of the protocol
  bool filters = false;     ///< leaves out objects on demand
  bool unborn = false;      ///< tells the branch of an empty repository
};

/// How git reaches a repository.
struct Access {
  Pairs configuration;
  std::vector<std::string> environment;
  bool filters = false;
  Credentials credentials = {};                    ///< already part of the configuration
  std::optional<MinimumSpeed> minimum_speed = {};  ///< of a transport to which git has none
};

/// The repositories' servers. Over HTTP refs are asked for through the host's own client, which
/// keeps connections, follows redirects under the egress policy, and tells refusals apart; over ssh
/// through git. Thread-safe.
class Remotes {
 public:
  Remotes(Host host, Settings settings) : host_(host), settings_(std::move(settings)) {}

  /// The refs whose names begin with one of `prefixes`, maybe with others. [worker]
  Outcome<Refs> refs(const Call& call, const Fields& fields,
                     const std::vector<std::string>& prefixes);
  /// What a run of git that talks to the repository needs. [worker]
  Outcome<Access> access(const Call& call, const Fields& fields);
  /// Whose credentials read it: what one reader fetched is nobody else's. Without a token
  /// the owner and projects are told apart too, since the owner's helpers or keys may let him in.
  [[nodiscard]] std::string reader_of(const Fields& fields) const;
  /// Asks the server anew next time: what was known of it holds no more. [any]
  void forget(const Fields& fields);

 private:
  struct Greeting {
    Server server;
    Refs refs;  ///< all of them, of a server without version 2
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
