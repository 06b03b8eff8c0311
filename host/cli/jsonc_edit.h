#pragma once

#include "base/error.h"
#include "base/json.h"
#include "cli/jsonc.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace quarry::cli {

/// A JSON text under edit. Bytes that need no change stay: comments, order, indentation.
class JsoncEdit {
 public:
  using Path = std::vector<std::string>;

  /// kInvalidArgument as of parse_jsonc, and when the text is no object.
  static Result<JsoncEdit> of(std::string text, JsonDialect dialect, std::filesystem::path file);

  /// Makes the member at `path` an object that has all of `wanted`; other members it has stay.
  /// kInvalidArgument when something on the way is no object.
  Status merge(const Path& path, const Json& wanted);
  /// Adds `item` to the list at `path`, which is made when there is none.
  Status append(const Path& path, const Json& item);
  /// Takes the member at `path` away, if there is one.
  Status remove(const Path& path);

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] const Json& value() const { return root_.value; }

 private:
  JsoncEdit(std::string text, JsonDialect dialect, std::filesystem::path file)
      : text_(std::move(text)), dialect_(dialect), file_(std::move(file)) {}

  Status set(const Path& path, const Json& value);
  void insert(const JsoncNode& object, std::size_t depth, const std::string& name,
              const Json& value);
  void insert_first(const JsoncNode& object, std::size_t depth, const std::string& member);
  [[nodiscard]] std::string rendered(const Json& value, std::size_t depth) const;
  [[nodiscard]] std::string line(std::size_t depth) const;
  [[nodiscard]] std::size_t skip_blank(std::size_t at, bool lines) const;
  void erase(std::size_t begin, std::size_t end);
  Status parse();

  std::string text_;
  JsonDialect dialect_;
  std::filesystem::path file_;
  JsoncNode root_;
};

}  // namespace quarry::cli
