#pragma once

#include "base/error.h"
#include "base/json.h"
#include "cli/mcp/jsonc.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace quarry::cli {

/// Edits a JSON text and preserves all other bytes: comments, order, indentation.
class JsoncEdit {
 public:
  using Path = std::vector<std::string>;

  /// kInvalidArgument as for parse_jsonc, and if the text is not an object.
  static Result<JsoncEdit> of(std::string text, JsonDialect dialect, std::filesystem::path file);

  /// Merges `wanted` into the object at `path`, created if missing; keeps its other members.
  /// kInvalidArgument if a value on the path is not an object.
  Status merge(const Path& path, const Json& wanted);
  /// Adds `item` to the list at `path`, created if missing.
  Status append(const Path& path, const Json& item);
  /// Removes the member at `path`, if any.
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
