#include "connection.h"

#include <quarry/json.hpp>

#include <array>
#include <cerrno>
#include <iterator>
#include <poll.h>

#include <sys/socket.h>

namespace transport_lines {
namespace {

constexpr std::size_t kMostOutput = std::size_t{256} << 10;  // then its sources wait

bool would_block(int number) {
  return number == EAGAIN || number == EWOULDBLOCK || number == EINTR;
}

}  // namespace

Connection::Connection(const quarry_engine* engine, std::shared_ptr<Mailbox> mailbox,
                       std::uint64_t number, Descriptor socket)
    : engine_(engine), mailbox_(std::move(mailbox)), number_(number), socket_(std::move(socket)) {}

Connection::~Connection() {
  for (const auto& [id, exchange] : exchanges_) exchange->abandon();
}

short Connection::wanted() const {
  const bool reads = !input_closed_ && output_.size() < kMostOutput;
  return static_cast<short>((reads ? POLLIN : 0) | (output_.empty() ? 0 : POLLOUT));
}

bool Connection::done() const {
  return failed_ || (input_closed_ && exchanges_.empty() && output_.empty());
}

void Connection::on_readable() {
  std::array<char, std::size_t{16} << 10> buffer{};
  const ssize_t count = ::recv(socket_.get(), buffer.data(), buffer.size(), 0);
  if (count < 0) {
    failed_ = failed_ || !would_block(errno);
    return;
  }
  // A client may close its side and wait for the responses.
  if (count == 0) input_closed_ = true;
  input_.append({buffer.data(), static_cast<std::size_t>(count)});
  while (auto line = input_.next()) {
    if (*line) {
      take_line(**line);
    } else {
      output_ += error_line("null", line->failure());
    }
  }
  send();
}

void Connection::take_line(const std::string& line) {
  if (line.find_first_not_of(" \t\r") == std::string::npos) return;
  ParsedLine parsed = parse_line(line);
  if (parsed.failure) {
    output_ += error_line(parsed.request.id, *parsed.failure);
  } else if (parsed.request.method == "cancel") {
    cancel(parsed.request);
  } else {
    start(std::move(parsed.request));
  }
}

void Connection::start(Request request) {
  if (exchanges_.count(request.id) > 0) {
    output_ += error_line(request.id, {QUARRY_INVALID_ARGUMENT,
                                       "a running request has this id",
                                       "give each request an id of its own",
                                       {}});
    return;
  }
  if (exchanges_.size() >= kMostRequests) {
    output_ += error_line(request.id, {QUARRY_RESOURCE_EXHAUSTED,
                                       std::to_string(kMostRequests) + " requests are running",
                                       "wait for one of them, or cancel it",
                                       {}});
    return;
  }
  const std::string id = request.id;
  const auto exchange = std::make_shared<Exchange>(engine_, mailbox_, number_, std::move(request));
  exchanges_[id] = exchange;
  exchange->start();
}

void Connection::cancel(const Request& request) {
  const auto found = exchanges_.find(read_id(request.params).value_or(""));
  if (found != exchanges_.end()) found->second->cancel();
  output_ += result_line(
      request.id, found == exchanges_.end() ? R"({"cancelled":false})" : R"({"cancelled":true})");
}

void Connection::write_exchanges() {
  bool full = false;
  do {
    for (auto next = exchanges_.begin();
         next != exchanges_.end() && output_.size() < kMostOutput;) {
      const bool ended = next->second->write(output_, kMostOutput);
      next = ended ? exchanges_.erase(next) : std::next(next);
    }
    full = output_.size() >= kMostOutput;
    send();
  } while (full && output_.size() < kMostOutput && !failed_);
}

void Connection::send() {
  if (output_.empty() || failed_) return;
  const ssize_t count = ::send(socket_.get(), output_.data(), output_.size(), MSG_NOSIGNAL);
  if (count > 0) output_.erase(0, static_cast<std::size_t>(count));
  if (count < 0 && !would_block(errno)) failed_ = true;
}

}  // namespace transport_lines
