#include "resource-git/remote.h"

#include "resource-git/failure.h"
#include "resource-git/forge.h"

#include <algorithm>
#include <cstdlib>

namespace quarry::resource_git {
namespace {

constexpr std::string_view kGreeting = "/info/refs?service=git-upload-pack";
constexpr std::size_t kMostRefs = std::size_t{64} << 20;
constexpr std::string_view kAnswerType = "application/x-git-upload-pack-advertisement";

/// A complete response and its final URL.
struct Answer {
  HttpResponse response;
  std::string url;
};

Outcome<Answer> ask(const Host& host, const Call& call, const HttpRequest& request) {
  Answer answer;
  bool too_large = false;
  const auto end = fetch_to(
      host, call, request,
      [&](int status, const std::vector<HttpHeader>& headers) {
        answer.response = {status, headers, {}};
        return true;
      },
      [&](std::string_view bytes) {
        too_large = bytes.size() > kMostRefs - answer.response.body.size();
        if (!too_large) answer.response.body += bytes;
        return !too_large;
      });
  if (too_large) {
    return Failure{
        QUARRY_RESOURCE_EXHAUSTED, request.url + " lists more than 64 MiB of refs", {}, {}};
  }
  if (!end) return end.failure();
  answer.url = end->url;
  return answer;
}

std::vector<HttpHeader> headers_with(const Credentials& credentials) {
  std::vector<HttpHeader> headers = {{"Git-Protocol", "version=2", ""},
                                     {"User-Agent", "git/2 (quarry)", ""}};
  if (!credentials.authorization.empty()) {
    headers.push_back({"Authorization", credentials.authorization, ""});
  }
  return headers;
}

std::string origin_of(std::string_view url) {
  const auto begin = url.find("://");
  return std::string(url.substr(0, url.find('/', begin == url.npos ? 0 : begin + 3)));
}

/// The repository's URL when its ref advertisement came from `final_url`.
Outcome<std::string> base_of(const std::string& asked, const std::string& final_url) {
  if (!final_url.ends_with(kGreeting)) {
    return Failure{QUARRY_INVALID_ARGUMENT,
                   asked + " redirects to " + final_url + ", which is no git repository",
                   "Give the https URL of a repository, as git clone takes it.",
                   {}};
  }
  std::string base = final_url.substr(0, final_url.size() - kGreeting.size());
  if (asked.starts_with("https://") && !base.starts_with("https://")) {
    return Failure{QUARRY_PERMISSION_DENIED,
                   asked + " redirects to " + base + ", which is not https",
                   "If that is intended, give that URL.",
                   {}};
  }
  return base;
}

Failure not_git(const std::string& url, const std::string& error, bool is_page = false) {
  return {QUARRY_INVALID_ARGUMENT,
          url + (is_page         ? " is a web page, not a git repository"
                 : error.empty() ? " responds, but not as a git repository over HTTP"
                                 : " says: " + error),
          "Give the https URL of a repository, as git clone takes it.",
          {}};
}

/// The failure for a request to the repository at `url`; names a host that a redirect leads to.
Failure unreachable(const std::string& url, const Failure& said) {
  const auto refused = refused_host(said);
  if (!refused || !refused->redirect || !refused->unlisted) return said;
  Failure failure =
      field_failure("/url", url + " redirects to " + refused->host + ", which it does not name",
                    "If you trust that host, give the URL of the repository there.");
  failure.status = QUARRY_PERMISSION_DENIED;
  return failure;
}

/// A refusal; names the host when a redirect led to another one.
Refused refused_by(const Answer& answer, const std::string& asked, const Credentials& credentials) {
  const std::string final_url = answer.url.substr(0, answer.url.find("/info/refs"));
  const auto& response = answer.response;
  return {final_url == asked ? asked : asked + " (redirected to " + final_url + ")",
          response.status, response.body, std::string(header(response.headers, "retry-after")),
          !credentials.authorization.empty()};
}

std::string resolve_entry(const Permit& permit) {
  std::string entry = permit.host + ":" + std::to_string(permit.port) + ":";
  for (std::size_t i = 0; i < permit.addresses.size(); ++i) {
    const std::string& address = permit.addresses[i];
    const bool six = address.find(':') != address.npos && !address.starts_with('[');
    entry += (i == 0 ? "" : ",") + (six ? "[" + address + "]" : address);
  }
  return entry;
}

std::string ssh_command(const Location& location, const Permit& permit) {
  const std::string alias = location.port.empty() || location.port == "22"
                                ? location.host
                                : "[" + location.host + "]:" + location.port;
  return "ssh -oBatchMode=yes -oStrictHostKeyChecking=yes -oPermitLocalCommand=no "
         "-oForwardAgent=no -oForwardX11=no -oClearAllForwardings=yes -oProxyCommand=none "
         "-oConnectTimeout=15 -oServerAliveInterval=15 '-oHostName=" +
         permit.addresses.front() + "' '-oHostKeyAlias=" + alias + "'";
}

std::string ssh_url(const Location& location) {
  return "ssh://" + authority(location) + "/";
}

}  // namespace

std::string Remotes::key_of(const Fields& fields) {
  return to_url(fields.location) + "\n" + fields.token;
}

std::string Remotes::reader_of(const Fields& fields) const {
  return (settings_.for_projects ? "projects\n" : "") + fields.token;
}

std::optional<Server> Remotes::known(const Fields& fields) {
  const std::lock_guard lock(mutex_);
  const auto found = servers_.find(key_of(fields));
  return found == servers_.end() ? std::nullopt : std::optional(found->second);
}

void Remotes::forget(const Fields& fields) {
  const std::lock_guard lock(mutex_);
  servers_.erase(key_of(fields));
}

Outcome<Remotes::Greeting> Remotes::greet_with(const Call& call, const Fields& fields,
                                               const Credentials& credentials, int& status) {
  const std::string url = clone_url(fields.location);
  const auto answer =
      ask(host_, call, {"GET", url + std::string(kGreeting), headers_with(credentials), ""});
  if (!answer) return unreachable(url, answer.failure());
  status = answer->response.status;
  if (status != 200) return explain(refused_by(*answer, url, credentials));
  const auto base = base_of(url, answer->url);
  if (!base) return base.failure();
  std::string error;
  const bool typed = header(answer->response.headers, "content-type").starts_with(kAnswerType);
  const auto said = parse_advertisement(answer->response.body, error);
  if (!said || !typed) {
    const auto type = header(answer->response.headers, "content-type");
    return not_git(url, error, type.starts_with("text/html"));
  }
  if (said->offers("object-format", "sha256")) {
    return Failure{
        QUARRY_UNSUPPORTED, url + " names its objects by SHA-256, which is not supported", {}, {}};
  }
  const bool same_origin = origin_of(*base) == origin_of(url);
  return Greeting{{*base, same_origin ? credentials : Credentials{}, said->version == 2,
                   said->offers("fetch", "filter"), said->offers("ls-refs", "unborn")},
                  said->refs};
}

Outcome<Remotes::Greeting> Remotes::greet(const Call& call, const Fields& fields) {
  const auto token = credentials_of_token(host_, call, fields);
  if (!token) return token.failure();
  int status = 0;
  auto greeting = greet_with(call, fields, *token, status);
  if (status == 401 && token->authorization.empty() && settings_.credential_helpers) {
    const auto helped = credentials_of_helpers(host_, call, fields.location);
    if (!helped) return helped.failure();
    if (!helped->authorization.empty()) greeting = greet_with(call, fields, *helped, status);
  }
  if (greeting) {
    const std::lock_guard lock(mutex_);
    servers_[key_of(fields)] = greeting->server;
  }
  return greeting;
}

Outcome<Server> Remotes::server(const Call& call, const Fields& fields) {
  if (const auto server = known(fields)) return *server;
  const auto greeting = greet(call, fields);
  if (!greeting) return greeting.failure();
  return greeting->server;
}

Outcome<Refs> Remotes::list(const Call& call, const Server& server,
                            const std::vector<std::string>& prefixes) {
  auto headers = headers_with(server.credentials);
  headers.push_back({"Content-Type", "application/x-git-upload-pack-request", ""});
  const std::string body = ls_refs_request(prefixes, server.unborn);
  const auto answer = ask(host_, call, {"POST", server.url + "/git-upload-pack", headers, body});
  if (!answer) return unreachable(server.url, answer.failure());
  if (answer->response.status != 200) {
    return explain(refused_by(*answer, server.url, server.credentials));
  }
  std::string error;
  auto refs = parse_ls_refs(answer->response.body, error);
  // An empty list of refs is a single flush packet.
  if (!refs) return not_git(server.url, error);
  return *refs;
}

Outcome<Refs> Remotes::refs(const Call& call, const Fields& fields,
                            const std::vector<std::string>& prefixes) {
  call.progress("{\"message\":" + json::quoted("asking " + to_url(fields.location)) +
                ",\"done\":0}");
  if (fields.location.scheme == "ssh") return list_by_ssh(call, fields, prefixes);
  if (const auto server = known(fields); server && server->version2) {
    auto refs = list(call, *server, prefixes);
    if (refs || call.over()) return refs;
    forget(fields);  // it may have moved, or the token has changed: start over
  }
  auto greeting = greet(call, fields);
  if (!greeting) return greeting.failure();
  if (!greeting->server.version2) return greeting->refs;
  return list(call, greeting->server, prefixes);
}

Outcome<Refs> Remotes::list_by_ssh(const Call& call, const Fields& fields,
                                   const std::vector<std::string>& prefixes) {
  const auto access = access_by_ssh(call, fields);
  if (!access) return access.failure();
  Command command{
      .arguments = {"ls-remote", "--symref", "--end-of-options", to_url(fields.location)},
      .configuration = access->configuration,
      .environment = access->environment,
      .minimum_speed = access->minimum_speed};
  for (const std::string& prefix : prefixes) command.arguments.push_back(prefix + "*");
  std::string text;
  const auto end = run_git(host_, call, command, [&](std::string_view bytes) {
    text += bytes;
    return text.size() < kMostRefs;
  });
  if (!end) return end.failure();
  if (!end->ok()) return explain("cannot ask " + to_url(fields.location), end->signal, end->errors);
  return parse_ls_remote(text);
}

Outcome<Access> Remotes::access_by_ssh(const Call& call, const Fields& fields) {
  if (settings_.for_projects) {
    return Failure{QUARRY_PERMISSION_DENIED,
                   "ssh would use the keys of this server's owner",
                   "Use the repository's https URL.",
                   {}};
  }
  if (!settings_.ssh) {
    return Failure{QUARRY_PERMISSION_DENIED,
                   "ssh is not configured",
                   "Set ssh = true in [resource_type.git].",
                   {}};
  }
  const auto permitted = permit(host_, call, ssh_url(fields.location));
  if (!permitted) return permitted.failure();
  if (permitted->addresses.empty()) {
    return Failure{QUARRY_UNAVAILABLE, fields.location.host + " has no address", {}, {}};
  }
  Access access{
      {{"protocol.ssh.allow", "always"}, {"remote.quarry.url", to_url(fields.location)}},
      {"GIT_SSH_VARIANT=ssh", "GIT_SSH_COMMAND=" + ssh_command(fields.location, *permitted)},
      true};
  access.minimum_speed = MinimumSpeed{};
  const char* agent = std::getenv("SSH_AUTH_SOCK");
  if (agent != nullptr) access.environment.push_back(std::string("SSH_AUTH_SOCK=") + agent);
  return access;
}

Outcome<Access> Remotes::access(const Call& call, const Fields& fields) {
  if (fields.location.scheme == "ssh") return access_by_ssh(call, fields);
  const auto known_server = server(call, fields);
  if (!known_server) return known_server.failure();
  const auto permitted = permit(host_, call, known_server->url);
  if (!permitted) return permitted.failure();
  const bool secure = known_server->url.starts_with("https://");
  Access access{{{"credential.helper", ""},
                 {secure ? "protocol.https.allow" : "protocol.http.allow", "always"},
                 {"remote.quarry.url", known_server->url}},
                network_environment(),
                known_server->filters,
                known_server->credentials};
  if (!permitted->proxied) {
    access.configuration.emplace_back("http.curloptResolve", resolve_entry(*permitted));
  }
  if (!access.credentials.authorization.empty()) {
    access.configuration.emplace_back("http.extraHeader",
                                      "Authorization: " + access.credentials.authorization);
  }
  return access;
}

}  // namespace quarry::resource_git
