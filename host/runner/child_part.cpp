#include "runner/child_part.h"

#include "runner/child_call.h"

#include <algorithm>
#include <chrono>
#include <optional>

namespace quarry::runner {
namespace {

using std::chrono::milliseconds;
using Steady = std::chrono::steady_clock;

constexpr std::int64_t kLongestPart = 366LL * 86'400'000;

struct CallPart {
  const quarry_call* parent;
  std::optional<Steady::time_point> deadline;
  quarry_status (*state)(void*);
  void* context;
  quarry_call table{};
};

const CallPart& part_of(const quarry_call* self) {
  return *static_cast<const CallPart*>(self->context);
}

quarry_status state_of_part(const quarry_call* self) {
  const CallPart& part = part_of(self);
  if (part.parent != nullptr) {
    if (const auto outer = part.parent->state(part.parent); outer != QUARRY_OK) return outer;
  }
  if (part.deadline && Steady::now() >= *part.deadline) return QUARRY_DEADLINE_EXCEEDED;
  return part.state == nullptr ? QUARRY_OK : part.state(part.context);
}

std::int64_t remaining_of_part(const quarry_call* self) {
  const CallPart& part = part_of(self);
  const auto outer = part.parent == nullptr ? INT64_MAX : part.parent->remaining_ms(part.parent);
  if (!part.deadline) return outer;
  const auto left = std::chrono::duration_cast<milliseconds>(*part.deadline - Steady::now());
  return std::min<std::int64_t>(outer, std::max<std::int64_t>(0, left.count()));
}

void progress_of_part(const quarry_call* self, quarry_text json) {
  const CallPart& part = part_of(self);
  if (part.parent != nullptr) part.parent->progress(part.parent, json);
}

bool is_part(const quarry_call* call) {
  return call != nullptr && call->state == state_of_part;
}

}  // namespace

const quarry_call* open_part(const quarry_call* parent, std::int64_t timeout_ms,
                             quarry_status (*state)(void*), void* context) {
  if (parent != nullptr && !is_part(parent) && ChildCall::of(parent) == nullptr) return nullptr;
  auto* const part = new CallPart{parent, std::nullopt, state, context};
  if (timeout_ms > 0) {
    part->deadline = Steady::now() + milliseconds(std::min(timeout_ms, kLongestPart));
  }
  part->table = {.struct_size = sizeof(quarry_call),
                 .context = part,
                 .state = state_of_part,
                 .remaining_ms = remaining_of_part,
                 .progress = progress_of_part};
  return &part->table;
}

void close_part(const quarry_call* call) {
  if (is_part(call)) delete &part_of(call);
}

const quarry_call* root_of(const quarry_call* call) {
  while (is_part(call)) call = part_of(call).parent;
  return ChildCall::of(call) == nullptr ? nullptr : call;
}

}  // namespace quarry::runner
