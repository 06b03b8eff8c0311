/// Results of plugin functions: a value, or a failure with a message.
#ifndef QUARRY_OUTCOME_HPP
#define QUARRY_OUTCOME_HPP

#include <quarry/abi.h>
#include <quarry/json.h>

#include <cstddef>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace quarry {

inline quarry_text as_text(std::string_view view) {
  return {view.data(), view.size()};
}
/// A text without data is empty, with any size.
inline std::string_view as_view(quarry_text text) {
  return text.data == nullptr ? std::string_view() : std::string_view(text.data, text.size);
}

/// The failure of a call. `message` is one sentence for a person, `hint` the next step.
struct Failure {
  quarry_status status = QUARRY_INTERNAL;
  std::string message;
  std::string hint;
  std::string details;  ///< as quarry_failure.details; see add_field and field_failure

  /// Adds an invalid member of the argument to `details`, whose other members stay. `field` is a
  /// JSON pointer ("/path"). The host shows the first QUARRY_LIMIT_FIELDS of them.
  Failure& add_field(std::string_view field, std::string_view message);
};

/// An invalid member of an argument: a JSON pointer ("/path"), and what is wrong with it, as the
/// end of a sentence that begins with the member ("is empty").
struct FieldMessage {
  std::string field;
  std::string message;
};

namespace detail {

inline std::string field_json(std::string_view field, std::string_view message) {
  const auto quoted = [](std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
      if (c == '"' || c == '\\') out += '\\';
      out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
    return out + '"';
  };
  return "{\"field\":" + quoted(field) + ",\"message\":" + quoted(message) + "}";
}

/// The text with `element` before its last character, a closing bracket.
inline std::string with_element(std::string_view json, const std::string& element) {
  const std::string_view open = json.substr(0, json.size() - 1);
  const auto last = open.find_last_not_of(" \t\r\n");
  const bool first = last == 0;  // the opening bracket
  return std::string(open) + (first ? "" : ",") + element + json.back();
}

}  // namespace detail

inline Failure& Failure::add_field(std::string_view field, std::string_view about) {
  const std::string element = detail::field_json(field, about);
  const bool object = details.size() > 1 && details.front() == '{' && details.back() == '}';
  quarry_text fields{};
  if (!object) {
    details = "{\"fields\":[" + element + "]}";
  } else if (quarry_json_member(as_text(details), "fields", &fields) != 0 && fields.size > 1 &&
             as_view(fields).back() == ']') {
    const auto at = static_cast<std::size_t>(fields.data - details.data());
    details.replace(at, fields.size, detail::with_element(as_view(fields), element));
  } else {
    details = detail::with_element(details, "\"fields\":[" + element + "]");
  }
  return *this;
}

/// A failure about invalid members of the argument, at least one; the message names them all.
inline Failure field_failure(const std::vector<FieldMessage>& fields, std::string_view hint = {},
                             quarry_status status = QUARRY_INVALID_ARGUMENT) {
  Failure failure{status, {}, std::string(hint), {}};
  for (const FieldMessage& wrong : fields) {
    if (!failure.message.empty()) failure.message += "; ";
    failure.message += wrong.field.substr(wrong.field.empty() ? 0 : 1) + " " + wrong.message;
    failure.add_field(wrong.field, wrong.message);
  }
  return failure;
}

/// A failure about one invalid member of the argument; `field` is a JSON pointer ("/path"). With
/// `status` also one that is missing (QUARRY_NOT_FOUND) or refused (QUARRY_UNAUTHENTICATED).
inline Failure field_failure(std::string_view field, std::string_view message,
                             std::string_view hint = {},
                             quarry_status status = QUARRY_INVALID_ARGUMENT) {
  return field_failure({{std::string(field), std::string(message)}}, hint, status);
}

/// A value or a Failure; converts from either.
template <class T>
class [[nodiscard]] Outcome {
 public:
  Outcome(T value) : value_(std::move(value)) {}
  Outcome(Failure failure) : failure_(std::move(failure)) {}
  explicit operator bool() const { return value_.has_value(); }
  T& operator*() { return *value_; }
  const T& operator*() const { return *value_; }
  const T* operator->() const { return &*value_; }
  const Failure& failure() const { return failure_; }

 private:
  std::optional<T> value_;
  Failure failure_;
};

namespace detail {

inline void fail(const quarry_reply* reply, const Failure& failure) {
  const quarry_failure told{sizeof told, failure.status, as_text(failure.message),
                            as_text(failure.hint), as_text(failure.details)};
  reply->failure(reply, &told);
}

inline void answer(const quarry_reply* reply, const Outcome<std::string>& outcome) {
  if (outcome) {
    reply->value(reply, as_text(*outcome));
  } else {
    fail(reply, outcome.failure());
  }
}

/// Replies with the result of `body`; an exception becomes a failure, since none may cross the
/// boundary.
template <class Body>
void reply_with(const quarry_reply* reply, const Body& body) noexcept {
#if defined(__cpp_exceptions)
  try {
    answer(reply, body());
  } catch (const std::exception& error) {
    fail(reply, {QUARRY_INTERNAL, error.what(), {}, {}});
  } catch (...) {
    fail(reply, {QUARRY_INTERNAL, "the plugin threw something that is no exception", {}, {}});
  }
#else
  answer(reply, body());
#endif
}

/// Keeps the outcome of a call to the host.
class Heard {
 public:
  Heard() : reply_{sizeof reply_, this, keep_value, keep_failure} {}
  Heard(const Heard&) = delete;
  Heard& operator=(const Heard&) = delete;
  [[nodiscard]] const quarry_reply* reply() const { return &reply_; }
  [[nodiscard]] const Outcome<std::string>& outcome() const { return outcome_; }

 private:
  static void keep_value(const quarry_reply* self, quarry_text json) {
    static_cast<Heard*>(self->context)->outcome_ = std::string(as_view(json));
  }
  static void keep_failure(const quarry_reply* self, const quarry_failure* said) {
    static_cast<Heard*>(self->context)->outcome_ =
        Failure{said->status, std::string(as_view(said->message)), std::string(as_view(said->hint)),
                std::string(as_view(said->details))};
  }

  quarry_reply reply_;
  Outcome<std::string> outcome_ = Failure{QUARRY_INTERNAL, "the host did not reply", {}, {}};
};

}  // namespace detail
}  // namespace quarry

#endif
