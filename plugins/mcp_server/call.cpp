#include "call.h"

#include <algorithm>
#include <array>
#include <utility>

#include <nlohmann/json.hpp>

namespace quarry::mcp {
namespace {

constexpr std::array<std::string_view, 8> kLevels = {"debug", "info",     "notice", "warning",
                                                     "error", "critical", "alert",  "emergency"};

const Json* member_of_meta(const Json& params, std::string_view name) {
  const Json* const meta = find(params, "_meta");
  return meta == nullptr ? nullptr : find(*meta, name);
}

std::string token_of(const Json& params) {
  const Json* const token = member_of_meta(params, "progressToken");
  const bool sound = token != nullptr && (token->is_string() || token->is_number());
  return sound ? dump(*token) : std::string();
}

Answer answer_of(End reason) {
  if (reason == End::kTimeOut) {
    return Answer::failed(kInternalError, "the call took longer than this server allows");
  }
  return Answer::failed(kRequestCancelled, "the call was cancelled");
}

}  // namespace

std::optional<int> rank_of_level(std::string_view level) {
  const auto found = std::ranges::find(kLevels, level);
  if (found == kLevels.end()) return std::nullopt;
  return static_cast<int>(found - kLevels.begin());
}

bool Caller::may(std::string_view right) const {
  return principal.empty() || std::ranges::find(rights, right) != rights.end();
}

Call::Call(Message message, Era era, RequestHead head, Caller caller,
           std::shared_ptr<Outlet> outlet)
    : message_(std::move(message)),
      era_(era),
      head_(std::move(head)),
      caller_(std::move(caller)),
      outlet_(std::move(outlet)),
      progress_token_(token_of(*message_.params)) {}

void Call::post(std::function<void()> job) const {
  outlet_->post(std::move(job));
}

void Call::open() {
  if (!over_) outlet_->open(*this);
}

void Call::notify(std::string_view method, std::string_view params) {
  if (!over_) outlet_->notify(*this, notification_message(method, params));
}

void Call::progress(double progress, std::optional<double> total, std::string_view message) {
  progress_ = progress;
  total_ = total;
  progress_message_ = message;
  if (progress_token_.empty() || is_full()) return;
  std::string params = R"({"progressToken":)" + progress_token_;
  params += R"(,"progress":)" + dump(Json(progress));
  if (total) params += R"(,"total":)" + dump(Json(*total));
  // Since revision 2025-03-26; older clients ignore it.
  if (!message.empty()) params += R"(,"message":)" + json_string(message);
  notify("notifications/progress", params + "}");
}

void Call::step(std::string_view message) {
  if (total_) return;
  const std::string said = message.empty() ? progress_message_ : std::string(message);
  progress(progress_ + 1, std::nullopt, said);
}

bool Call::wants_log(std::string_view level) const {
  if (era_ == Era::kInterface) return false;
  if (era_ == Era::kLegacy) return true;
  const Json* const wanted = member_of_meta(params(), kMetaLogLevel);
  if (wanted == nullptr || !wanted->is_string()) return false;
  const auto least = rank_of_level(wanted->get<std::string>());
  return least && rank_of_level(level) >= least;
}

void Call::log(std::string_view level, std::string_view logger, std::string_view data) {
  if (!wants_log(level) || is_full()) return;
  std::string params = R"({"level":)" + json_string(level);
  params += R"(,"logger":)" + json_string(logger) + R"(,"data":)";
  notify("notifications/message", params.append(data).append("}"));
}

void Call::answer(const Answer& answer) {
  if (std::exchange(over_, true)) return;
  hook_ = nullptr;
  outlet_->finish(*this, answer);
}

bool Call::is_full() const {
  return outlet_->is_full();
}

void Call::on_end(std::function<void(End)> hook) {
  if (!over_) hook_ = std::move(hook);
}

void Call::end(End reason) {
  if (over_) return;
  cancelled_ = reason != End::kTimeOut;
  // Kept alive: the hook may hold the last reference to this call.
  const auto self = shared_from_this();
  if (const auto hook = std::exchange(hook_, nullptr)) hook(reason);
  answer(answer_of(reason));
}

}  // namespace quarry::mcp
