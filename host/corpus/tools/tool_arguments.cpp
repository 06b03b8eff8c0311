#include "corpus/tools/tool_arguments.h"

#include "base/text.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace quarry::corpus {
namespace {

std::string unknown_argument(std::string_view name, std::initializer_list<std::string_view> known) {
  const std::vector<std::string> names(known.begin(), known.end());
  const auto near = nearest(name, names);
  return near ? "there is no such argument; did you mean \"" + *near + "\"?"
              : "there is no such argument; there are: " + join(names, ", ");
}

}  // namespace

ToolArguments::ToolArguments(const Json& arguments, std::initializer_list<std::string_view> known)
    : arguments_(arguments) {
  if (!arguments.is_object()) {
    add_problem("", "the arguments must be one JSON object");
    return;
  }
  for (const auto& item : arguments.items()) {
    if (std::ranges::find(known, item.key()) != known.end()) continue;
    add_problem(item.key(), unknown_argument(item.key(), known));
  }
}

const Json* ToolArguments::find(std::string_view field) const {
  const auto found = arguments_.find(field);
  return found == arguments_.end() || found->is_null() ? nullptr : &*found;
}

void ToolArguments::add_problem(std::string_view field, std::string message) {
  problems_.push_back({"/" + std::string(field), std::move(message)});
}

std::string ToolArguments::text(std::string_view field) {
  const Json* value = find(field);
  if (value == nullptr) return {};
  if (value->is_string()) return value->get<std::string>();
  add_problem(field, "must be a string");
  return {};
}

std::string ToolArguments::required_text(std::string_view field) {
  const std::size_t before = problems_.size();
  std::string value = text(field);
  if (value.empty() && problems_.size() == before) add_problem(field, "is required");
  return value;
}

std::uint32_t ToolArguments::number(std::string_view field, std::uint32_t fallback,
                                    std::uint32_t least, std::uint32_t most) {
  const Json* value = find(field);
  if (value == nullptr) return fallback;
  // Some models write every number as 10.0.
  const double number = value->is_number() ? value->get<double>() : -1;
  if (number >= least && number <= most && number == static_cast<std::uint32_t>(number)) {
    return static_cast<std::uint32_t>(number);
  }
  add_problem(field, "must be a whole number from " + std::to_string(least) + " to " +
                         std::to_string(most));
  return fallback;
}

bool ToolArguments::flag(std::string_view field) {
  const Json* value = find(field);
  if (value == nullptr) return false;
  if (value->is_boolean()) return value->get<bool>();
  add_problem(field, "must be true or false");
  return false;
}

std::optional<Error> ToolArguments::error() const {
  if (problems_.empty()) return std::nullopt;
  std::vector<std::string> sentences;
  for (const FieldError& problem : problems_) {
    const std::string name = problem.field.substr(1);
    sentences.push_back(name.empty() ? problem.message : name + ": " + problem.message);
  }
  Error error(Code::kInvalidArgument, join(sentences, "; "));
  error.details = problems_;
  return error;
}

}  // namespace quarry::corpus
