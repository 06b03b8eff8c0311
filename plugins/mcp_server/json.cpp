#include "json.h"

#include "http_server/surrogates.h"

#include <vector>

#include <nlohmann/json.hpp>

namespace quarry::mcp {
namespace {

constexpr std::size_t kDeepest = 64;

/// Builds the value and stops at the first refused token.
class Builder final : public nlohmann::json_sax<Json> {
 public:
  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t&) override { return add(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    if (open_.back()->contains(name)) {
      problem_.message = "the key " + json_string(name) + " occurs twice in one object";
      return false;
    }
    key_ = std::move(name);
    return true;
  }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& error) override {
    problem_ = {position, error.what()};
    // "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error while …"
    if (const std::size_t at = problem_.message.find(": "); at != std::string::npos) {
      problem_.message.erase(0, at + 2);
    }
    return false;
  }

  std::shared_ptr<const Json> take() { return std::move(root_); }
  JsonProblem problem() { return std::move(problem_); }

 private:
  bool add(Json value) {
    place(std::move(value));
    return true;
  }

  Json* place(Json value) {
    if (open_.empty()) {
      root_ = std::make_shared<Json>(std::move(value));
      return root_.get();
    }
    Json& parent = *open_.back();
    if (parent.is_object()) return &(parent[key_] = std::move(value));
    parent.push_back(std::move(value));
    return &parent.back();
  }

  bool open(Json value) {
    if (open_.size() >= kDeepest) {
      problem_.message = "it is nested deeper than " + std::to_string(kDeepest);
      return false;
    }
    open_.push_back(place(std::move(value)));
    return true;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  std::shared_ptr<Json> root_;
  std::vector<Json*> open_;  // stay valid: an element moves only while no child of it is open
  std::string key_;
  JsonProblem problem_;
};

ParsedJson parse_once(std::string_view text) {
  Builder builder;
  if (!Json::sax_parse(text.begin(), text.end(), &builder)) return {nullptr, builder.problem()};
  return {builder.take(), {}};
}

}  // namespace

ParsedJson parse_json(std::string_view text) {
  // The parser would stop at it.
  if (const std::size_t nul = text.find('\0'); nul != text.npos) {
    return {nullptr, {nul + 1, "it contains a NUL byte"}};
  }
  ParsedJson parsed = parse_once(text);
  if (parsed) return parsed;
  // An error would have no id, for which the client waits.
  const std::string whole = http_server::without_lone_surrogates(text);
  return whole == text ? parsed : parse_once(whole);
}

std::string dump(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string json_string(std::string_view text) {
  return dump(Json(text));
}

const Json* find(const Json& value, std::string_view name) {
  if (!value.is_object()) return nullptr;
  const auto found = value.find(name);
  return found == value.end() ? nullptr : &*found;
}

std::string find_string(const Json& value, std::string_view name) {
  const Json* const found = find(value, name);
  return found != nullptr && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace quarry::mcp
