/// The lines of the protocol. A client sends one JSON object a line:
///
///   {"id": 1, "method": "question.ask", "params": {"question": "How are dates parsed?"}}
///   {"id": "x", "method": "cancel", "params": {"id": 1}}
///
/// `id` is a text of at most 64 bytes or an integer that no running request of the connection has;
/// `method` and `params` are those of <quarry/transport.h>. Responses of several requests may
/// alternate. Each request gets the events of its question, if it asks one, and then one result or
/// error:
///
///   {"id":1,"event":{"number":1,"type":"meta","data":{…}}}
///   {"id":1,"result":{…}}
///   {"id":1,"error":{"status":7,"message":"cancelled","hint":"","details":{}}}
///
/// A line that is no request gets an error with the id null.
#ifndef TRANSPORT_LINES_PROTOCOL_H
#define TRANSPORT_LINES_PROTOCOL_H

#include <quarry/outcome.hpp>
#include <quarry/transport.h>

#include <optional>
#include <string>
#include <string_view>

namespace transport_lines {

struct Request {
  std::string id = "null";  ///< as JSON text
  std::string method;
  std::string params = "{}";
};

/// Reads a line without its end. A failure still has the id, where the line has one.
struct ParsedLine {
  Request request;
  std::optional<quarry::Failure> failure;
};
ParsedLine parse_line(std::string_view line);

/// An id as JSON text in its only form; nullopt when it is neither text nor integer.
std::optional<std::string> read_id(std::string_view object);

std::string event_line(const std::string& id, const quarry_event& event);
std::string result_line(const std::string& id, std::string_view json);
std::string error_line(const std::string& id, const quarry::Failure& failure);

/// Cuts a stream into lines of at most kMostLine bytes. The rest of a longer line is skipped.
class LineReader {
 public:
  static constexpr std::size_t kMostLine = std::size_t{1} << 20;

  void append(std::string_view bytes) { bytes_ += bytes; }
  /// The next line without its end; nullopt until there is one. A longer line is a failure, once.
  std::optional<quarry::Outcome<std::string>> next();

 private:
  std::string bytes_;
  std::size_t searched_ = 0;  ///< bytes that are known to have no line end
  bool skipping_ = false;
};

}  // namespace transport_lines

#endif
