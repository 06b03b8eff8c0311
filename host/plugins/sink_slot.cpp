#include "plugins/sink_slot.h"

#include "base/json.h"
#include "base/utf8.h"
#include "plugins/sink_values.h"

#include <quarry/limits.h>

#include <cstddef>
#include <utility>

#include <nlohmann/json.hpp>

namespace quarry::plugins {
namespace {

/// Number of bytes at the end of `text` that may begin a character.
std::size_t open_character(std::string_view text) {
  for (std::size_t back = 1; back <= 3 && back <= text.size(); ++back) {
    const auto byte = static_cast<unsigned char>(text[text.size() - back]);
    if (byte < 0x80) return 0;
    if (byte < 0xC0) continue;
    const std::size_t length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : 2;
    return length > back ? back : 0;
  }
  return 0;
}

quarry_status wanted(bool more) {
  return more ? QUARRY_OK : QUARRY_CANCELLED;
}

}  // namespace

std::string_view Utf8Stream::take(std::string_view bytes) {
  if ((!cut_ || cut_->pending.empty()) && is_utf8(bytes)) return bytes;
  if (!cut_) cut_ = std::make_unique<Cut>();
  auto& [pending, mended] = *cut_;
  pending += bytes;
  const auto whole = pending.size() - open_character(pending);
  mended = to_utf8(std::string_view(pending).substr(0, whole));
  pending.erase(0, whole);
  return mended;
}

std::string Utf8Stream::rest() {
  // The bytes of one incomplete character become a single U+FFFD.
  return !cut_ || std::exchange(cut_->pending, {}).empty() ? "" : "\xEF\xBF\xBD";
}

SinkSlot::SinkSlot(const Instance& instance, Step& step, ModelSink& sink)
    : instance_(instance),
      step_(step),
      sink_(sink),
      table_{.struct_size = sizeof(quarry_model_sink),
             .context = this,
             .text = text,
             .reasoning = reasoning,
             .tool_call = tool_call,
             .usage = usage,
             .keep = keep,
             .finish = finish,
             .error = error} {}

SinkSlot& SinkSlot::of(const quarry_model_sink* self) {
  return *static_cast<SinkSlot*>(self->context);
}

bool SinkSlot::end() {
  if (step_.ended) return false;
  if (const auto text = step_.text.rest(); !text.empty()) sink_.text(text);
  if (const auto reasoning = step_.reasoning.rest(); !reasoning.empty()) sink_.reasoning(reasoning);
  step_.ended = true;
  return true;
}

void SinkSlot::fail(Error error) {
  if (!end()) return;
  const auto told = instance_.blame(std::move(error));
  sink_.error({.code = told.code, .message = told.message});
}

void SinkSlot::must_have_ended() {
  fail({Code::kInternal, "the provider ended without a finish or an error"});
}

quarry_status SinkSlot::text(const quarry_model_sink* self, quarry_text delta) {
  auto& slot = of(self);
  if (slot.step_.ended) return QUARRY_CANCELLED;
  const auto whole = slot.step_.text.take(as_view(delta));
  return wanted(whole.empty() || slot.sink_.text(whole));
}

quarry_status SinkSlot::reasoning(const quarry_model_sink* self, quarry_text delta) {
  auto& slot = of(self);
  if (slot.step_.ended) return QUARRY_CANCELLED;
  const auto whole = slot.step_.reasoning.take(as_view(delta));
  return wanted(whole.empty() || slot.sink_.reasoning(whole));
}

quarry_status SinkSlot::tool_call(const quarry_model_sink* self, std::uint32_t index,
                                  quarry_text id, quarry_text name, quarry_text arguments) {
  auto& slot = of(self);
  if (slot.step_.ended) return QUARRY_CANCELLED;
  if (index >= QUARRY_LIMIT_TOOL_CALLS) {
    slot.fail({Code::kInternal, "the provider made too many tool calls in one step"});
    return QUARRY_CANCELLED;
  }
  return wanted(slot.sink_.tool_call(index, as_view(id), as_view(name), as_view(arguments)));
}

quarry_status SinkSlot::usage(const quarry_model_sink* self, const quarry_usage* said) {
  auto& slot = of(self);
  if (slot.step_.ended) return QUARRY_CANCELLED;
  const auto usage = read_usage(said);
  if (!usage) {
    slot.fail({Code::kInternal, "the provider reported usage without its counts"});
    return QUARRY_CANCELLED;
  }
  return wanted(slot.sink_.usage(*usage));
}

quarry_status SinkSlot::keep(const quarry_model_sink* self, quarry_text json) {
  auto& slot = of(self);
  if (slot.step_.ended) return QUARRY_CANCELLED;
  if (json.size > QUARRY_LIMIT_KEPT || !parse_json(as_view(json))) {
    slot.fail(
        {Code::kInternal, "the provider asked to keep a value that is not JSON of at most 1 MiB"});
    return QUARRY_CANCELLED;
  }
  return wanted(slot.sink_.keep(as_view(json)));
}

void SinkSlot::finish(const quarry_model_sink* self, quarry_finish reason) {
  auto& slot = of(self);
  if (!slot.end()) return;
  const bool known = reason >= QUARRY_FINISH_STOP && reason <= QUARRY_FINISH_CONTENT_FILTER;
  slot.sink_.finish(known ? static_cast<Finish>(reason) : Finish::kStop);
}

void SinkSlot::error(const quarry_model_sink* self, const quarry_model_error* said) {
  auto& slot = of(self);
  const auto error = read_error(said);
  if (!error) {
    slot.fail({Code::kInternal, "the provider failed without an error"});
    return;
  }
  if (slot.end()) slot.sink_.error(*error);
}

}  // namespace quarry::plugins
