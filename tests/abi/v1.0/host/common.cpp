#include "common.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace frozen {

std::string json_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    char escaped[8];
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < ' ') {
      std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(c));
      out += escaped;
    } else {
      out += c;
    }
  }
  return out + "\"";
}

const char* status_name(quarry_status status) {
  switch (status) {
    case QUARRY_OK:
      return "ok";
    case QUARRY_INVALID_ARGUMENT:
      return "invalid_argument";
    case QUARRY_NOT_FOUND:
      return "not_found";
    case QUARRY_PERMISSION_DENIED:
      return "permission_denied";
    case QUARRY_UNAUTHENTICATED:
      return "unauthenticated";
    case QUARRY_UNAVAILABLE:
      return "unavailable";
    case QUARRY_RESOURCE_EXHAUSTED:
      return "resource_exhausted";
    case QUARRY_CANCELLED:
      return "cancelled";
    case QUARRY_DEADLINE_EXCEEDED:
      return "deadline_exceeded";
    case QUARRY_UNSUPPORTED:
      return "unsupported";
    case QUARRY_DATA_LOSS:
      return "data_loss";
    default:
      return "internal";  // QUARRY_INTERNAL, and those of later versions
  }
}

Line& Line::json(const char* key, std::string_view value) {
  members_ += (members_.empty() ? "" : ", ") + json_text(key) + ": ";
  members_ += value;
  return *this;
}

Line::~Line() {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  std::printf("{%s}\n", members_.c_str());
  std::fflush(stdout);
}

void Failure::use(const quarry_reply* reply) const {
  const quarry_failure failure{sizeof failure, status, text(message), text(hint), text(details)};
  reply->failure(reply, &failure);
}

namespace {

bool is_too_deep(std::string_view json) {
  unsigned level = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    if (json[i] == '\\')
      ++i;
    else if (json[i] == '"')
      quoted = !quoted;
    else if (!quoted && (json[i] == '{' || json[i] == '[') && ++level > QUARRY_LIMIT_JSON_LEVELS)
      return true;
    else if (!quoted && (json[i] == '}' || json[i] == ']'))
      --level;
  }
  return false;
}

}  // namespace

Reply::Reply()
    : table_{sizeof table_, this,
             [](const quarry_reply* self, quarry_text json) {
               auto& reply = *static_cast<Reply*>(self->context);
               ++reply.outcomes_;
               reply.value_ = view(json);
               reply.failure_.status = json.size > QUARRY_LIMIT_VALUE ? QUARRY_RESOURCE_EXHAUSTED
                                       : is_too_deep(view(json))      ? QUARRY_INTERNAL
                                                                      : QUARRY_OK;
             },
             [](const quarry_reply* self, const quarry_failure* failure) {
               auto& reply = *static_cast<Reply*>(self->context);
               ++reply.outcomes_;
               const bool known = failure != nullptr && QUARRY_HAS(failure, details);
               if (!known) return;
               reply.failure_ = {failure->status,
                                 std::string(view(failure->message), 0, QUARRY_LIMIT_SENTENCE),
                                 std::string(view(failure->hint), 0, QUARRY_LIMIT_SENTENCE),
                                 failure->details.size > QUARRY_LIMIT_DETAILS
                                     ? std::string()
                                     : std::string(view(failure->details))};
             }} {}

std::optional<std::string> Reply::take(std::string_view function) {
  Line line("function", function);
  if (outcomes_ != 1) line.with("outcomes", outcomes_);
  line.with("status", status_name(failure_.status));
  if (failure_.status == QUARRY_OK) {
    if (value_.size() <= 65536) line.json("value", value_.empty() ? "null" : value_);
    return value_;
  }
  line.with("message", failure_.message).with("hint", failure_.hint);
  line.json("details", failure_.details.empty() ? "null" : failure_.details);
  return std::nullopt;
}

Calls& calls() {
  static Calls all;
  return all;
}

Settings& settings() {
  static Settings all;
  return all;
}

const quarry_call* Calls::open(const quarry_call* parent, std::int64_t timeout_ms,
                               quarry_status (*ended)(void*), void* context) {
  const auto table = quarry_call{
      sizeof(quarry_call), this,
      [](const quarry_call* self) { return static_cast<Calls*>(self->context)->state(self); },
      [](const quarry_call* self) {
        return static_cast<Calls*>(self->context)->remaining_ms(self);
      },
      [](const quarry_call*, quarry_text json) {
        if (json.size <= QUARRY_LIMIT_PROGRESS) Line("event", "progress").json("value", view(json));
      }};
  const auto deadline =
      timeout_ms == INT64_MAX
          ? Clock::time_point::max()
          : Clock::now() + std::chrono::milliseconds(std::max<std::int64_t>(timeout_ms, 0));
  const std::lock_guard lock(mutex_);
  if (parent != nullptr && open_.count(parent) == 0) return nullptr;
  auto* made = new Open{table, parent, deadline, ended, context};
  open_[&made->table] = made;
  return &made->table;
}

void Calls::close(const quarry_call* call) {
  const std::lock_guard lock(mutex_);
  const auto found = open_.find(call);
  if (found == open_.end()) return;
  delete found->second;
  open_.erase(found);
}

std::optional<Calls::Open> Calls::find(const quarry_call* call) {
  const std::lock_guard lock(mutex_);
  const auto found = open_.find(call);
  if (found == open_.end()) return std::nullopt;
  return *found->second;
}

quarry_status Calls::state(const quarry_call* call) {
  const auto open = find(call);
  if (!open) return QUARRY_INVALID_ARGUMENT;
  if (Clock::now() >= open->deadline) return QUARRY_DEADLINE_EXCEEDED;
  const quarry_status own = open->state == nullptr ? QUARRY_OK : open->state(open->context);
  if (own != QUARRY_OK || open->parent == nullptr) return own;
  return state(open->parent);
}

std::int64_t Calls::remaining_ms(const quarry_call* call) {
  const auto open = find(call);
  if (!open) return 0;
  const auto above = open->parent == nullptr ? INT64_MAX : remaining_ms(open->parent);
  if (open->deadline == Clock::time_point::max()) return above;
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(open->deadline - Clock::now()).count();
  return std::min<std::int64_t>(above, std::max<std::int64_t>(left, 0));
}

}  // namespace frozen
