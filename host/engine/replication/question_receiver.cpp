#include "engine/replication/question_receiver.h"

#include "ask/events.h"
#include "engine/replication/link.h"
#include "engine/replication/messages.h"

#include <future>
#include <limits>
#include <map>
#include <string>
#include <utility>

namespace quarry::engine {
namespace {

/// More, which it does not read, means that the other process hangs.
constexpr std::size_t kMostUnwritten = 1u << 20;

}  // namespace

/// What the receiver does on the I/O thread.
class QuestionReceiver::End : public Link<End> {
 public:
  End(QuestionRegistry& questions, boost::asio::io_context& io, ask::WakeQueue& wakes,
      std::shared_ptr<LineSocket> socket)
      : Link(io, std::move(socket)), questions_(questions), wakes_(wakes) {}

  /// [any]
  void start() {
    post([](End& self) { self.listen(); });
  }

  std::future<bool> known() { return known_.get_future(); }

  /// Not on the I/O thread.
  void close() {
    run([](End& self) {
      self.socket_->close();
      self.fail_all({Code::kUnavailable, "the server is shutting down", "Ask again once it runs."});
    });
  }

 private:
  struct Received {
    std::shared_ptr<ask::EventLog> log;
    std::shared_ptr<ask::CitedSources> cited;
    bool has_readers = false;  ///< as the other process was told
  };

  void listen() {
    socket_->start({.line = bound([](End& self, std::string_view line) { self.take(line); }),
                    .written = [] {},
                    .closed = bound([](End& self) { self.lost(); })});
  }

  void take(std::string_view line) {
    const Message message = read_message(line);
    if (message.word == "known") return tell_known(true);
    if (message.word == "question") return add(message.rest);
    const auto found = received_.find(message.id);
    if (found == received_.end()) return;
    if (message.word == "event") add_event(found->first, found->second, message.rest);
    if (message.word == "cited") {
      if (auto sources = read_cited(message.rest)) found->second.cited->set(std::move(*sources));
    }
  }

  void add(std::string_view json) {
    const auto header = read_question_header(json);
    if (!header) return;  // its events are ignored too, and nobody finds it here
    Received question{ask::EventLog::make(std::numeric_limits<std::uint64_t>::max(), wakes_),
                      std::make_shared<ask::CitedSources>()};
    const auto readers_changed = [weak = weak_from_this(), id = header->id] {
      if (const auto self = weak.lock()) self->post([id](End& end) { end.tell_readers(id); });
    };
    question.log->on_first_reader(readers_changed);
    question.log->on_abandoned(readers_changed);
    const bool added = questions_.add_replica(
        {header->id, header->bearer, question.log, question.cited, header->keep},
        [weak = weak_from_this(), id = header->id](ask::StopReason reason) {
          const auto self = weak.lock();
          if (self) self->post([id, reason](End& end) { end.write(stop_line(id, reason)); });
        });
    if (added) received_.emplace(header->id, std::move(question));
  }

  void add_event(const std::string& id, Received& question, std::string_view type_and_json) {
    auto event = read_event(type_and_json);
    if (!event) return fail(id, event.error());
    if (is_delta(event->type)) {
      question.log->append_delta(event->type, event->payload);
    } else if (!is_last(event->type)) {
      question.log->append(event->type, event->payload);
    } else {
      end(id, event->type, std::move(event->payload));
    }
  }

  /// Tells the other process whether there are readers, if that has changed.
  void tell_readers(const std::string& id) {
    const auto found = received_.find(id);
    if (found == received_.end()) return;
    const bool has_readers = found->second.log->reader_count() > 0;
    if (std::exchange(found->second.has_readers, has_readers) == has_readers) return;
    write((has_readers ? "read " : "left ") + id + '\n');
  }

  void write(std::string_view line) {
    socket_->write(line);
    if (socket_->unwritten() < kMostUnwritten) return;
    socket_->close();
    lost();
  }

  void lost() {
    tell_known(false);
    fail_all({Code::kUnavailable,
              "the connection to the process that answers this question was lost", "Ask again."});
  }

  void tell_known(bool known) {
    if (!std::exchange(told_known_, true)) known_.set_value(known);
  }

  void fail_all(const Error& error) {
    while (!received_.empty()) fail(received_.begin()->first, error);
  }

  void fail(const std::string& id, const Error& error) {
    end(id, EventType::kError, ask::error_event(Error(error).tagged("Unavailable")));
  }

  /// Adds the last event. `id` may be the key of the entry, which is erased.
  void end(const std::string& id, EventType type, std::string json) {
    const auto entry = received_.extract(id);
    entry.mapped().log->finish(type, std::move(json));
    questions_.replica_ended(entry.key());
  }

  QuestionRegistry& questions_;
  ask::WakeQueue& wakes_;
  std::promise<bool> known_;
  // [io]
  std::map<std::string, Received, std::less<>> received_;  ///< those that have not ended
  bool told_known_ = false;
};

Result<std::unique_ptr<QuestionReceiver>> QuestionReceiver::start(QuestionRegistry& questions,
                                                                  boost::asio::io_context& io,
                                                                  ask::WakeQueue& wakes,
                                                                  const Fd& socket) {
  auto lines = LineSocket::make(io, socket);
  if (!lines) return std::move(lines).error();
  auto end = std::make_shared<End>(questions, io, wakes, std::move(*lines));
  end->start();
  return std::unique_ptr<QuestionReceiver>(new QuestionReceiver(std::move(end)));
}

QuestionReceiver::QuestionReceiver(std::shared_ptr<End> end) : end_(std::move(end)) {}

QuestionReceiver::~QuestionReceiver() {
  end_->close();
}

bool QuestionReceiver::wait_until_known(std::chrono::milliseconds limit) {
  auto known = end_->known();
  return known.wait_for(limit) == std::future_status::ready && known.get();
}

}  // namespace quarry::engine
