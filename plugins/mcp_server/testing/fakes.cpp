#include "fakes.h"

#include <utility>

namespace quarry::mcp::testing {

void FakeAccess::allow(int requests) {
  const std::lock_guard lock(mutex_);
  allowed_ = counted_ + requests;
}

int FakeAccess::counted() const {
  const std::lock_guard lock(mutex_);
  return counted_;
}

void FakeAccess::hold_answers() {
  const std::lock_guard lock(mutex_);
  holds_ = true;
}

void FakeAccess::release_answers() {
  std::vector<std::function<void()>> answers;
  {
    const std::lock_guard lock(mutex_);
    holds_ = false;
    answers.swap(held_);
  }
  for (const auto& answer : answers) answer();
}

void FakeAccess::admit(const Credentials& credentials, bool count, Admitted done) {
  const std::string& token = credentials.token;
  std::expected<Admission, Denial> outcome;
  {
    const std::lock_guard lock(mutex_);
    sender_ = credentials.peer;
    if (holds_) {
      held_.push_back([this, credentials, count, done] { admit(credentials, count, done); });
      return;
    }
    if (unavailable_) {
      outcome = std::unexpected(Denial{Denial::Cause::kUnavailable, "the store is away"});
    } else if (!tokens_.contains(token) && refuses_guesses_) {
      outcome = std::unexpected(
          Denial{Denial::Cause::kTooManyWrongTokens, "this address has tried too many tokens"});
    } else if (!tokens_.contains(token)) {
      outcome = std::unexpected(Denial{Denial::Cause::kWrongToken, "this token is not valid"});
    } else {
      outcome->principal = token;
      outcome->rights = token == "operator" ? std::vector<std::string>{"metrics"}
                                            : std::vector<std::string>{"ask", "list"};
      outcome->requests = RequestBudget{60, exhausted_ ? 0 : 59, std::chrono::seconds(30)};
      if (count && counted_++ >= allowed_) exhausted_ = true;
      if (exhausted_) outcome->retry_after = std::chrono::milliseconds(1500);
    }
  }
  done(std::move(outcome));
}

void FakeAccess::open_session(const std::string& principal, std::function<void(std::string)> done) {
  std::string session;
  {
    const std::lock_guard lock(mutex_);
    session = "s" + std::to_string(++opened_);
    sessions_.insert(principal + session);
  }
  done(session);
}

void FakeAccess::check_session(const std::string& principal, const std::string& session,
                               std::function<void(bool)> done) {
  bool live = false;
  {
    const std::lock_guard lock(mutex_);
    live = sessions_.contains(principal + session);
  }
  done(live);
}

void FakeAccess::end_session(const std::string& principal, const std::string& session,
                             std::function<void(bool)> done) {
  bool ended = false;
  {
    const std::lock_guard lock(mutex_);
    ended = sessions_.erase(principal + session) == 1;
  }
  done(ended);
}

void FakeAccess::record(const Record& record) {
  const std::lock_guard lock(mutex_);
  records_.push_back(record);
}

void FakeAccess::revoke(const std::string& token) {
  const std::lock_guard lock(mutex_);
  tokens_.erase(token);
}

void FakeAccess::exhaust() {
  const std::lock_guard lock(mutex_);
  exhausted_ = true;
}

void FakeAccess::refuse_guesses() {
  const std::lock_guard lock(mutex_);
  refuses_guesses_ = true;
}

std::string FakeAccess::sender() const {
  const std::lock_guard lock(mutex_);
  return sender_;
}

void FakeAccess::become_unavailable() {
  const std::lock_guard lock(mutex_);
  unavailable_ = true;
}

std::vector<Record> FakeAccess::records() const {
  const std::lock_guard lock(mutex_);
  return records_;
}

FakeCatalogue::FakeCatalogue() {
  offer_.name = "fake";
  offer_.title = "Fake";
  offer_.version = "1";
  offer_.instructions = "Use echo.";
  offer_.tools_change = true;
  offer_.list_lifetime = std::chrono::milliseconds(5000);
  for (const char* name : {"echo", "refuse", "wait"}) tools_[name] = Json::object();
}

void FakeCatalogue::list_tools(std::shared_ptr<Call> call) {
  Json tools = Json::array();
  for (const auto& [name, properties] : tools_) tools.push_back({{"name", name}});
  call->answer(Answer::of(dump(Json{{"tools", tools}})));
}

std::shared_ptr<const Json> FakeCatalogue::properties_of(std::string_view tool) const {
  const auto found = tools_.find(tool);
  if (found == tools_.end()) return nullptr;
  return {std::shared_ptr<void>(), &found->second};  // as long as this lives
}

void FakeCatalogue::call_tool(std::shared_ptr<Call> call, const std::string& name,
                              const Json& arguments) {
  const Json content = Json::array({Json{{"type", "text"}, {"text", dump(arguments)}}});
  Answer answer = Answer::of(dump(Json{{"content", content}, {"isError", name == "refuse"}}));
  if (name == "refuse") {
    answer.retry_after = std::chrono::seconds(7);
    answer.refusal = "too many streams";
  }
  if (name != "wait") return call->answer(answer);
  call->on_end([this, self = call.get()](End reason) {
    const std::lock_guard lock(mutex_);
    ends_.push_back(reason);
    std::erase_if(waiting_, [&](const auto& one) { return one.get() == self; });
  });
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(call);
  }
  call->open();  // which ends a call whose time is over
}

std::size_t FakeCatalogue::waiting() const {
  const std::lock_guard lock(mutex_);
  return waiting_.size();
}

std::vector<End> FakeCatalogue::ends() const {
  const std::lock_guard lock(mutex_);
  return ends_;
}

void FakeCatalogue::release() {
  std::vector<std::shared_ptr<Call>> calls;
  {
    const std::lock_guard lock(mutex_);
    calls.swap(waiting_);
  }
  for (const auto& call : calls) {
    call->post([call] {
      call->answer(Answer::of(R"({"content":[{"type":"text","text":"done"}],"isError":false})"));
    });
  }
}

void FakeCatalogue::progress(double done, std::string message) {
  const std::lock_guard lock(mutex_);
  for (const auto& call : waiting_) {
    call->post([call, done, message] { call->progress(done, std::nullopt, message); });
  }
}

}  // namespace quarry::mcp::testing
