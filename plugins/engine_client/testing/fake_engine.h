#pragma once

#include <quarry/transport.h>

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace quarry::engine_client::testing {

/// A fake engine: methods return scripted answers, and questions have the events that the test
/// emits. Thread-safe.
class FakeEngine {
 public:
  FakeEngine();
  ~FakeEngine();

  [[nodiscard]] const quarry_engine& table() const { return table_; }

  /// Sets the answer of a method, given at once. A method without one fails as unsupported.
  void answer(std::string method, std::string json);
  void fail(std::string method, quarry_status status, std::string message, std::string hint = {},
            std::string details = {});
  /// Delays calls of `method` until release or cancel.
  void hold(std::string method);
  void release();

  /// Adds question `id`; question.ask then returns it.
  void add_question(const std::string& id);
  void emit(const std::string& id, std::string type, std::string json);
  /// Ends the events of question `id`.
  void end(const std::string& id);

  /// Stops recording calls, for load tests.
  void forget_calls() { recording_ = false; }
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> calls() const;
  [[nodiscard]] std::size_t count(std::string_view method) const;
  [[nodiscard]] int open_readers() const;
  [[nodiscard]] int cancelled() const;

 private:
  struct Event {
    std::string type;
    std::string json;
  };
  struct Question {
    std::vector<Event> events;
    bool ended = false;
  };
  struct Reader;
  struct Scripted {
    std::string value;
    quarry_status status = QUARRY_OK;
    std::string message, hint, details;
  };
  struct Held {
    std::uint64_t handle;
    std::string method;
    const quarry_reply* reply;
  };

  static FakeEngine& of(const quarry_engine* self);
  std::uint64_t call(std::string_view method, std::string_view params, const quarry_reply* reply);
  void cancel(std::uint64_t handle);
  void use(const std::string& method, const quarry_reply* reply);
  Reader* open(const std::string& id, std::uint64_t after, void (*wake)(void*), void* context);
  void wake_readers(const std::string& id);

  quarry_engine table_;
  mutable std::recursive_mutex mutex_;  // recursive, since a woken reader may read
  std::map<std::string, Scripted> scripts_;
  std::map<std::string, Question> questions_;
  std::vector<Reader*> readers_;
  std::vector<Held> held_;
  std::vector<std::string> held_methods_;
  std::vector<std::pair<std::string, std::string>> calls_;
  std::uint64_t next_handle_ = 1;
  int cancelled_ = 0;
  bool recording_ = true;
};

}  // namespace quarry::engine_client::testing
