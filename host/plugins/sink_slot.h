#pragma once

#include "plugins/instance.h"
#include "plugins/model_provider.h"

#include <quarry/model.h>

#include <memory>
#include <string>
#include <string_view>

namespace quarry::plugins {

/// Text that arrives in pieces cut anywhere, given on in whole characters; bytes that belong to
/// none become U+FFFD.
class Utf8Stream {
 public:
  /// Valid until the next call, and as long as `bytes`.
  std::string_view take(std::string_view bytes);
  /// What is left of a character that never became whole.
  std::string rest();

 private:
  struct Cut {
    std::string pending;  ///< the beginning of a character
    std::string mended;
  };
  std::unique_ptr<Cut> cut_;  ///< none while every piece was whole, as nearly all are
};

/// What holds for one step of a conversation: one end, and nothing after it.
struct Step {
  bool ended = false;
  Utf8Stream text;
  Utf8Stream reasoning;
};

/// The sink a plugin sees, for one call into it. Keeps what ModelSink promises.
class SinkSlot {
 public:
  SinkSlot(const Instance& instance, Step& step, ModelSink& sink);
  SinkSlot(const SinkSlot&) = delete;
  SinkSlot& operator=(const SinkSlot&) = delete;

  [[nodiscard]] const quarry_model_sink* get() const { return &table_; }

  /// Ends the step, unless it ended; a fault of the plugin names it.
  void fail(Error error);
  /// For a step that is over: it must have ended.
  void must_have_ended();

 private:
  static SinkSlot& of(const quarry_model_sink* self);
  static quarry_status text(const quarry_model_sink* self, quarry_text delta);
  static quarry_status reasoning(const quarry_model_sink* self, quarry_text delta);
  static quarry_status tool_call(const quarry_model_sink* self, std::uint32_t index, quarry_text id,
                                 quarry_text name, quarry_text arguments);
  static quarry_status usage(const quarry_model_sink* self, const quarry_usage* said);
  static quarry_status keep(const quarry_model_sink* self, quarry_text json);
  static void finish(const quarry_model_sink* self, quarry_finish reason);
  static void error(const quarry_model_sink* self, const quarry_model_error* said);

  /// Ends the step: false when it had ended. Gives on the rest of its text first.
  bool end();

  const Instance& instance_;
  Step& step_;
  ModelSink& sink_;
  quarry_model_sink table_;
};

}  // namespace quarry::plugins
