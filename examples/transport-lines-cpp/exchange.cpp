#include "exchange.h"

#include <quarry/json.hpp>

#include <cerrno>
#include <system_error>
#include <unistd.h>

#include <sys/eventfd.h>

namespace transport_lines {
namespace {

constexpr std::size_t kReadBytes = std::size_t{64} << 10;

/// Where the events of one read go.
struct EventSink {
  const std::string& id;
  std::string& output;
};

void append_event(void* context, const quarry_event* event) noexcept {
  const auto& sink = *static_cast<EventSink*>(context);
  sink.output += event_line(sink.id, *event);
}

}  // namespace

Mailbox::Mailbox() : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!event_) throw std::system_error(errno, std::generic_category(), "eventfd");
}

void Mailbox::post(std::shared_ptr<Exchange> exchange) {
  {
    const std::lock_guard lock(mutex_);
    if (!closed_) posted_.push_back(std::move(exchange));
  }
  wake();
}

void Mailbox::wake() {
  const std::uint64_t one = 1;
  // Fails only when the counter is full, and then the loop wakes anyway.
  [[maybe_unused]] const auto written = ::write(event_.get(), &one, sizeof one);
}

std::vector<std::shared_ptr<Exchange>> Mailbox::take() {
  std::uint64_t count = 0;
  [[maybe_unused]] const auto read = ::read(event_.get(), &count, sizeof count);
  const std::lock_guard lock(mutex_);
  return std::exchange(posted_, {});
}

void Mailbox::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  posted_.clear();
}

void Mailbox::count_reply() {
  --calls_;
  wake();
}

Exchange::Exchange(const quarry_engine* engine, std::shared_ptr<Mailbox> mailbox,
                   std::uint64_t client, Request request)
    : engine_(engine),
      mailbox_(std::move(mailbox)),
      client_(client),
      request_(std::move(request)),
      reply_{sizeof reply_, this, keep_value, keep_failure} {}

void Exchange::start() {
  {
    const std::lock_guard lock(mutex_);
    self_ = shared_from_this();
  }
  mailbox_->count_call();
  handle_ = engine_->call(engine_, quarry::as_text(request_.method),
                          quarry::as_text(request_.params), &reply_);
}

void Exchange::keep_value(const quarry_reply* reply, quarry_text json) noexcept {
  of(reply->context).finish(std::string(quarry::as_view(json)));
}

void Exchange::keep_failure(const quarry_reply* reply, const quarry_failure* failure) noexcept {
  const auto text = [](quarry_text view) { return std::string(quarry::as_view(view)); };
  of(reply->context)
      .finish(quarry::Failure{failure->status, text(failure->message), text(failure->hint),
                              text(failure->details)});
}

void Exchange::finish(quarry::Outcome<std::string> outcome) {
  std::shared_ptr<Exchange> self;
  {
    const std::lock_guard lock(mutex_);
    outcome_ = std::move(outcome);
    self = std::exchange(self_, {});
  }
  const auto mailbox = mailbox_;
  mailbox->post(std::move(self));
  mailbox->count_reply();
}

std::optional<quarry::Outcome<std::string>> Exchange::outcome() {
  const std::lock_guard lock(mutex_);
  return outcome_;
}

bool Exchange::replied() {
  const std::lock_guard lock(mutex_);
  return outcome_.has_value();
}

void Exchange::cancel() {
  cancelled_ = true;
  if (reader_ != nullptr) {
    stop_question();
  } else if (!replied()) {
    engine_->cancel(engine_, handle_);
  }
}

void Exchange::abandon() {
  if (!replied()) engine_->cancel(engine_, handle_);
  close();
}

/// Its reply needs no line.
void Exchange::stop_question() {
  const std::string id = quarry::json::string(result_, "id").value_or("");
  std::make_shared<Exchange>(
      engine_, mailbox_, 0,
      Request{"null", "question.stop", "{\"id\":" + quarry::json::quoted(id) + "}"})
      ->start();
}

void Exchange::close() {
  if (reader_ != nullptr) engine_->close_reader(std::exchange(reader_, nullptr));
}

bool Exchange::write(std::string& output, std::size_t most) {
  if (reader_ != nullptr) return write_events(output, most);
  const auto said = outcome();
  if (!said) return false;
  if (!*said) {
    output += error_line(id(), said->failure());
    return true;
  }
  if (request_.method != "question.ask") {
    output += result_line(id(), **said);
    return true;
  }
  if (!open_reader(**said)) {
    output += error_line(id(), {QUARRY_NOT_FOUND, "the question was removed", "ask again", {}});
    return true;
  }
  if (cancelled_) stop_question();
  return write_events(output, most);
}

bool Exchange::open_reader(const std::string& value) {
  result_ = value;
  const std::string question = quarry::json::string(value, "id").value_or("");
  reader_ = engine_->open_reader(
      engine_, quarry::as_text(question), 0,
      [](void* context) {
        Exchange& self = of(context);
        self.mailbox_->post(self.weak_from_this().lock());
      },
      this);
  return reader_ != nullptr;
}

bool Exchange::write_events(std::string& output, std::size_t most) {
  EventSink sink{id(), output};
  quarry_read read = QUARRY_READ_MORE;
  while (read == QUARRY_READ_MORE && output.size() < most) {
    read = engine_->read(reader_, kReadBytes, append_event, &sink);
  }
  if (read != QUARRY_READ_END) return false;
  close();
  output += result_line(id(), result_);
  return true;
}

}  // namespace transport_lines
