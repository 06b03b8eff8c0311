#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace quarry::ask {

/// The names of the tools that a model may call, and the forms in which models write them.
class ToolNames {
 public:
  ToolNames() = default;
  /// `tools`: a JSON array as in <quarry/model.h>.
  explicit ToolNames(std::string_view tools);

  /// The tool that is meant: by its name, in any case, with a prefix ("functions.read",
  /// "mcp__quarry__read"), a number ("read:0") or a mark of a channel
  /// ("read<|channel|>commentary"); empty if there is none.
  [[nodiscard]] std::string_view find(std::string_view written) const;
  /// The same, or `written` where none is meant.
  [[nodiscard]] std::string meant_by(std::string_view written) const;
  /// True if `written` may become the name of a tool when more of it arrives.
  [[nodiscard]] bool begins(std::string_view written) const;

 private:
  std::vector<std::string> names_;
};

/// The tools that models may call.
struct OfferedTools {
  explicit OfferedTools(std::string array) : json(std::move(array)), names(json) {}

  std::string json;  ///< an array as in <quarry/model.h>
  ToolNames names;
};

}  // namespace quarry::ask
