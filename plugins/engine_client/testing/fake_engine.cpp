#include "fake_engine.h"

#include "engine_client/failure.h"

#include <algorithm>

namespace quarry::engine_client::testing {

struct FakeEngine::Reader {
  FakeEngine* engine;
  std::string id;
  std::uint64_t next;  // index of the next event
  void (*wake)(void*);
  void* context;
  bool waiting = false;  // the last read found no events, and wake was not called since

  quarry_read read(std::size_t max_bytes, void (*visit)(void*, const quarry_event*), void* to);
};

FakeEngine::FakeEngine()
    : table_{sizeof(quarry_engine),
             this,
             [](const quarry_engine* self, quarry_text method, quarry_text params,
                const quarry_reply* reply) {
               return of(self).call(as_view(method), as_view(params), reply);
             },
             [](const quarry_engine* self, std::uint64_t handle) { of(self).cancel(handle); },
             [](const quarry_engine* self, quarry_text id, std::uint64_t after, void (*wake)(void*),
                void* context) {
               return reinterpret_cast<quarry_reader*>(
                   of(self).open(std::string(as_view(id)), after, wake, context));
             },
             [](quarry_reader* reader, std::size_t max_bytes,
                void (*visit)(void*, const quarry_event*),
                void* to) { return reinterpret_cast<Reader*>(reader)->read(max_bytes, visit, to); },
             [](quarry_reader* handle) {
               auto* const reader = reinterpret_cast<Reader*>(handle);
               {
                 const std::lock_guard lock(reader->engine->mutex_);
                 std::erase(reader->engine->readers_, reader);
               }
               delete reader;
             }} {
  scripts_["question.ask"] = {};
}

FakeEngine::~FakeEngine() = default;

FakeEngine& FakeEngine::of(const quarry_engine* self) {
  return *static_cast<FakeEngine*>(self->context);
}

void FakeEngine::answer(std::string method, std::string json) {
  const std::lock_guard lock(mutex_);
  scripts_[std::move(method)] = {std::move(json), QUARRY_OK, {}, {}, {}};
}

void FakeEngine::fail(std::string method, quarry_status status, std::string message,
                      std::string hint, std::string details) {
  const std::lock_guard lock(mutex_);
  scripts_[std::move(method)] = {
      {}, status, std::move(message), std::move(hint), std::move(details)};
}

void FakeEngine::hold(std::string method) {
  const std::lock_guard lock(mutex_);
  held_methods_.push_back(std::move(method));
}

void FakeEngine::release() {
  std::vector<Held> held;
  {
    const std::lock_guard lock(mutex_);
    held_methods_.clear();
    held.swap(held_);
  }
  for (const Held& one : held) use(one.method, one.reply);
}

void FakeEngine::add_question(const std::string& id) {
  const std::lock_guard lock(mutex_);
  questions_[id];
  scripts_["question.ask"].value = "{\"id\":\"" + id + "\"}";
}

void FakeEngine::emit(const std::string& id, std::string type, std::string json) {
  const std::lock_guard lock(mutex_);
  questions_[id].events.push_back({std::move(type), std::move(json)});
  wake_readers(id);
}

void FakeEngine::end(const std::string& id) {
  const std::lock_guard lock(mutex_);
  questions_[id].ended = true;
  wake_readers(id);
}

void FakeEngine::wake_readers(const std::string& id) {
  // A woken reader may read at once, and close any of the readers.
  for (Reader* reader : std::vector(readers_)) {
    if (std::ranges::find(readers_, reader) == readers_.end() || reader->id != id) continue;
    if (std::exchange(reader->waiting, false)) reader->wake(reader->context);
  }
}

std::vector<std::pair<std::string, std::string>> FakeEngine::calls() const {
  const std::lock_guard lock(mutex_);
  return calls_;
}

std::size_t FakeEngine::count(std::string_view method) const {
  const std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(
      std::ranges::count(calls_, method, &std::pair<std::string, std::string>::first));
}

int FakeEngine::open_readers() const {
  const std::lock_guard lock(mutex_);
  return static_cast<int>(readers_.size());
}

int FakeEngine::cancelled() const {
  const std::lock_guard lock(mutex_);
  return cancelled_;
}

std::uint64_t FakeEngine::call(std::string_view method, std::string_view params,
                               const quarry_reply* reply) {
  std::uint64_t handle = 0;
  {
    const std::lock_guard lock(mutex_);
    if (recording_) calls_.emplace_back(method, params);
    handle = next_handle_++;
    if (std::ranges::find(held_methods_, method) != held_methods_.end()) {
      held_.push_back({handle, std::string(method), reply});
      return handle;
    }
  }
  use(std::string(method), reply);
  return handle;
}

void FakeEngine::cancel(std::uint64_t handle) {
  const quarry_reply* reply = nullptr;
  {
    const std::lock_guard lock(mutex_);
    ++cancelled_;
    const auto found = std::ranges::find(held_, handle, &Held::handle);
    if (found == held_.end()) return;
    reply = found->reply;
    held_.erase(found);
  }
  const quarry_failure failure{
      sizeof(quarry_failure), QUARRY_CANCELLED, as_text("cancelled"), {}, {}};
  reply->failure(reply, &failure);
}

void FakeEngine::use(const std::string& method, const quarry_reply* reply) {
  Scripted script{{}, QUARRY_UNSUPPORTED, "no such method", {}, {}};
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = scripts_.find(method); found != scripts_.end()) script = found->second;
  }
  if (script.status == QUARRY_OK) return reply->value(reply, as_text(script.value));
  const quarry_failure failure{sizeof(quarry_failure), script.status, as_text(script.message),
                               as_text(script.hint), as_text(script.details)};
  reply->failure(reply, &failure);
}

FakeEngine::Reader* FakeEngine::open(const std::string& id, std::uint64_t after,
                                     void (*wake)(void*), void* context) {
  const std::lock_guard lock(mutex_);
  if (!questions_.contains(id)) return nullptr;
  readers_.push_back(new Reader{this, id, after, wake, context});
  return readers_.back();
}

quarry_read FakeEngine::Reader::read(std::size_t max_bytes,
                                     void (*visit)(void*, const quarry_event*), void* to) {
  const std::lock_guard lock(engine->mutex_);
  const Question& question = engine->questions_[id];
  std::size_t passed = 0;
  while (next < question.events.size()) {
    if (passed >= max_bytes) return QUARRY_READ_MORE;
    const Event& event = question.events[next++];
    passed += event.json.size();
    const quarry_event out{sizeof(quarry_event), next, as_text(event.type), as_text(event.json)};
    visit(to, &out);
  }
  if (question.ended) return QUARRY_READ_END;
  waiting = true;
  return QUARRY_READ_EMPTY;
}

}  // namespace quarry::engine_client::testing
