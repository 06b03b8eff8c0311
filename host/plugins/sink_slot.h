#pragma once

#include "plugins/instance.h"
#include "plugins/model_provider.h"

#include <quarry/model.h>

#include <memory>
#include <string>
#include <string_view>

namespace quarry::plugins {

/// Joins text split at any byte into whole characters; bytes that belong to none become U+FFFD.
class Utf8Stream {
 public:
  /// The result is valid until the next call and while `bytes` is.
  std::string_view take(std::string_view bytes);
  /// Replacement for an incomplete character at the end, if any.
  std::string rest();

 private:
  struct Cut {
    std::string pending;  ///< the beginning of a character
    std::string mended;
  };
  std::unique_ptr<Cut> cut_;  ///< null while no character was split, the usual case
};

/// State of one step of a conversation, which ends exactly once.
struct Step {
  bool ended = false;
  Utf8Stream text;
  Utf8Stream reasoning;
};

/// Sink passed to a plugin for one call into it. Ensures the guarantees of ModelSink.
class SinkSlot {
 public:
  SinkSlot(const Instance& instance, Step& step, ModelSink& sink);
  SinkSlot(const SinkSlot&) = delete;
  SinkSlot& operator=(const SinkSlot&) = delete;

  [[nodiscard]] const quarry_model_sink* get() const { return &table_; }

  /// Ends the step with an error unless it has ended; names the plugin if it is at fault.
  void fail(Error error);
  /// Fails the step if the plugin has not ended it.
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

  /// Ends the step after passing on the rest of its text; false if it had ended.
  bool end();

  const Instance& instance_;
  Step& step_;
  ModelSink& sink_;
  quarry_model_sink table_;
};

}  // namespace quarry::plugins
