#include "resource-git/failure.h"

#include "resource-git/speed.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <vector>

namespace quarry::resource_git {
namespace {

constexpr std::string_view kTokenHint =
    "Check the spelling. For a private repository set token = { env = \"…\" } on the resource in "
    "quarry.toml; for one of a project the owner sets it: quarry projects secret set.";
constexpr std::string_view kWrongToken =
    "Check that the token is valid, not expired, and may read this repository.";
constexpr std::string_view kFreeSpace = "Free some space where the cache is.";
constexpr std::string_view kCheckUrl =
    "Check the URL; a private repository also needs token = { env = \"…\" } on the resource.";
constexpr std::string_view kDamagedHint =
    "The server sent damaged objects. If this persists, its repository is damaged: git fsck checks "
    "it there.";

bool contains(std::string_view text, std::string_view part) {
  return std::ranges::search(text, part, [](char a, char b) {
           return (a >= 'A' && a <= 'Z' ? a | 0x20 : a) == (b >= 'A' && b <= 'Z' ? b | 0x20 : b);
         }).begin() != text.end();
}

/// The first line of a short plain-text body; empty for a web page.
std::string first_line(std::string_view body) {
  if (body.size() > 2000 || contains(body, "<html") || body.starts_with("<")) return "";
  const auto line = body.substr(0, body.find_first_of("\r\n"));
  const bool plain = std::ranges::all_of(line, [](char c) { return c >= ' ' && c < 0x7f; });
  return plain ? std::string(line) : "";
}

constexpr std::string_view kTooSlowOfCurl = "operation too slow";

/// Known error output of git, with its status and hint.
struct KnownOutput {
  std::string_view words;
  quarry_status status;
  std::string_view hint;
};
constexpr std::array<KnownOutput, 48> kKnownOutputs = {{
    {"no space left", QUARRY_RESOURCE_EXHAUSTED, kFreeSpace},
    {"disk quota", QUARRY_RESOURCE_EXHAUSTED, kFreeSpace},
    {"rate limit", QUARRY_UNAVAILABLE, "Wait, or set a token: known callers may ask more often."},
    {"returned error: 429", QUARRY_UNAVAILABLE, "Wait, or set a token on the resource."},
    {"returned error: 401", QUARRY_UNAUTHENTICATED, kTokenHint},
    {"authentication failed", QUARRY_UNAUTHENTICATED, kWrongToken},
    {"could not read username", QUARRY_UNAUTHENTICATED, kTokenHint},
    {"could not read password", QUARRY_UNAUTHENTICATED, kTokenHint},
    {"returned error: 403", QUARRY_PERMISSION_DENIED, kWrongToken},
    {"identification has changed", QUARRY_PERMISSION_DENIED,
     "Verify the server before you add its new key to known_hosts."},
    {"host key verification failed", QUARRY_PERMISSION_DENIED,
     "Connect to the host once with ssh, so that its key is in known_hosts."},
    {"permission denied (", QUARRY_UNAUTHENTICATED,
     "Check that ssh reaches this host with your key and without a prompt."},
    {"not our ref", QUARRY_NOT_FOUND, "The commit does not exist, or was removed from the remote."},
    {"unadvertised object", QUARRY_NOT_FOUND,
     "This server serves only the commits that its branches and tags point to."},
    {"couldn't find remote ref", QUARRY_NOT_FOUND, "Check the branch."},
    {"returned error: 404", QUARRY_NOT_FOUND, kCheckUrl},
    {"repository not found", QUARRY_NOT_FOUND, kCheckUrl},
    {"does not appear to be a git repository", QUARRY_NOT_FOUND, kCheckUrl},
    {"not found", QUARRY_NOT_FOUND, kCheckUrl},
    {"could not resolve", QUARRY_UNAVAILABLE, "Check the host's name and the network."},
    {"certificate", QUARRY_UNAVAILABLE,
     "Check the clock and the certificates of this machine; SSL_CERT_FILE names others."},
    {"ssl", QUARRY_UNAVAILABLE, "The TLS connection failed; check proxies and firewalls."},
    {"gnutls", QUARRY_UNAVAILABLE, "The TLS connection failed; check proxies and firewalls."},
    {"connection refused", QUARRY_UNAVAILABLE, "Check that the server runs, and its port."},
    {"failed to connect", QUARRY_UNAVAILABLE, "Check the network."},
    {"connection timed out", QUARRY_UNAVAILABLE, "Check the network."},
    {kTooSlowOfCurl, QUARRY_UNAVAILABLE, "Try again later."},
    {"network is unreachable", QUARRY_UNAVAILABLE, "Check the network."},
    {"out of memory", QUARRY_RESOURCE_EXHAUSTED,
     "An object of the repository takes more memory than a fetch may use."},
    {"malloc failed", QUARRY_RESOURCE_EXHAUSTED,
     "An object of the repository takes more memory than a fetch may use."},
    {"mmap failed", QUARRY_RESOURCE_EXHAUSTED,
     "The repository takes more memory than a fetch may use."},
    // A cut within the header of the pack is also reported as a damaged header.
    {"unexpected disconnect", QUARRY_UNAVAILABLE, "The connection was cut; try again."},
    {"fsck error", QUARRY_DATA_LOSS,
     "The repository has an object that is malformed and might be an attack; it is not read."},
    {"sha1 mismatch", QUARRY_DATA_LOSS, kDamagedHint},
    {"sha1 collision", QUARRY_DATA_LOSS, kDamagedHint},
    {"signature mismatch", QUARRY_DATA_LOSS, kDamagedHint},
    {"bad pack header", QUARRY_DATA_LOSS, kDamagedHint},
    {"inflate", QUARRY_DATA_LOSS, kDamagedHint},
    {"bad object", QUARRY_DATA_LOSS, kDamagedHint},
    {"unresolved delta", QUARRY_DATA_LOSS, kDamagedHint},
    {"failed to apply delta", QUARRY_DATA_LOSS, kDamagedHint},
    {"did not send all necessary", QUARRY_DATA_LOSS, kDamagedHint},
    {"returned error: 30", QUARRY_UNAVAILABLE, "Give the URL that it redirects to."},
    {"early eof", QUARRY_UNAVAILABLE, "The connection was cut; try again."},
    {"hung up", QUARRY_UNAVAILABLE, "The connection was cut; try again."},
    {"rpc failed", QUARRY_UNAVAILABLE, "The connection was cut; try again."},
    {"returned error: 5", QUARRY_UNAVAILABLE, "The server has a problem; try again later."},
    {"could not read from remote", QUARRY_UNAVAILABLE, "The connection was cut; try again."},
}};

constexpr std::array<std::string_view, 17> kDamage = {
    "bad object",       "loose object",    "corrupt",        "packfile",
    "unable to read",   "could not parse", "shallow file",   "not a git repository",
    "missing blob",     "missing tree",    "is missing",     "did not send all necessary",
    "unable to create", "cannot lock ref", "is a directory", "not a directory",
    "no such device"};

constexpr std::array<std::string_view, 11> kChatter = {"remote: Enumerating",
                                                       "remote: Counting",
                                                       "remote: Compressing",
                                                       "remote: Total",
                                                       "From ",
                                                       " * ",
                                                       "hint: ",
                                                       "@@@",
                                                       "IT IS POSSIBLE",
                                                       "Someone could",
                                                       "warning: "};

/// `errors` without the words that have a slash in them: the name of a repository, in its URL or in
/// the path of the cache, may be a word of a known error ("https://example.org/tiny-inflate").
std::string without_paths(std::string_view errors) {
  constexpr std::string_view kBetween = " \t\n'\"";
  std::string out;
  while (!errors.empty()) {
    const auto word = errors.substr(0, errors.find_first_of(kBetween));
    if (!word.contains('/')) out += word;
    errors.remove_prefix(word.size());
    const auto between = errors.substr(0, errors.find_first_not_of(kBetween));
    out += between;
    errors.remove_prefix(between.size());
  }
  return out;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    if (end != 0) lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

Failure unauthenticated(const Refused& refused, const std::string& answered) {
  if (refused.with_credentials) {
    return {QUARRY_UNAUTHENTICATED,
            refused.url + " refused the credentials: " + answered,
            std::string(kWrongToken),
            {}};
  }
  return {QUARRY_UNAUTHENTICATED,
          refused.url + " is private or does not exist: the server asks for credentials (" +
              answered + ")",
          std::string(kTokenHint),
          {}};
}

}  // namespace

Failure explain(const Refused& refused) {
  const std::string said = first_line(refused.body);
  const std::string answered =
      "it answered " + std::to_string(refused.status) + (said.empty() ? "" : ": " + said);
  const bool limited =
      refused.status == 429 || (refused.status == 403 && contains(refused.body, "rate limit"));
  if (limited) {
    const std::string& after = refused.retry_after;  // seconds or a date
    const bool is_date = after.find_first_not_of("0123456789") != after.npos;
    const std::string wait = after.empty() ? ""
                             : is_date     ? "; it asks to wait until " + after
                                           : "; it asks to wait " + after + " s";
    return {QUARRY_UNAVAILABLE,
            refused.url + " received too many requests: " + answered + wait,
            "Wait, or set a token: known callers may ask more often.",
            {}};
  }
  if (refused.status == 401) return unauthenticated(refused, answered);
  if (refused.status == 403) {
    return {QUARRY_PERMISSION_DENIED,
            refused.url + " must not be read: " + answered,
            std::string(refused.with_credentials ? kWrongToken : kTokenHint),
            {}};
  }
  if (refused.status == 404 || refused.status == 410) {
    return {QUARRY_NOT_FOUND,
            "the repository " + refused.url + " was not found: " + answered,
            std::string(refused.with_credentials ? kWrongToken : kCheckUrl),
            {}};
  }
  if (refused.status >= 500) {
    return {
        QUARRY_UNAVAILABLE, refused.url + " has a problem: " + answered, "Try again later.", {}};
  }
  return {QUARRY_INVALID_ARGUMENT,
          refused.url + " is no git repository that speaks HTTP: " + answered,
          "Give the https URL of a repository, as git clone takes it.",
          {}};
}

Failure explain(std::string_view doing, int signal, std::string_view errors) {
  const std::string begin(doing);
  if (signal == SIGXFSZ) {
    return {QUARRY_RESOURCE_EXHAUSTED,
            begin + ": it is larger than a fetch may be",
            "Give a searchPath, so that only a part is fetched.",
            {}};
  }
  if (signal != 0) {
    return {QUARRY_UNAVAILABLE,
            begin + ": git was ended by signal " + std::to_string(signal),
            "Try again.",
            {}};
  }
  const std::string said = without_paths(errors);
  const auto known = std::ranges::find_if(
      kKnownOutputs, [&](const KnownOutput& one) { return contains(said, one.words); });
  std::string words = words_of(errors, known == kKnownOutputs.end() ? "" : known->words);
  if (known != kKnownOutputs.end() && known->words == kTooSlowOfCurl)
    words = std::string("the server was ") + kTooSlow;
  const std::string message =
      begin + ": " + (words.empty() ? "git failed without a message" : words);
  if (known == kKnownOutputs.end()) return {QUARRY_INTERNAL, message, {}, {}};
  return {known->status, message, std::string(known->hint), {}};
}

Failure disk_full(std::string_view doing, std::string_view directory) {
  return {QUARRY_RESOURCE_EXHAUSTED,
          std::string(doing) + ": No space left on device beneath " + std::string(directory),
          std::string(kFreeSpace),
          {}};
}

bool is_local_damage(std::string_view errors) {
  const std::string said = without_paths(errors);
  return std::ranges::any_of(kDamage, [&](auto words) { return contains(said, words); });
}

bool is_redirect(std::string_view errors) {
  return contains(errors, "returned error: 30");
}

std::string words_of(std::string_view errors, std::string_view cause) {
  std::string said;
  std::string reason;
  bool found = false;
  for (std::string_view line : lines_of(errors)) {
    if (std::ranges::any_of(kChatter, [&](auto chatter) { return line.starts_with(chatter); })) {
      continue;
    }
    if (line.starts_with("fatal: ") || line.starts_with("error: ")) {
      const bool better = reason.empty() || line.starts_with("fatal: ");
      if (better && !found) reason = line.substr(7);
      found = found || (!cause.empty() && contains(reason, cause));
    } else if (said.size() < 400) {
      said.append(said.empty() ? "" : " ").append(line);
    }
  }
  if (said.empty() || reason.empty()) return said + reason;
  return reason + " (" + said + ")";
}

}  // namespace quarry::resource_git
