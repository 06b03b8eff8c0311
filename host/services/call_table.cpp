#include "services/call_table.h"

#include "base/json.h"

#include <quarry/limits.h>
#include <quarry/outcome.hpp>

#include <algorithm>
#include <cstdint>

#include <nlohmann/json.hpp>

namespace quarry::services {
namespace {

using std::chrono::milliseconds;
using Steady = std::chrono::steady_clock;

constexpr std::chrono::hours kLongestLimit{24 * 366};

const CallTable& of(const quarry_call* self) {
  return *static_cast<const CallTable*>(self->context);
}

quarry_status state(const quarry_call* self) noexcept {
  return static_cast<quarry_status>(of(self).call().outcome());
}

std::int64_t remaining_ms(const quarry_call* self) noexcept {
  const Call& call = of(self).call();
  if (!call.deadline) return INT64_MAX;
  const auto left = std::chrono::duration_cast<milliseconds>(*call.deadline - Steady::now());
  return std::max<std::int64_t>(0, left.count());
}

void progress(const quarry_call* self, quarry_text json) noexcept {
  const Call& call = of(self).call();
  if (!call.progress || json.size > QUARRY_LIMIT_PROGRESS) return;
  const auto value = parse_json(as_view(json));
  if (value && value->is_object()) call.progress(as_view(json));
}

Call conditions(const CallTable* parent, const PartOfCall& part) {
  Call call;
  if (parent != nullptr) {
    call.deadline = parent->call().deadline;
    call.progress = parent->call().progress;
    call.project = parent->call().project;
  }
  if (part.limit != milliseconds::max()) {
    const auto end =
        Steady::now() + std::clamp<milliseconds>(part.limit, milliseconds(0), kLongestLimit);
    call.deadline = call.deadline ? std::min(*call.deadline, end) : end;
  }
  call.state = [parent, state = part.state, context = part.context] {
    const Code outer = parent == nullptr ? Code::kOk : parent->call().outcome();
    if (outer != Code::kOk || state == nullptr) return outer;
    return static_cast<Code>(state(context));
  };
  return call;
}

class OpenedCall final : public HeldCallTable {
 public:
  OpenedCall(const PartOfCall& part, const CallTable* parent)
      : HeldCallTable(conditions(parent, part), parent == nullptr ? part.rights : parent->rights()),
        parent_(parent),
        has_state_(part.state != nullptr) {}
  [[nodiscard]] const CallTable& root() const override {
    return parent_ == nullptr ? *this : parent_->root();
  }
  [[nodiscard]] bool has_state_function() const override {
    return has_state_ || (parent_ != nullptr && parent_->has_state_function());
  }

 private:
  const CallTable* const parent_;
  const bool has_state_;
};

}  // namespace

void CallRights::add(const CallRights& more) {
  const auto add_missing = [](std::vector<std::string>& to, const std::vector<std::string>& from) {
    for (const auto& each : from) {
      if (std::ranges::find(to, each) == to.end()) to.push_back(each);
    }
  };
  add_missing(secrets, more.secrets);
  add_missing(hosts, more.hosts);
}

CallTable::CallTable(const Call& call, const CallRights& rights)
    : call_(call),
      rights_(rights),
      table_{.struct_size = sizeof(quarry_call),
             .context = this,
             .state = state,
             .remaining_ms = services::remaining_ms,
             .progress = services::progress} {}

const CallTable* CallTable::find(const quarry_call* call) {
  return call != nullptr && call->state == services::state ? &of(call) : nullptr;
}

const quarry_call* open_call(const PartOfCall& part) {
  const CallTable* const parent = CallTable::find(part.parent);
  if (part.parent != nullptr && parent == nullptr) return nullptr;
  return (new OpenedCall(part, parent))->get();
}

void close_call(const quarry_call* call) {
  delete dynamic_cast<const OpenedCall*>(CallTable::find(call));
}

}  // namespace quarry::services
