#include "resource-git/testing/git_server.h"

#include <algorithm>
#include <cstdlib>
#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

#include <arpa/inet.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>

namespace quarry::resource_git::testing {
namespace {

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

bool read_more(int from, std::string& into) {
  char buffer[64 << 10];
  const ssize_t count = ::read(from, buffer, sizeof buffer);
  if (count > 0) into.append(buffer, static_cast<std::size_t>(count));
  return count > 0;
}

/// Removes the header lines before the blank line from `text`.
std::map<std::string, std::string> take_headers(std::string& text, const std::string& end) {
  std::map<std::string, std::string> headers;
  const auto blank = text.find(end + end);
  std::string head = text.substr(0, blank) + end;
  text.erase(0, blank + 2 * end.size());
  for (auto at = head.find(end); at != head.npos; at = head.find(end)) {
    const std::string line = head.substr(0, at);
    head.erase(0, at + end.size());
    const auto colon = line.find(": ");
    if (colon != line.npos) headers[lower(line.substr(0, colon))] = line.substr(colon + 2);
  }
  return headers;
}

std::optional<WebRequest> read_request(int connection) {
  std::string text;
  while (text.find("\r\n\r\n") == text.npos) {
    if (!read_more(connection, text)) return {};
  }
  WebRequest request;
  const std::string line = text.substr(0, text.find("\r\n"));
  const auto first = line.find(' ');
  const auto second = line.rfind(' ');
  request.method = line.substr(0, first);
  request.path = line.substr(first + 1, second - first - 1);
  if (const auto mark = request.path.find('?'); mark != request.path.npos) {
    request.query = request.path.substr(mark + 1);
    request.path.resize(mark);
  }
  request.headers = take_headers(text, "\r\n");
  request.body = std::move(text);
  const auto length = std::strtoull(request.headers["content-length"].c_str(), nullptr, 10);
  while (request.body.size() < length) {
    if (!read_more(connection, request.body)) return {};
  }
  return request;
}

std::string to_text(const WebResponse& response) {
  std::string text = "HTTP/1.1 " + std::to_string(response.status) + " .\r\nConnection: close\r\n";
  for (const auto& [name, value] : response.headers) text += name + ": " + value + "\r\n";
  return text + "\r\n" + response.body;
}

}  // namespace

GitServer::GitServer(std::filesystem::path root) : root_(std::move(root)) {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (::bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0) std::abort();
  ::listen(listener_, 64);
  ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
  port_ = ntohs(address.sin_port);
  acceptor_ = std::thread([this] { accept_all(); });
}

GitServer::~GitServer() {
  ::shutdown(listener_, SHUT_RDWR);
  acceptor_.join();
  ::close(listener_);
  for (std::thread& thread : threads_) thread.join();
}

std::string GitServer::url(const std::string& repository) const {
  return "http://127.0.0.1:" + std::to_string(port_) + "/" + repository;
}

void GitServer::intercept(std::function<std::optional<WebResponse>(const WebRequest&)> answer) {
  const std::lock_guard lock(mutex_);
  intercept_ = std::move(answer);
}

std::vector<WebRequest> GitServer::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

void GitServer::forget_requests() {
  const std::lock_guard lock(mutex_);
  requests_.clear();
}

void GitServer::accept_all() {
  for (;;) {
    const int connection = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0) return;
    threads_.emplace_back([this, connection] {
      serve(connection);
      ::close(connection);
    });
  }
}

void GitServer::serve(int connection) {
  const auto request = read_request(connection);
  if (!request) return;
  std::function<std::optional<WebResponse>(const WebRequest&)> answer;
  {
    const std::lock_guard lock(mutex_);
    requests_.push_back(*request);
    answer = intercept_;
  }
  auto response = answer ? answer(*request) : std::nullopt;
  if (!response) response = run_backend(*request);
  std::string text = to_text(*response);
  text.resize(std::min(text.size(), cut_after_.load()));
  for (std::string_view rest = text; !rest.empty();) {
    const ssize_t count = ::send(connection, rest.data(), rest.size(), MSG_NOSIGNAL);
    if (count <= 0) return;
    rest.remove_prefix(static_cast<std::size_t>(count));
  }
}

WebResponse GitServer::run_backend(const WebRequest& request) const {
  const auto header = [&](const char* name) {
    const auto found = request.headers.find(name);
    return found == request.headers.end() ? std::string() : found->second;
  };
  std::vector<std::string> environment = {"PATH=/usr/bin:/bin",
                                          "GIT_PROJECT_ROOT=" + root_.string(),
                                          "GIT_HTTP_EXPORT_ALL=1",
                                          "GIT_CONFIG_NOSYSTEM=1",
                                          "GIT_CONFIG_GLOBAL=/dev/null",
                                          "GIT_CONFIG_COUNT=1",
                                          "GIT_CONFIG_KEY_0=safe.directory",
                                          "GIT_CONFIG_VALUE_0=*",
                                          "REMOTE_ADDR=127.0.0.1",
                                          "REQUEST_METHOD=" + request.method,
                                          "PATH_INFO=" + request.path,
                                          "QUERY_STRING=" + request.query,
                                          "CONTENT_TYPE=" + header("content-type"),
                                          "CONTENT_LENGTH=" + std::to_string(request.body.size()),
                                          "HTTP_CONTENT_ENCODING=" + header("content-encoding")};
  if (!old_protocol_) environment.push_back("GIT_PROTOCOL=" + header("git-protocol"));
  std::vector<char*> envp;
  for (std::string& one : environment) envp.push_back(one.data());
  envp.push_back(nullptr);

  const int input = ::memfd_create("request", MFD_CLOEXEC);
  [[maybe_unused]] const auto written = ::write(input, request.body.data(), request.body.size());
  ::lseek(input, 0, SEEK_SET);
  int output[2];
  if (::pipe2(output, O_CLOEXEC) != 0) return {500, {}, ""};
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, input, 0);
  ::posix_spawn_file_actions_adddup2(&actions, output[1], 1);
  std::string program = QUARRY_GIT_EXEC_PATH "/git-http-backend";
  char* argv[] = {program.data(), nullptr};
  pid_t child = 0;
  const int failed = ::posix_spawn(&child, argv[0], &actions, nullptr, argv, envp.data());
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(input);
  ::close(output[1]);
  std::string text;
  while (read_more(output[0], text)) continue;
  ::close(output[0]);
  if (failed != 0) return {500, {}, ""};
  ::waitpid(child, nullptr, 0);
  WebResponse response;
  for (const auto& [name, value] : take_headers(text, "\r\n")) {
    if (name == "status") {
      response.status = std::atoi(value.c_str());
    } else {
      response.headers.emplace_back(name, value);
    }
  }
  response.body = std::move(text);
  return response;
}

}  // namespace quarry::resource_git::testing
