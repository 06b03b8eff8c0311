#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace quarry::cli {

/// Parses server-sent events from bytes split anywhere (HTML standard, 9.2.6: fields event, data
/// and id; ignores comments and other fields).
class EventStream {
 public:
  using OnEvent = std::function<void(std::string_view type, std::string_view data)>;
  explicit EventStream(OnEvent on_event) : on_event_(std::move(on_event)) {}

  void feed(std::string_view bytes);

 private:
  void take_line(std::string_view line);

  OnEvent on_event_;
  std::string line_;
  std::string type_;
  std::string data_;
  bool has_data_ = false;
  bool after_return_ = false;
};

}  // namespace quarry::cli
