#pragma once

#include "model_http/object_scanner.h"

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <variant>

namespace quarry::model_http {

/// Lines of a byte stream that may be cut anywhere. A line ends with LF, CRLF or CR.
class LineReader {
 public:
  using Take = std::function<void(std::string_view line)>;
  explicit LineReader(std::size_t longest = std::size_t{16} << 20) : longest_(longest) {}

  /// False when a line is longer than `longest`; later results are meaningless.
  bool feed(std::string_view bytes, const Take& take);
  /// The bytes after the last line end.
  [[nodiscard]] std::string_view rest() const { return pending_; }
  void clear() { pending_.clear(); }

 private:
  const std::size_t longest_;
  std::string pending_;
  bool skip_line_feed_ = false;  // a CR ended a line; a directly following LF belongs to it
};

/// Server-sent events: the name (empty when none was sent) and the data, its lines joined by LF.
/// Servers that write no blank lines are understood: a whole JSON object or "[DONE]" is an event.
/// "[DONE]" is given as that in any spelling; data of blanks only is not given.
class EventReader {
 public:
  using Take = std::function<void(std::string_view name, std::string_view data)>;

  /// False like LineReader::feed, or when the data of one event exceeds the same limit.
  bool feed(std::string_view bytes, const Take& take);
  /// Ends the stream: accepts an event without its blank line, since some servers omit the last
  /// one.
  void finish(const Take& take);
  /// Forgets an event that is not complete.
  void clear();
  /// True once there was a line with a field of events, or a comment.
  [[nodiscard]] bool has_fields() const { return has_fields_; }

 private:
  void take_line(std::string_view line, const Take& take);
  void take_data(std::string_view value, const Take& take);
  void keep_data();
  /// True if the data so far is a whole JSON object.
  [[nodiscard]] bool has_object();
  void dispatch(const Take& take);

  LineReader lines_;
  std::string name_;
  std::string_view data_;  ///< in the bytes of a feed, or after it in `kept_`
  std::string kept_;       ///< of an event that arrives in several feeds or lines
  ObjectScanner object_;   ///< in the data, as far as it was asked for
  bool has_data_ = false;
  bool has_fields_ = false;
  bool first_line_ = true;
};

/// JSON objects: one a line, one written over several lines, or an array of them. Lines may have
/// the field name of events.
class ObjectReader {
 public:
  using Take = EventReader::Take;

  /// False like LineReader::feed, or when a value exceeds the same limit.
  bool feed(std::string_view bytes, const Take& take);
  void finish(const Take& take);
  /// Forgets a value that is not complete.
  void clear();

 private:
  void take_line(std::string_view line, const Take& take);
  void end_value(const Take& take);

  LineReader lines_;
  std::string value_;      ///< the lines of a value that is not complete
  bool by_lines_ = false;  ///< each line is a value
};

/// The messages of a response in the framing that it begins with, since servers label it wrongly.
class MessageReader {
 public:
  using Take = EventReader::Take;
  /// `lines`: what begins as no framing is a line.
  explicit MessageReader(bool lines = false) : lines_(lines) {}

  /// False like the reader of the framing.
  bool feed(std::string_view bytes, const Take& take);
  void finish(const Take& take);
  /// Takes messages that are complete but for their line ends, of a server that waits.
  void pause(const Take& take);
  /// True if it has begun as server-sent events.
  [[nodiscard]] bool has_events() const {
    const auto* const events = std::get_if<EventReader>(&reader_);
    return events != nullptr && events->has_fields();
  }
  /// True if it has begun as a web page, which has no messages.
  [[nodiscard]] bool is_page() const { return std::holds_alternative<Page>(reader_); }

 private:
  struct Unknown {};
  struct Page {};
  /// Drops the byte order mark and the blanks, which servers send for as long as a client waits.
  void drop_beginning();
  /// Chooses the reader by the first byte.
  void choose(char first);

  const bool lines_;
  std::variant<Unknown, EventReader, ObjectReader, Page> reader_;
  std::string begin_;           ///< while the framing is unknown
  bool is_after_mark_ = false;  ///< `begin_` has no part of a byte order mark
};

}  // namespace quarry::model_http
