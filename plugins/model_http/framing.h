#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

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

 private:
  const std::size_t longest_;
  std::string pending_;
  bool skip_line_feed_ = false;  // a CR ended a line; a directly following LF belongs to it
};

/// Server-sent events: the name (empty when none was sent) and the data, its lines joined by LF.
class EventReader {
 public:
  using Take = std::function<void(std::string_view name, std::string_view data)>;

  /// False like LineReader::feed, or when the data of one event exceeds the same limit.
  bool feed(std::string_view bytes, const Take& take);
  /// Ends the stream: accepts an event without its blank line, since some servers omit the last
  /// one.
  void finish(const Take& take);

 private:
  void take_line(std::string_view line, const Take& take);
  void dispatch(const Take& take);

  LineReader lines_;
  std::string name_;
  std::string data_;
  bool has_data_ = false;
  bool first_line_ = true;
};

}  // namespace quarry::model_http
