#include "store-postgresql/testing/server.h"

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <grp.h>
#include <memory>
#include <poll.h>
#include <pwd.h>
#include <stdexcept>
#include <unistd.h>
#include <vector>

#include <arpa/inet.h>
#include <libpq-fe.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

namespace quarry::store_postgresql {
namespace {

namespace fs = std::filesystem;
using Arguments = std::vector<std::string>;

constexpr int kPauseMs = 2;

/// Directory of the newest server's programs; empty if there are none.
fs::path programs() {
  fs::path newest;
  std::error_code none;
  for (const auto& version : fs::directory_iterator("/usr/lib/postgresql", none)) {
    if (!fs::exists(version.path() / "bin" / "postgres")) continue;
    if (newest.empty() || version.path().filename() > newest.parent_path().filename()) {
      newest = version.path() / "bin";
    }
  }
  return newest;
}

/// User for the server, which refuses to run as root; null = the current user.
const passwd* server_user() {
  if (::geteuid() != 0) return nullptr;
  const passwd* user = ::getpwnam("postgres");
  return user == nullptr ? ::getpwnam("nobody") : user;
}

/// Starts a program that ends with this one; its output goes to `log`.
pid_t spawn(const Arguments& arguments, const fs::path& log) {
  const passwd* user = server_user();
  std::vector<char*> pointers;
  for (const auto& argument : arguments) pointers.push_back(const_cast<char*>(argument.c_str()));
  pointers.push_back(nullptr);
  const pid_t child = ::fork();
  if (child != 0) return child;
  const int out = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0666);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(out, STDERR_FILENO);
  const bool is_user =
      user == nullptr ||
      (::setgroups(0, nullptr) == 0 && ::setgid(user->pw_gid) == 0 && ::setuid(user->pw_uid) == 0);
  ::prctl(PR_SET_PDEATHSIG, SIGQUIT);  // after the change of user, which would reset it
  if (is_user && ::chdir("/") == 0) ::execv(pointers[0], pointers.data());
  ::_exit(127);
}

std::string text_of(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

struct Finish {
  void operator()(PGconn* connection) const { PQfinish(connection); }
};

}  // namespace

std::string Server::missing() {
  return programs().empty() ? "there is no PostgreSQL server in /usr/lib/postgresql" : "";
}

Server::Server(bool durable) : durable_(durable) {
  std::string name = (fs::temp_directory_path() / "quarry-postgresql-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary directory");
  root_ = name;
  if (const passwd* user = server_user()) {
    if (::chown(root_.c_str(), user->pw_uid, user->pw_gid) != 0) throw std::runtime_error("chown");
  }
  fs::permissions(root_, fs::perms(0755));
  make_cluster();
  make_certificate();
  reserve_port();
  start();
}

Server::~Server() {
  kill();
  ::close(reservation_);
  std::error_code ignored;
  fs::remove_all(root_, ignored);
}

void Server::run_program(const Arguments& arguments) const {
  const pid_t child = spawn(arguments, root_ / "log");
  int status = 0;
  if (::waitpid(child, &status, 0) != child || status != 0) {
    throw std::runtime_error(arguments[0] + " failed: " + text_of(root_ / "log"));
  }
}

/// Keeps a free port for this server. The kernel offers a bound port to nobody else, and lets
/// PostgreSQL listen on it since both sockets have SO_REUSEADDR and this one does not listen.
void Server::reserve_port() {
  reservation_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  ::setsockopt(reservation_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* any = reinterpret_cast<sockaddr*>(&address);
  if (::bind(reservation_, any, size) != 0 || ::getsockname(reservation_, any, &size) != 0) {
    throw std::runtime_error("no free port");
  }
  port_ = ntohs(address.sin_port);
}

void Server::make_cluster() {
  const fs::path password = root_ / "password";
  std::ofstream(password) << "correct horse";
  run_program({programs() / "initdb", "-D", data(), "-U", "quarry", "--auth-local=trust",
               "--auth-host=scram-sha-256", "--pwfile=" + password.string(), "-N", "-E", "UTF8",
               "--no-locale"});
}

void Server::make_certificate() {
  run_program({"/usr/bin/openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
               "-subj", "/CN=127.0.0.1", "-keyout", root_ / "server.key", "-out",
               root_ / "server.crt"});
}

void Server::start() {
  fs::remove(data() / "postmaster.pid");
  Arguments arguments{programs() / "postgres", "-D", data(), "-k", root_, "-p",
                      std::to_string(port_)};
  for (const std::string& setting :
       {std::string("listen_addresses=127.0.0.1"), std::string("ssl=on"),
        "ssl_cert_file=" + (root_ / "server.crt").string(),
        "ssl_key_file=" + (root_ / "server.key").string(),
        std::string(durable_ ? "fsync=on" : "fsync=off")}) {
    arguments.insert(arguments.end(), {"-c", setting});
  }
  process_ = spawn(arguments, root_ / "log");
  while (text_of(data() / "postmaster.pid").find("ready") == std::string::npos) {
    if (::waitpid(process_, nullptr, WNOHANG) != 0) {
      throw std::runtime_error("postgres ended: " + text_of(root_ / "log"));
    }
    ::poll(nullptr, 0, kPauseMs);
  }
}

void Server::kill() {
  if (process_ < 0) return;
  ::kill(process_, SIGQUIT);
  ::waitpid(process_, nullptr, 0);
  process_ = -1;
}

std::string Server::new_database() {
  const std::string at = "postgresql://quarry@/";
  const std::string socket = "?host=" + root_.string() + "&port=" + std::to_string(port_);
  const std::string name = "d" + std::to_string(++databases_);
  run(at + "postgres" + socket, "CREATE DATABASE " + name);
  return at + name + socket;
}

std::string Server::over_tcp(const std::string& url, const std::string& password) const {
  const auto slash = url.rfind('/', url.find('?'));
  const std::string name = url.substr(slash + 1, url.find('?') - slash - 1);
  return "postgresql://quarry:" + password + "@127.0.0.1:" + std::to_string(port_) + "/" + name;
}

std::string Server::run(const std::string& url, const std::string& sql) {
  const std::unique_ptr<PGconn, Finish> connection(PQconnectdb(url.c_str()));
  PGresult* result = PQexec(connection.get(), sql.c_str());
  const auto status = PQresultStatus(result);
  const bool good = status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
  const std::string said = good && PQntuples(result) > 0 ? PQgetvalue(result, 0, 0) : "";
  PQclear(result);
  if (!good) throw std::runtime_error(PQerrorMessage(connection.get()));
  return said;
}

void Server::run_until(const std::string& url, const std::string& sql, const std::string& wanted) {
  while (run(url, sql) != wanted) ::poll(nullptr, 0, kPauseMs);
}

}  // namespace quarry::store_postgresql
