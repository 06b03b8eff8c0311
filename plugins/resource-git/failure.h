#pragma once

#include <quarry/outcome.hpp>

#include <string>
#include <string_view>

namespace quarry::resource_git {

/// The refusal of a server of git over HTTP.
struct Refused {
  std::string url;
  int status = 0;
  std::string body;
  std::string retry_after;  ///< value of the header; may be empty
  bool with_credentials = false;
};
Failure explain(const Refused& refused);

/// The failure of a git run: `errors` is its error output, `doing` begins the message ("cannot
/// fetch https://…").
Failure explain(std::string_view doing, int signal, std::string_view errors);

/// True if git failed because of the local copy, not the remote.
bool is_local_damage(std::string_view errors);

/// True if the repository has moved since the first request to its server.
bool is_redirect(std::string_view errors);

/// Git's error output on one line, without noise: the reason, which is the first line that contains
/// `cause` or else the last error, then the remote's message.
std::string words_of(std::string_view errors, std::string_view cause = {});

/// The failure for a full disk, which git does not always report itself.
Failure disk_full(std::string_view doing, std::string_view directory);

}  // namespace quarry::resource_git
