#pragma once

#include "base/error.h"
#include "runner/packet.h"

#include <quarry/abi.h>

#include <optional>
#include <string>
#include <string_view>

namespace quarry::runner {

/// Outcome of a call of a plugin as its runner reports it, with every fault of the plugin (none,
/// two), so that the host's own checks apply to it.
class Answer {
 public:
  /// One value, of no meaning.
  static Answer success();
  /// Reads the payload of kReply: the number of outcomes u8 (2 = more than one), then the first
  /// one. The packet is malformed if it is not that.
  static Answer read(PacketReader& packet);

  /// True for exactly one outcome, a value.
  [[nodiscard]] bool succeeded() const { return count_ == 1 && status_ == QUARRY_OK; }
  /// The failure, if there is one.
  [[nodiscard]] std::optional<Error> failure() const;
  /// Reports the outcome to `reply`, as often as the plugin did, at most twice.
  void replay(const quarry_reply* reply) const;

 private:
  std::uint8_t count_ = 0;
  quarry_status status_ = QUARRY_OK;
  std::string value_;  // or the failure's message
  std::string hint_;
  std::string details_;
};

/// A reply that keeps what is reported to it, to be sent. What the other side would refuse for its
/// size is replaced by an error that says so, or cut.
class RecordedReply {
 public:
  RecordedReply();
  RecordedReply(const RecordedReply&) = delete;
  RecordedReply& operator=(const RecordedReply&) = delete;
  [[nodiscard]] const quarry_reply* table() const { return &table_; }
  /// Writes what Answer::read reads.
  void write(PacketWriter& packet) const;
  /// True for exactly one outcome, a value.
  [[nodiscard]] bool succeeded() const { return count_ == 1 && value_; }
  /// Reports it to another reply.
  void replay(const quarry_reply* reply) const;

 private:
  void record(quarry_status status, std::string_view text, std::string_view hint,
              std::string_view details);
  void record_value(quarry_text json);
  void record_failure(const quarry_failure* failure);

  quarry_reply table_;
  std::uint8_t count_ = 0;
  bool value_ = false;  // the first outcome is one
  std::string first_;   // outcome
};

/// Reports an error of the host to a plugin's reply or the other way round.
void reply_error(const quarry_reply* reply, const Error& error);

}  // namespace quarry::runner
