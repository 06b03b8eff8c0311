#pragma once

#include <quarry/outcome.hpp>

#include <string>
#include <string_view>

namespace quarry::resource_git {

/// Why a server of git over HTTP did not give what it was asked for.
struct Refused {
  std::string url;
  int status = 0;
  std::string body;
  std::string retry_after;  ///< its header; may be empty
  bool with_credentials = false;
};
Failure explain(const Refused& refused);

/// Why git ended without success: `errors` is what it printed, `doing` begins the sentence
/// ("cannot fetch https://…").
Failure explain(std::string_view doing, int signal, std::string_view errors);

/// Whether git failed for a reason that lies in the copy at hand, not in the remote.
bool is_local_damage(std::string_view errors);

/// Whether the repository has moved since its server was first asked.
bool is_redirect(std::string_view errors);

/// What git said on one line, its own chatter left out: the reason, which is the first line with
/// `cause` in it or else the last complaint, then the remote's words.
std::string words_of(std::string_view errors, std::string_view cause = {});

/// A disk too full to go on. git does not always say so itself.
Failure disk_full(std::string_view doing, std::string_view directory);

}  // namespace quarry::resource_git
