#include "engine/replication/question_sender.h"

#include "engine/replication/link.h"
#include "engine/replication/messages.h"

#include <deque>
#include <future>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace quarry::engine {
namespace {

/// Of events in one write.
constexpr std::size_t kBytesAtOnce = 64u << 10;

std::vector<ask::CitedSource> all_of(const ask::CitedSources& cited) {
  std::vector<ask::CitedSource> out;
  while (auto one = cited.find(out.size() + 1)) out.push_back(std::move(*one));
  return out;
}

}  // namespace

/// What the sender does on the I/O thread.
class QuestionSender::End : public Link<End> {
 public:
  End(QuestionRegistry& questions, boost::asio::io_context& io, std::shared_ptr<LineSocket> socket)
      : Link(io, std::move(socket)), questions_(questions) {}

  /// [any]
  void start() {
    post([](End& self) { self.listen(); });
    questions_.follow([weak = weak_from_this()](const KnownQuestion& question) {
      const auto self = weak.lock();
      if (self) self->post([question](End& end) { end.add(question); });
    });
    post([](End& self) { self.socket_->write("known\n"); });
  }

  /// Ready once nothing is left to be sent.
  std::shared_future<void> finish() {
    post([](End& self) {
      self.finishing_ = true;
      self.end_if_finished();
    });
    return finished_;
  }

  /// Not on the I/O thread.
  void close() {
    questions_.follow(nullptr);
    run([](End& self) {
      self.socket_->close();
      self.sent_.clear();
    });
  }

 private:
  struct Sent {
    std::shared_ptr<ask::EventLog> log;
    std::shared_ptr<const ask::CitedSources> cited;
    std::unique_ptr<ask::EventCursor> events;
    bool running;                                   ///< when it was added
    bool waits = false;                             ///< is in ready_ or ended_
    std::unique_ptr<ask::EventCursor> reader = {};  ///< stands for those of the successor
  };

  void listen() {
    socket_->start({.line = bound([](End& self, std::string_view line) { self.obey(line); }),
                    .written = bound([](End& self) { self.send(); }),
                    .closed = bound([](End& self) { self.lost(); })});
  }

  void add(const KnownQuestion& question) {
    if (lost_) return;
    socket_->write(question_line({question.id, question.bearer, question.keep}));
    auto wake = [weak = weak_from_this(), id = question.id] {
      if (const auto self = weak.lock()) self->post([id](End& end) { end.has_events(id); });
    };
    sent_.insert_or_assign(
        question.id, Sent{question.log, question.cited, question.log->observe(0, std::move(wake)),
                          !question.log->finished()});
    has_events(question.id);
  }

  void has_events(const std::string& id) {
    const auto found = sent_.find(id);
    if (found == sent_.end() || std::exchange(found->second.waits, true)) return;
    (found->second.running ? ready_ : ended_).push_back(id);
    send();
  }

  /// Writes the events of some questions, in turn. The next are written when these have been.
  void send() {
    std::string text;
    while (!(ready_.empty() && ended_.empty()) &&
           text.size() + socket_->unwritten() < kBytesAtOnce) {
      std::deque<std::string>& queue = ready_.empty() ? ended_ : ready_;
      const std::string id = std::move(queue.front());
      queue.pop_front();
      const auto found = sent_.find(id);
      if (found == sent_.end()) continue;
      found->second.waits = false;
      const auto state = read(id, found->second, text);
      if (state == QUARRY_READ_END) sent_.erase(found);
      if (state == QUARRY_READ_MORE) {
        found->second.waits = true;
        queue.push_back(id);
      }
    }
    socket_->write(text);
    end_if_finished();
  }

  static quarry_read read(const std::string& id, const Sent& sent, std::string& out) {
    return sent.events->read(kBytesAtOnce,
                             [&](std::uint64_t, std::string_view type, std::string_view json) {
                               const auto known = event_named(type);
                               if (known && is_last(*known) && sent.cited->size()) {
                                 out += cited_line(id, all_of(*sent.cited));
                               }
                               add_event_line(out, id, type, json);
                             });
  }

  void obey(std::string_view line) {
    const Message message = read_message(line);
    if (message.word == "stop") {
      questions_.stop(message.id, read_reason(message.rest));
      return;
    }
    const auto found = sent_.find(message.id);
    if (found == sent_.end()) return;
    if (message.word == "read") found->second.reader = found->second.log->open(0, [] {});
    if (message.word == "left") found->second.reader.reset();
  }

  void lost() {
    lost_ = true;
    sent_.clear();
    end_if_finished();
  }

  void end_if_finished() {
    if (!finishing_ || !(lost_ || (sent_.empty() && socket_->unwritten() == 0))) return;
    if (!std::exchange(told_, true)) finish_.set_value();
  }

  QuestionRegistry& questions_;
  std::promise<void> finish_;
  const std::shared_future<void> finished_ = finish_.get_future().share();
  // [io]
  std::map<std::string, Sent, std::less<>> sent_;  ///< those with events that were not written
  std::deque<std::string> ready_;  ///< of them, those that run and have events to read
  std::deque<std::string> ended_;  ///< those that had ended before, which are of less interest
  bool lost_ = false;
  bool finishing_ = false;
  bool told_ = false;
};

Result<std::unique_ptr<QuestionSender>> QuestionSender::start(QuestionRegistry& questions,
                                                              boost::asio::io_context& io,
                                                              const Fd& socket) {
  auto lines = LineSocket::make(io, socket);
  if (!lines) return std::move(lines).error();
  auto end = std::make_shared<End>(questions, io, std::move(*lines));
  end->start();
  return std::unique_ptr<QuestionSender>(new QuestionSender(std::move(end)));
}

QuestionSender::QuestionSender(std::shared_ptr<End> end) : end_(std::move(end)) {}

QuestionSender::~QuestionSender() {
  end_->close();
}

void QuestionSender::finish(std::chrono::milliseconds limit) {
  static_cast<void>(end_->finish().wait_for(limit));
}

}  // namespace quarry::engine
