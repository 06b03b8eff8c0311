#include "runner/answer.h"

#include "plugins/reply_slot.h"

#include <quarry/limits.h>
#include <quarry/outcome.hpp>

#include <algorithm>

namespace quarry::runner {
namespace {

constexpr std::uint8_t kMostOutcomes = 2;
}  // namespace

Answer Answer::success() {
  Answer answer;
  answer.count_ = 1;
  return answer;
}

Answer Answer::read(PacketReader& packet) {
  Answer answer;
  answer.count_ = std::min(packet.get<std::uint8_t>(), kMostOutcomes);
  answer.status_ = packet.get<quarry_status>();
  answer.value_ = packet.text();
  answer.hint_ = packet.text();
  answer.details_ = packet.text();
  return answer;
}

RecordedReply::RecordedReply()
    : table_{.struct_size = sizeof(quarry_reply),
             .context = this,
             .value =
                 [](const quarry_reply* self, quarry_text json) {
                   static_cast<RecordedReply*>(self->context)->record_value(json);
                 },
             .failure =
                 [](const quarry_reply* self, const quarry_failure* failure) {
                   static_cast<RecordedReply*>(self->context)->record_failure(failure);
                 }} {}

void RecordedReply::record(quarry_status status, std::string_view text, std::string_view hint,
                           std::string_view details) {
  if (count_ < kMostOutcomes) ++count_;
  if (!first_.empty()) return;
  value_ = status == QUARRY_OK;
  PacketWriter(first_).put(status).text(text).text(hint).text(details);
}

void RecordedReply::record_value(quarry_text json) {
  if (json.size <= QUARRY_LIMIT_VALUE) return record(QUARRY_OK, as_view(json), "", "");
  record(QUARRY_INTERNAL,
         "the plugin answered " + std::to_string(json.size) + " bytes, more than " +
             std::to_string(QUARRY_LIMIT_VALUE),
         "", "");
}

void RecordedReply::record_failure(const quarry_failure* failure) {
  if (failure == nullptr || !QUARRY_HAS(failure, details)) {
    return record(QUARRY_INTERNAL, "the plugin failed without a failure", "", "");
  }
  // Status 0 would read as a value.
  const auto status = failure->status == QUARRY_OK ? QUARRY_INTERNAL : failure->status;
  const auto details = as_view(failure->details);
  record(status, as_view(failure->message).substr(0, QUARRY_LIMIT_SENTENCE),
         as_view(failure->hint).substr(0, QUARRY_LIMIT_SENTENCE),
         details.size() > QUARRY_LIMIT_DETAILS ? std::string_view() : details);
}

void RecordedReply::write(PacketWriter& packet) const {
  packet.put(count_);
  if (count_ == 0) packet.put(QUARRY_OK).text("").text("").text("");
  packet.raw(first_);
}

void RecordedReply::replay(const quarry_reply* reply) const {
  std::string written;
  PacketWriter packet(written);
  write(packet);
  PacketReader reader(written);
  Answer::read(reader).replay(reply);
}

std::optional<Error> Answer::failure() const {
  plugins::ReplySlot slot;
  replay(slot.reply());
  auto outcome = slot.take();
  if (outcome) return std::nullopt;
  return std::move(outcome.error());
}

void Answer::replay(const quarry_reply* reply) const {
  const quarry_failure failure{.struct_size = sizeof failure,
                               .status = status_,
                               .message = as_text(value_),
                               .hint = as_text(hint_),
                               .details = as_text(details_)};
  for (std::uint8_t i = 0; i < count_; ++i) {
    if (status_ == QUARRY_OK) {
      reply->value(reply, as_text(value_));
    } else {
      reply->failure(reply, &failure);
    }
  }
}

void reply_error(const quarry_reply* reply, const Error& error) {
  const quarry_failure failure{.struct_size = sizeof failure,
                               .status = static_cast<quarry_status>(error.code),
                               .message = as_text(error.message),
                               .hint = as_text(error.hint),
                               .details = {nullptr, 0}};
  reply->failure(reply, &failure);
}

}  // namespace quarry::runner
